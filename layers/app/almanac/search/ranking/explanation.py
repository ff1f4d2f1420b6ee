"""Explanation of a document's rank among the hits."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.search.frame import Frame
from almanac.search.port import Leg
from almanac.search.ranking.parts import ScoredRows
from almanac.search.ranking.words import idf


class WhyPart(Struct, frozen=True):
    """A part of a score. `points` is `weight` times `value`, which is mostly between 0 and 1. `leg` is None for parts
    that belong to neither leg, such as the speaker and the date."""

    name: str
    leg: Leg | None
    weight: float
    value: float
    points: float


class WhyTerm(Struct, frozen=True):
    """A term of the question that the document itself has, with its weight and its number of occurrences."""

    term: str
    idf: float
    count: int


class Why(Struct, frozen=True):
    """Parts that add up to a score by "sum", and the terms of the question that were found."""

    parts: list[WhyPart]
    terms: list[WhyTerm]


def why(frame: Frame, terms: Sequence[str], scored: ScoredRows, place: int) -> Why:
    """Return the explanation for the row at `place` among the judged ones."""
    row = scored.rows[place]
    counts = (frame.text.tf[row] + frame.title.tf[row]).tolist()
    weights = idf(frame.text_statistics.frequencies, frame.documents).tolist()
    parts = [
        WhyPart(part.name, part.leg, part.weight, float(part.values[place]), float(part.points[place]))
        for part in scored.parts
    ]
    found = zip(terms, weights, counts, strict=True)
    return Why(
        parts=[part for part in parts if part.points],
        terms=[WhyTerm(term, weight, int(count)) for term, weight, count in found if count],
    )
