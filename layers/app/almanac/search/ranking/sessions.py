"""Neighbours within a session, in the order of a frame: session by session, position by position."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from almanac.search.frame import Frame, Vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

FULL_WEIGHT_LENGTH = 40
"""Number of terms or pieces up to which a turn counts in full."""


class Pairs(Struct, frozen=True, eq=False):
    """Rows `earlier` and `later` of one session, `distance` positions apart."""

    earlier: "NDArray[np.intp]"
    later: "NDArray[np.intp]"
    distance: "NDArray[np.intp]"


def pairs_within(frame: Frame, reach: int) -> Iterator[Pairs]:
    """Yield all pairs of rows up to `reach` positions apart. In each result a row is `earlier` at most once and `later`
    at most once."""
    for step in range(1, min(reach, len(frame.ids) - 1) + 1):
        distance = frame.position[step:] - frame.position[:-step]
        near = (frame.session[step:] == frame.session[:-step]) & (distance <= reach) & (distance > 0)
        earlier = np.flatnonzero(near)
        yield Pairs(earlier, earlier + step, distance[earlier])


def neighbours(frame: Frame, chosen: "NDArray[np.bool_]", reach: int) -> "NDArray[np.bool_]":
    """Return a mask of the chosen rows and of those up to `reach` positions away."""
    near = chosen.copy()
    for pairs in pairs_within(frame, reach):
        near[pairs.earlier] |= chosen[pairs.later]
        near[pairs.later] |= chosen[pairs.earlier]
    return near


def length_weights(lengths: Vector) -> Vector:
    """Return the weight of a turn for its neighbours. Longer turns weigh less."""
    return np.minimum(1, FULL_WEIGHT_LENGTH / np.maximum(lengths, 1))


def distance_weights(weight: float, rate: float, reach: int) -> Vector:
    """Return the weight of a neighbour by its distance, from 0 to `reach`."""
    return (weight * rate ** np.arange(reach + 1)).astype(np.float32)
