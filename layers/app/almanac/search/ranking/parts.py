"""Parts that add up to a score."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from almanac.search.frame import Vector
from almanac.search.port import Leg

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Part(Struct, frozen=True, eq=False):
    """One part of a score: a weight, and a factor from 0 to 1 for each row. `leg` is None for a part that belongs to
    neither leg."""

    name: str
    leg: Leg | None
    weight: float
    values: Vector

    @property
    def points(self) -> Vector:
        return np.float32(self.weight) * self.values


class Evidence(Struct, frozen=True, eq=False):
    """Nearness of rows to a question, 0 to 1, independent of other rows.

    `near` counts their neighbours, `own` does not. `by_bits` and `by_table` mark the rows that were judged by their
    pieces; the others were judged by words.
    """

    near: Vector
    own: Vector
    by_bits: "NDArray[np.bool_]"
    by_table: "NDArray[np.bool_]"


class ScoredRows(Struct, frozen=True, eq=False):
    """`rows` of a frame, with the parts of their scores and their evidence in the same order."""

    rows: "NDArray[np.intp]"
    parts: list[Part]
    evidence: Evidence


def total(parts: Iterable[Part], rows: int) -> Vector:
    """Return the sum of the parts for each of `rows` rows."""
    points = np.zeros(rows, dtype=np.float32)
    for part in parts:
        points = points + part.points
    return points


def relative(values: Vector) -> Vector:
    """Scale values from 0 for the least to 1 for the greatest; zeros if all are equal."""
    if not len(values):
        return values
    least, most = values.min(), values.max()
    return (values - least) / (most - least) if most > least else np.zeros_like(values)


def share_of_best(values: Vector) -> Vector:
    """Scale values so that the greatest is 1. All are 0 if no value is positive."""
    most = values.max(initial=0)
    return values / most if most > 0 else np.zeros_like(values)
