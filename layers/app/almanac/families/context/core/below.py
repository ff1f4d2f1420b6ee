"""Hits below the threshold of a search."""

from collections.abc import Iterable

from msgspec import Struct


class BelowThreshold(Struct, frozen=True):
    """The number of hits below the threshold, among some hundreds that were read, and the similarity of the `best` of
    them, rounded down, which as a threshold finds that hit."""

    count: int
    best: float


def below_threshold(similarities: Iterable[float]) -> BelowThreshold | None:
    """Return the count and the best similarity of hits below the threshold; None if there are none."""
    below = list(similarities)
    return BelowThreshold(len(below), int(max(below) * 100) / 100) if below else None
