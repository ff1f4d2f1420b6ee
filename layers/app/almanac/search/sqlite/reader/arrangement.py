"""Arrangement of a collection's documents in slots, so that neighbours have adjacent slots.

Documents of a session have slots as far apart as their positions, but at most 7, because documents further away do not
help. Sessions are 7 apart as well. The neighbours of a document are therefore in the slots around its own, whatever its
position is. Documents without a session come last, one slot each, and have no neighbours.
"""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from almanac.search.frame import Vector
from almanac.search.ranking.sessions import length_weights
from almanac.search.ranking.words import KERNEL_AFTER, KERNEL_BEFORE, KERNEL_REACH

_APART = KERNEL_REACH + 1
_DISTANCES = np.arange(1, KERNEL_REACH + 1)
_OFFSETS = np.concatenate([_DISTANCES, -_DISTANCES])
_SHARES = np.concatenate([KERNEL_BEFORE[1:], KERNEL_AFTER[1:]])
"""Shares of a document's words that its neighbours receive, first for later and then for earlier neighbours."""


class Arrangement(Struct, frozen=True):
    """Slots of a collection's documents.

    `slots` has the slot of each place, 0 for removed documents. `places` are the places of documents with a session, in
    the order of their slots. `weights` say how much each place counts for its neighbours. `kernel_length` is the length
    of each document with its neighbours' words counted in, and `mean_kernel_length` the mean over documents that have a
    length. `size` is the number of slots.
    """

    slots: NDArray[np.int64]
    places: NDArray[np.int64]
    weights: Vector
    kernel_length: Vector
    mean_kernel_length: float
    size: int

    def gives(self, places: NDArray[np.int64]) -> bool:
        """Return whether any of these places counts for neighbours. Memories do not, as they belong to no session."""
        return bool(self.weights[places].any())

    def spread(self, places: NDArray[np.int64], amounts: Vector) -> Vector:
        """Return the amount that each place receives from its neighbours. `amounts` are those of `places`."""
        giving = np.flatnonzero(self.weights[places])
        places, amounts = places[giving], amounts[giving]
        given = amounts * self.weights[places]
        if len(places) * 3 > self.size:
            return self._spread_by_shifts(places, given)[self.slots]
        slots = self.slots[places][:, None] + _OFFSETS
        return np.bincount(slots.ravel(), (given[:, None] * _SHARES).ravel(), self.size)[self.slots].astype(np.float32)

    def around(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return these places and their neighbours, each once."""
        sorted_slots = self.slots[self.places]
        slots = self.slots[chosen]
        edges = np.zeros(len(self.places) + 1, np.int64)
        np.add.at(edges, np.searchsorted(sorted_slots, slots - KERNEL_REACH, "left"), 1)
        np.add.at(edges, np.searchsorted(sorted_slots, slots + KERNEL_REACH, "right"), -1)
        return np.union1d(self.places[np.cumsum(edges[:-1]) > 0], chosen)

    def _spread_by_shifts(self, places: NDArray[np.int64], given: Vector) -> Vector:
        sums = np.bincount(self.slots[places], given, self.size).astype(np.float32)
        spread = np.zeros(self.size, np.float32)
        for distance in _DISTANCES.tolist():
            spread[distance:] += _SHARES[distance - 1] * sums[:-distance]
            spread[:-distance] += _SHARES[KERNEL_REACH + distance - 1] * sums[distance:]
        return spread


def arrange(
    sessions: NDArray[np.int32], position: NDArray[np.int64], alive: NDArray[np.bool_], length: Vector
) -> Arrangement:
    """Arrange documents by session and position. All arguments are by place.

    The session of documents without one is -1; `length` is the number of index terms of the text.
    """
    together, alone = np.flatnonzero(alive & (sessions >= 0)), np.flatnonzero(alive & (sessions < 0))
    places = together[np.lexsort((position[together], sessions[together]))]
    slots = np.zeros(len(sessions), np.int64)
    slots[places] = _slots_of(sessions[places], position[places])
    last = int(slots[places[-1]]) if len(places) else 0
    slots[alone] = last + _APART + np.arange(len(alone))
    # Documents without a session neither give nor receive. The first of them is apart from the last session.
    weights = np.where(sessions >= 0, length_weights(length), 0).astype(np.float32)
    return _with_kernel_lengths(
        Arrangement(slots, places, weights, length, 0.0, last + 2 * _APART + len(alone)), alive, length
    )


def _slots_of(sessions: NDArray[np.int32], position: NDArray[np.int64]) -> NDArray[np.int64]:
    # Unsigned, because the distance of two positions may exceed the largest signed number.
    apart = np.diff(position.view(np.uint64))
    apart[np.diff(sessions) != 0] = _APART
    steps = np.minimum(apart, _APART).astype(np.int64)
    return np.cumsum(np.concatenate([np.full(min(len(sessions), 1), _APART), steps]))


def _with_kernel_lengths(arrangement: Arrangement, alive: NDArray[np.bool_], length: Vector) -> Arrangement:
    there = np.flatnonzero(alive & (length > 0))
    kernel_length = length + arrangement.spread(there, length[there])
    mean = float(kernel_length[there].mean()) if len(there) else 0.0
    slots, places, weights = arrangement.slots, arrangement.places, arrangement.weights
    return Arrangement(slots, places, weights, kernel_length, mean, arrangement.size)
