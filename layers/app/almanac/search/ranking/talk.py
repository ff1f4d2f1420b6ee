"""Scores of turns of talk, by their own words and meaning and by those of their neighbours. Long turns count less.

The speaker, answers to questions, dates, names and exact identifiers count too.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from almanac.search.analysis.dates import DAY_MS, NamedDate
from almanac.search.analysis.parsed_question import ParsedQuestion
from almanac.search.frame import Frame, Vector
from almanac.search.ranking.evidence import by_pieces, by_words
from almanac.search.ranking.parts import Evidence, Part, ScoredRows, relative, share_of_best
from almanac.search.ranking.sessions import length_weights, neighbours
from almanac.search.ranking.similarity import REACH, closeness, piece_weights, pool_similarity, with_neighbours
from almanac.search.ranking.speakers import answers, named_speaker, speaks_by_name
from almanac.search.ranking.words import idf, kernel_bm25, product

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from almanac.search.analysis.parsed_question import QuestionPieces


_MOST_NAMES = 3
_BY_TABLE, _BY_BITS = 5, 7
"""Weights of pieces. Context bits say more than the static table."""
_WHOLE = 2
"""Weight of whole turns. They find answers in other words than the question's."""
_READ_FROM = 0.25
"""Weight below which a neighbour need not be read."""


def judge_talk(parsed: ParsedQuestion, frame: Frame, pool: int) -> ScoredRows:
    """Return the best `pool` candidates by words and by meaning as wholes, scored in full."""
    words, whole = kernel_bm25(frame), pool_similarity(frame.text)
    rows = _best(frame, words, whole, pool)
    counted = length_weights(np.where(frame.text.kept > 0, frame.text.kept, frame.text.length))
    parts = [Part("words", "words", 3, share_of_best(words[rows]))]
    evidence = by_words(frame.text.tf[rows], words[rows], idf(frame.text_statistics.frequencies, frame.documents))
    if parsed.pieces is not None:
        close = _close(parsed, parsed.pieces, frame, rows, counted)
        evidence = by_pieces(parsed, frame.text, rows, close, evidence)
        parts.append(Part("pieces", "meaning", _weight_of_pieces(evidence), relative(close[0])))
    if whole is not None:
        parts.append(Part("whole", "meaning", _WHOLE, relative(whole[rows])))
    return ScoredRows(rows, parts + _circumstances(parsed, frame, rows, counted), evidence)


def _weight_of_pieces(evidence: Evidence) -> float:
    """Mix the weights for the table and for bits by the share of rows that have bits.

    Scores then change smoothly while contexts are being made.
    """
    share = float(evidence.by_bits.mean()) if len(evidence.by_bits) else 0.0
    return _BY_TABLE + share * (_BY_BITS - _BY_TABLE)


def _best(frame: Frame, words: Vector, whole: Vector | None, pool: int) -> "NDArray[np.intp]":
    rows = np.flatnonzero(frame.candidates)
    scores = share_of_best(words[rows])
    if whole is not None:
        scores = scores + np.float32(0.5) * relative(whole[rows])
    return rows[np.argsort(-scores, kind="stable")[:pool]]


def _close(
    parsed: ParsedQuestion, pieces: "QuestionPieces", frame: Frame, rows: "NDArray[np.intp]", counted: Vector
) -> tuple[Vector, Vector]:
    """Return the nearness of `rows` to the question, with their neighbours and by themselves."""
    wanted = np.zeros(len(frame.ids), dtype=np.bool_)
    wanted[rows] = True
    read = wanted | (neighbours(frame, wanted, REACH) & (counted >= _READ_FROM))
    close = closeness(parsed, frame.text, np.flatnonzero(read).tolist())
    weights = piece_weights(pieces, frame.text_statistics.frequencies, frame.documents)
    together = with_neighbours(frame, close, counted)
    return product(together[rows], weights), product(close[rows], weights)


def _circumstances(parsed: ParsedQuestion, frame: Frame, rows: "NDArray[np.intp]", counted: Vector) -> list[Part]:
    by_name = speaks_by_name(frame)
    names = np.minimum(frame.names, _MOST_NAMES) * counted * np.float32(parsed.asks_name)
    identifiers = frame.text.tf[rows][:, list(parsed.compounds)] > 0
    parts = [
        Part("speaker", None, 1, named_speaker(parsed, frame)[rows]),
        Part("asks", None, -1, (frame.asks & by_name)[rows].astype(np.float32)),
        Part("answers", None, 1, answers(frame, by_name)[rows]),
        Part("date", None, 4, nearness(parsed.dates, frame.at)[rows]),
        Part("names", None, 1, names[rows]),
        Part("identifiers", "words", 6, identifiers.sum(axis=1) / np.float32(len(parsed.compounds) or 1)),
    ]
    return [part for part in parts if part.values.any()]


_DAYS_AFTER = 8
_DAYS_INTO_NEXT_MONTH = 11
"""Number of days after a day, and into the month after a month, that still count. People mostly speak of events
later."""


def nearness(dates: Sequence[NamedDate], at: "NDArray[np.int64]") -> Vector:
    """Return the nearness, 0 to 1, of each instant to the nearest of `dates`. Unknown instants (0) have 0."""
    best = np.zeros(len(at), dtype=np.float32)
    if not dates:
        return best
    days = at // DAY_MS
    for date in dates:
        best = np.maximum(best, _nearness(date, days))
    return np.where(at == 0, np.float32(0), best)


def _nearness(date: NamedDate, days: "NDArray[np.int64]") -> Vector:
    """Return the nearness of days, counted since 1970, to a date."""
    months = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    # A date without a year matches every year.
    years = months // 12 if date.year is None else np.full(len(days), date.year - 1970)
    if date.month is None:
        return (months // 12 == years).astype(np.float32)
    parsed = years * 12 + date.month - 1
    if date.day is None:
        return _of_month(months - parsed, days - _first_days(months))
    return _of_day(days - _first_days(parsed) - date.day + 1)


def _first_days(months: "NDArray[np.int64]") -> "NDArray[np.int64]":
    return months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


def _of_month(after: "NDArray[np.int64]", day: "NDArray[np.int64]") -> Vector:
    """Return the nearness to a month. `after` is the number of months after it, and `day` the day of the month from
    0."""
    soon_after = (after == 1) & (day < _DAYS_INTO_NEXT_MONTH)
    return np.where(after == 0, 1, np.where(soon_after, 0.4, 0)).astype(np.float32)


def _of_day(after: "NDArray[np.int64]") -> Vector:
    soon_after = (after > 0) & (after <= _DAYS_AFTER)
    return np.where(np.abs(after) <= 1, 1, np.where(soon_after, 0.5, 0)).astype(np.float32)
