"""What a threshold kept out of an answer."""

from collections.abc import Iterable

from msgspec import Struct


class BelowThreshold(Struct, frozen=True):
    """How many hits that were looked at, up to some hundreds, are less alike than the threshold, and the similarity of
    the `best` of them, rounded down: with it as the threshold that one is found."""

    count: int
    best: float


def below_threshold(similarities: Iterable[float]) -> BelowThreshold | None:
    """None where there are none."""
    below = list(similarities)
    return BelowThreshold(len(below), int(max(below) * 100) / 100) if below else None
