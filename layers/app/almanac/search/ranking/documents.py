"""Scores of documents and code. Title and text each count by words, as a whole and piece by piece.

A document without a title loses nothing, because its text counts for both.
"""

from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from almanac.search.analysis.parsed_question import ParsedQuestion
from almanac.search.frame import Frame, Vector
from almanac.search.port import Leg
from almanac.search.ranking.evidence import by_pieces, by_words
from almanac.search.ranking.parts import Evidence, Part, ScoredRows, relative, share_of_best, total
from almanac.search.ranking.similarity import closeness, piece_weights, pool_similarity
from almanac.search.ranking.words import bm25, idf, product, saturation_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from almanac.search.analysis.parsed_question import QuestionPieces


class Weights(Struct, frozen=True):
    """Weights of a title and of a text, in this order."""

    words: tuple[float, float]
    wholes: tuple[float, float]
    pieces: tuple[float, float]


class ProfileWeights(Struct, frozen=True):
    """Weights for meaning from the static table, and for meaning from context bits, which say more."""

    table: Weights
    bits: Weights


_IDENTIFIERS = 3

_DOCUMENTS = ProfileWeights(
    table=Weights(words=(0.5, 0.5), wholes=(0.25, 0.5), pieces=(0.5, 1)),
    bits=Weights(words=(0.25, 0.25), wholes=(0.25, 0.25), pieces=(0.75, 1.25)),
)
_CODE = ProfileWeights(
    table=Weights(words=(1, 0.5), wholes=(0.5, 0.75), pieces=(0.25, 0.5)),
    bits=Weights(words=(0.75, 0.5), wholes=(0.75, 1), pieces=(0.5, 0.75)),
)
_ABOUT = Weights(words=(0.75, 0.25), wholes=(1.5, 0.5), pieces=(0.75, 0.25))
_BY_KIND = {"skill": ProfileWeights(table=_ABOUT, bits=_ABOUT)}
"""Weights of kinds whose titles describe their purpose at length while their texts use other words than searchers do.

They apply only if no other kind is found.
"""


def judge_documents(parsed: ParsedQuestion, frame: Frame, pool: int) -> ScoredRows:
    """Return the best `pool` candidates by words and by meaning as wholes, scored in full."""
    rows = np.flatnonzero(frame.candidates)
    weights = _weights(parsed, frame, rows)
    coarse = _coarse(parsed, frame, rows, weights)
    rows = rows[np.argsort(-total(coarse, len(rows)), kind="stable")[:pool]]
    parts = _coarse(parsed, frame, rows, weights)
    evidence = _evidence_of_words(parsed, frame, rows)
    if parsed.pieces is not None:
        title, text = _close(parsed, parsed.pieces, frame, rows)
        evidence = by_pieces(parsed, frame.text, rows, (np.maximum(title, text), text), evidence)
        parts += _pair("pieces", "meaning", weights.pieces, (relative(title), relative(text)), frame.title.length[rows])
    return ScoredRows(rows, parts, evidence)


def _weights(parsed: ParsedQuestion, frame: Frame, rows: "NDArray[np.intp]") -> Weights:
    """Mix the weights for the table and for bits by the share of rows that have bits.

    Scores then change smoothly while contexts are being made.
    """
    profiled = _weights_for(parsed, {frame.kinds[row] for row in rows.tolist()})
    if parsed.states is None or not len(rows):
        return profiled.table
    share = sum(frame.text.bits[row] is not None for row in rows.tolist()) / len(rows)
    table, bits = profiled.table, profiled.bits
    return Weights(
        words=_between(table.words, bits.words, share),
        wholes=_between(table.wholes, bits.wholes, share),
        pieces=_between(table.pieces, bits.pieces, share),
    )


def _weights_for(parsed: ParsedQuestion, kinds: set[str]) -> ProfileWeights:
    if parsed.profile == "code":
        return _CODE
    return _BY_KIND.get(kinds.pop(), _DOCUMENTS) if len(kinds) == 1 else _DOCUMENTS


def _between(one: tuple[float, float], other: tuple[float, float], share: float) -> tuple[float, float]:
    title, text = (first + share * (second - first) for first, second in zip(one, other, strict=True))
    return title, text


def _coarse(parsed: ParsedQuestion, frame: Frame, rows: "NDArray[np.intp]", weights: Weights) -> list[Part]:
    """Return the parts of the coarse score by which the pool is chosen."""
    words = _words(parsed, frame, rows, weights)
    return [*words, *_identifiers(parsed, frame, rows), *_wholes(frame, rows, weights)]


def _words(parsed: ParsedQuestion, frame: Frame, rows: "NDArray[np.intp]", weights: Weights) -> list[Part]:
    saturation = saturation_of(parsed.profile)
    title = bm25(frame.title, frame.title_statistics, frame.documents, saturation)[rows]
    text = bm25(frame.text, frame.text_statistics, frame.documents, saturation)[rows]
    values = share_of_best(title), share_of_best(text)
    return _pair("words", "words", weights.words, values, frame.title.length[rows])


def _identifiers(parsed: ParsedQuestion, frame: Frame, rows: "NDArray[np.intp]") -> list[Part]:
    """Return the share of the question's identifiers that a row has as written. Code has no such part, because it is
    full of identifiers and they do not improve its ranking."""
    if not parsed.compounds or parsed.profile == "code":
        return []
    there = (frame.text.tf[rows] + frame.title.tf[rows])[:, list(parsed.compounds)] > 0
    return [Part("identifiers", "words", _IDENTIFIERS, there.sum(axis=1) / np.float32(len(parsed.compounds)))]


def _wholes(frame: Frame, rows: "NDArray[np.intp]", weights: Weights) -> list[Part]:
    text, title = pool_similarity(frame.text), pool_similarity(frame.title)
    if text is None:
        return []
    values = relative((text if title is None else title)[rows]), relative(text[rows])
    return _pair("whole", "meaning", weights.wholes, values, frame.title.length[rows])


def _close(
    parsed: ParsedQuestion, pieces: "QuestionPieces", frame: Frame, rows: "NDArray[np.intp]"
) -> tuple[Vector, Vector]:
    """Return the nearness of the titles and of the texts of `rows` to the question."""
    frequencies = np.maximum(frame.title_statistics.frequencies, frame.text_statistics.frequencies)
    weights = piece_weights(pieces, frequencies, frame.documents)
    title, text = (closeness(parsed, field, rows.tolist()) for field in (frame.title, frame.text))
    return product(title[rows], weights), product(text[rows], weights)


def _evidence_of_words(parsed: ParsedQuestion, frame: Frame, rows: "NDArray[np.intp]") -> Evidence:
    frequencies = np.maximum(frame.title_statistics.frequencies, frame.text_statistics.frequencies)
    scores = bm25(frame.text, frame.text_statistics, frame.documents, saturation_of(parsed.profile))[rows]
    return by_words(frame.text.tf[rows] + frame.title.tf[rows], scores, idf(frequencies, frame.documents))


def _pair(
    name: str, leg: Leg, weights: tuple[float, float], values: tuple[Vector, Vector], title_length: Vector
) -> list[Part]:
    """Return the parts of a title and of a text. The text stands in for a missing title."""
    title, text = values
    both = np.where(title_length > 0, title, text)
    return [Part(f"title {name}", leg, weights[0], both), Part(name, leg, weights[1], text)]
