"""Ranking of a frame's candidates by how well they answer a question."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from almanac.search.analysis.parsed_question import ParsedQuestion
from almanac.search.frame import Frame, Vector
from almanac.search.port import LEGS, Fusion, Leg, Profile
from almanac.search.ranking.calibration import similarities
from almanac.search.ranking.documents import judge_documents
from almanac.search.ranking.explanation import Why, why
from almanac.search.ranking.parts import ScoredRows, total
from almanac.search.ranking.similarity import pool_similarity
from almanac.search.ranking.talk import judge_talk

if TYPE_CHECKING:
    from numpy.typing import NDArray


POOL = 100
"""Number of candidates that are judged by their pieces."""


class RankedHit(Struct, frozen=True, kw_only=True):
    """A ranked hit.

    `row` is its row in the frame. `score` orders the hits of one question. `similarity`, from 0 to 1, means the same
    for all questions. `whole` is the cosine of its whole text with the question, 0 if it is unknown.
    """

    row: int
    id: str
    kind: str
    score: float
    similarity: float
    whole: float = 0.0
    why: Why | None = None


def judge(parsed: ParsedQuestion, frame: Frame, profile: Profile, limit: int) -> ScoredRows:
    """Score the best candidates. Return at least `limit` of them, if there are so many."""
    return (judge_talk if profile == "talk" else judge_documents)(parsed, frame, max(POOL, limit))


def rank_hits(
    parsed: ParsedQuestion,
    frame: Frame,
    scored: ScoredRows,
    profile: Profile,
    *,
    limit: int,
    fusion: Fusion = "sum",
    legs: Sequence[Leg] = LEGS,
    explain: bool = False,
) -> list[RankedHit]:
    """Return the best `limit` of the judged rows, the best first. Rows with equal scores keep the order of the frame.

    Rows that none of `legs` finds are left out. Words find only rows that have a word of the question. Meaning finds
    nothing if neither a table nor a model was available.
    """
    scores = _fuse_legs(scored, legs, fusion)
    similar = similarities(scored, profile)
    whole = pool_similarity(frame.text)
    places = np.argsort(-scores, kind="stable")[:limit].tolist()
    return [
        RankedHit(
            row=int(scored.rows[place]),
            id=frame.ids[scored.rows[place]],
            kind=frame.kinds[scored.rows[place]],
            score=float(scores[place]),
            similarity=float(similar[place]),
            whole=0.0 if whole is None else float(whole[scored.rows[place]]),
            why=why(frame, parsed.question.terms, scored, place) if explain else None,
        )
        for place in places
        if scores[place] > -np.inf
    ]


_RANK_OFFSET = 60


def _fuse_legs(scored: ScoredRows, legs: Sequence[Leg], fusion: Fusion) -> Vector:
    """Return the score of each row, -inf for rows that none of `legs` finds."""
    found = np.logical_or.reduce([_finds(scored, leg) for leg in legs], axis=0)
    if fusion == "rrf":
        scores = sum(_reciprocal_ranks(_says(scored, leg)) * _finds(scored, leg) for leg in legs)
    else:
        scores = total((part for part in scored.parts if part.leg is None or part.leg in legs), len(scored.rows))
    return np.where(found, scores, -np.inf)


def _says(scored: ScoredRows, leg: Leg) -> Vector:
    return total((part for part in scored.parts if part.leg == leg), len(scored.rows))


def _finds(scored: ScoredRows, leg: Leg) -> "NDArray[np.bool_]":
    """Return a mask of the rows that a leg finds. Words find rows that have some of them. Meaning finds all rows, if it
    was used."""
    if leg == "words":
        return _says(scored, leg) > 0
    return np.full(len(scored.rows), any(part.leg == leg for part in scored.parts))


def _reciprocal_ranks(scores: Vector) -> Vector:
    """Return 1 / (60 + rank) for each row. Equal scores have equal ranks."""
    ranks = np.searchsorted(np.sort(-scores), -scores) + 1
    return np.reciprocal((_RANK_OFFSET + ranks).astype(np.float32))
