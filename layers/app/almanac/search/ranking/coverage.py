"""Judgement of whether the first hits answer a question fully, in part, or not at all.

Scores say which hit is best, and one always is. Two absolute measures remain: how near the first hits come to the
question, and how many of its words they have. Rare words count more in the first; all words count the same in the
second. The limits are fitted to questions put both to the conversation that answers them and to another one. Words
alone give a less certain verdict, because they miss synonyms.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from almanac.search.analysis.parsed_question import ParsedQuestion, QuestionPieces
from almanac.search.analysis.stems import stem
from almanac.search.coverage import Coverage, Verdict
from almanac.search.frame import Frame, Vector
from almanac.search.ranking.parts import ScoredRows
from almanac.search.ranking.similarity import closeness
from almanac.search.ranking.speakers import named_people, speaks_by_name
from almanac.search.ranking.words import idf

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIRST = 5
"""Number of hits that are judged."""
MAX_MISSING = 8
_MATCHED = 0.3
"""Nearness at which a row counts as having a word or a synonym of it."""
_RARE = 0.5
"""Weight at which a word counts as rare, as a share of the weight of a word that no document has."""


_NEAR_AS_WHOLE = 0.53
"""Sum of both measures at which a turn in entirely different words may be an answer."""


class Limits(Struct, frozen=True):
    """Limits of nearness. Below `thin` nothing answers the question, and from `covered` on it counts as answered."""

    thin: float
    covered: float


class Scale(Struct, frozen=True):
    """Limits for rows judged by words, by the static table, or by context bits."""

    words: Limits
    table: Limits
    bits: Limits


_TALK = Scale(words=Limits(0.30, 0.44), table=Limits(0.45, 0.545), bits=Limits(0.39, 0.44))
_DOCUMENTS = Scale(words=Limits(0.30, 0.41), table=Limits(0.34, 0.435), bits=Limits(0.335, 0.385))


def coverage(parsed: ParsedQuestion, frame: Frame, scored: ScoredRows, first: Sequence[int]) -> Coverage:
    """Return how well the rows `first`, the best hits in order, cover the question."""
    rows = list(first[:FIRST])
    close = _closest(parsed, frame, rows)
    scale = _TALK if parsed.profile == "talk" else _DOCUMENTS
    nearest, verdict = _verdict(scored, rows, _share(parsed, frame, rows, close), scale)
    if verdict == "not_covered" and parsed.profile == "talk" and nearest + _whole(frame, rows) >= _NEAR_AS_WHOLE:
        verdict = "thin"
    said_by, not_by = _speakers(parsed, frame, rows)
    return Coverage(
        verdict=verdict,
        nearest=round(nearest, 3),
        missing=tuple(_missing_words(parsed, frame, rows, close)),
        said_by=said_by,
        not_by=not_by,
    )


def _verdict(scored: ScoredRows, rows: Sequence[int], share: float, scale: Scale) -> tuple[float, Verdict]:
    """Return the nearness of the nearest row, and the verdict by the limits that apply to it."""
    nearest, limits = 0.0, scale.words
    for row in rows:
        place = int(np.flatnonzero(scored.rows == row)[0])
        near, of_row = (float(scored.evidence.near[place]) + share) / 2, _limits(scored, place, scale)
        if near / of_row.covered > nearest / limits.covered:
            nearest, limits = near, of_row
    if nearest < limits.thin:
        return nearest, "not_covered"
    return nearest, "thin" if nearest < limits.covered else "covered"


def _whole(frame: Frame, rows: Sequence[int]) -> float:
    """Return the cosine of the nearest of `rows` by context vectors of whole texts. Return 0 if no row has one."""
    return float(np.nan_to_num(frame.text.context[rows]).max(initial=0))


def _limits(scored: ScoredRows, place: int, scale: Scale) -> Limits:
    if scored.evidence.by_bits[place]:
        return scale.bits
    return scale.table if scored.evidence.by_table[place] else scale.words


def _closest(parsed: ParsedQuestion, frame: Frame, rows: Sequence[int]) -> Vector:
    """Return, for each piece of the question, the nearness of the nearest of `rows`, in its title or text."""
    if parsed.pieces is None or not rows:
        return np.zeros(0 if parsed.pieces is None else len(parsed.pieces.texts), dtype=np.float32)
    fields = (frame.text, frame.title) if parsed.profile != "talk" else (frame.text,)
    return np.max([closeness(parsed, field, rows)[rows].max(axis=0) for field in fields], axis=0)


def _terms_found(frame: Frame, rows: Sequence[int]) -> "NDArray[np.bool_]":
    """Return a mask of the question's terms that any of `rows` has as written."""
    return (frame.text.tf[rows] + frame.title.tf[rows]).sum(axis=0) > 0


def _share(parsed: ParsedQuestion, frame: Frame, rows: Sequence[int], close: Vector) -> float:
    """Return the share of the question's words that `rows` have. All words count the same."""
    if parsed.pieces is None:
        found = _terms_found(frame, rows)
        return float(found.mean()) if len(found) else 0.0
    counted = close[parsed.pieces.factors == 1]
    return float((counted if len(counted) else close).mean())


def _missing_words(parsed: ParsedQuestion, frame: Frame, rows: Sequence[int], close: Vector) -> Iterator[str]:
    """Yield the rare words of the question for which none of `rows` has the word or a synonym."""
    frequencies = np.maximum(frame.text_statistics.frequencies, frame.title_statistics.frequencies)
    unknown = idf(np.zeros(1, dtype=np.float32), frame.documents)[0]
    rare = idf(frequencies, frame.documents) >= _RARE * unknown
    lacking = rare & ~_terms_found(frame, rows)
    if parsed.pieces is not None:
        lacking &= _by_term(parsed.pieces, close, len(lacking)) < _MATCHED
    words = {stem(word): word for word in sorted(parsed.words)}
    terms = parsed.question.terms
    shown = [words.get(terms[place], terms[place]) for place in np.flatnonzero(lacking).tolist()]
    # Do not list the parts of a missing identifier again.
    identifiers = [one for one in shown if not one.isalnum()]
    whole = [one for one in shown if not any(one != other and one in other for other in identifiers)]
    yield from whole[:MAX_MISSING]


def _by_term(pieces: QuestionPieces, close: Vector, terms: int) -> Vector:
    """Return the mean nearness of each term's pieces. A term without pieces has 0."""
    counts, sums = np.zeros(terms, dtype=np.float32), np.zeros(terms, dtype=np.float32)
    known = pieces.terms >= 0
    np.add.at(counts, pieces.terms[known], 1)
    np.add.at(sums, pieces.terms[known], close[known])
    return np.divide(sums, np.maximum(counts, 1), dtype=np.float32)


def _speakers(parsed: ParsedQuestion, frame: Frame, rows: Sequence[int]) -> tuple[str, str]:
    """Return the speaker of the first hit and the person whom the question names. Both are "" unless the question names
    exactly one other person."""
    named = sorted(named_people(parsed, frame))
    if not rows or not named or len({name.casefold() for name in named}) != 1:
        return "", ""
    first = frame.speakers[rows[0]]
    if first.casefold() == named[0].casefold() or not speaks_by_name(frame)[rows[0]]:
        return "", ""
    return first, named[0]
