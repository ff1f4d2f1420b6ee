"""Vectors of a collection by place, small enough to stay in memory: a byte for each dimension, and their outlines.

Cosines are within .01 of those of the vectors on disk, which ranking uses in the end.
"""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from almanac.search.frame import Matrix, Vector
from almanac.search.sqlite.reader.best import best
from almanac.search.sqlite.reader.blocks import BLOCK, Mask, Places, grown, put, put_columns, rows_at

_DIRECTIONS = 64
"""Number of directions of an outline. These are the directions in which the vectors differ most.

Comparing a question with the outlines of 58,820 documents takes a millisecond, and with the vectors ten.
"""


class Outline(Struct, frozen=True):
    """Outlines of vectors, which approximate their cosines.

    `directions` is dimensions x 64, and `mean` is the mean of all vectors. Blocks are 64 x places, because a product
    with them then takes only two thirds of the time. A place without a vector has zeros.
    """

    mean: Vector
    directions: Matrix
    blocks: list[NDArray[np.float32]]

    def cosines(self, question: Vector) -> Vector:
        """Return the approximate cosine of each place with the question."""
        directions = question @ self.directions
        found = np.empty((len(self.blocks), BLOCK), np.float32)
        for block, cosines in zip(self.blocks, found, strict=True):
            np.dot(directions, block, out=cosines)
        return found.ravel() + np.float32(self.mean @ question)

    def with_rows(self, places: Places, vectors: Matrix, size: int) -> "Outline":
        blocks = grown(self.blocks, np.zeros((self.directions.shape[1], BLOCK), np.float32), size)
        outlines = (vectors - self.mean) @ self.directions
        put_columns(blocks, places, outlines.astype(np.float32, copy=False))
        return Outline(self.mean, self.directions, blocks)


EXACT = 4096
"""Number of vectors compared in full: the best by their outlines, if there are more."""

_AT_ONCE = 256


class Vectors(Struct, frozen=True):
    """Vectors of a collection. `scales` turn bytes back into numbers, and are nan where a place has no vector.
    `dimensions` is 0 before the first vector."""

    dimensions: int
    blocks: list[NDArray[np.int8]]
    scales: Vector
    outline: Outline | None = None

    @property
    def count(self) -> int:
        """Number of places that have a vector."""
        return int(np.count_nonzero(~np.isnan(self.scales)))

    def cosines(self, question: Vector | None, allowed: Mask) -> Vector | None:
        """Return the cosine of every place. Places that are not allowed, or have no vector, are nan.

        Returns None if the question has no vector of the right length, or if no place has one. With many places, the
        cosines of the worse ones are estimated from their outlines.
        """
        if question is None or len(question) != self.dimensions:
            return None
        there = allowed & ~np.isnan(self.scales)
        compared = np.flatnonzero(there)
        if self.outline is not None and len(compared) > EXACT:
            found = np.where(there, self.outline.cosines(question)[: len(there)], np.float32(np.nan))
            compared = np.sort(best(np.where(there, found, np.float32(-np.inf)), EXACT))
        else:
            found = np.full(len(there), np.nan, np.float32)
        found[compared] = rows_at(self.blocks, compared).astype(np.float32) @ question * self.scales[compared]
        return found if len(compared) else None

    def unpack(self, places: Places) -> Matrix:
        """Return the vectors at `places`, which ascend and each have one."""
        return rows_at(self.blocks, places).astype(np.float32) * self.scales[places][:, None]

    def with_rows(self, places: Places, stored: Sequence[bytes | None], size: int) -> "Vectors":
        """Return the vectors with the stored ones of `places`, which ascend. A vector of another length than the first
        one is ignored."""
        length = 2 * self.dimensions or max((len(each) for each in stored if each), default=0)
        scales = np.full(size, np.nan, np.float32)
        scales[: len(self.scales)] = self.scales
        scales[places] = np.nan
        vectors = [each for each in stored if each and len(each) == length]
        if not vectors:
            return Vectors(self.dimensions, self.blocks, scales, self.outline)
        changed = places[[bool(each) and len(each or b"") == length for each in stored]]
        packed, scales[changed] = _pack(b"".join(vectors), length // 2)
        blocks = grown(self.blocks, np.zeros((BLOCK, length // 2), np.int8), size)
        put(blocks, changed, packed)
        outline = self.outline and self.outline.with_rows(changed, packed * scales[changed][:, None], size)
        return Vectors(length // 2, blocks, scales, outline)

    def with_outline(self) -> "Vectors":
        """Return the vectors with an outline of all places that have one, if there are enough vectors for it to pay."""
        if self.outline is not None:
            return self
        there = np.flatnonzero(~np.isnan(self.scales))
        if len(there) <= EXACT:
            return self
        outline = make_outline(self.unpack(there[:: len(there) // EXACT]))
        for first in range(0, len(there), EXACT):
            some = there[first : first + EXACT]
            outline = outline.with_rows(some, self.unpack(some), len(self.scales))
        return Vectors(self.dimensions, self.blocks, self.scales, outline)


def no_vectors() -> Vectors:
    return Vectors(0, [], np.empty(0, np.float32))


def _pack(stored: bytes, dimensions: int) -> tuple[NDArray[np.int8], Vector]:
    """Return rows of bytes, and the value of one step in each row."""
    halves = np.frombuffer(stored, "<f2").reshape(-1, dimensions)
    packed, steps = np.empty(halves.shape, np.int8), np.empty(len(halves), np.float32)
    for first in range(0, len(halves), _AT_ONCE):  # so that intermediate arrays fit into the processor's cache
        some = slice(first, first + _AT_ONCE)
        vectors = halves[some].astype(np.float32)
        steps[some] = np.maximum(np.abs(vectors).max(axis=1), 1e-12) / 127
        packed[some] = np.rint(vectors / steps[some, None])
    return packed, steps


def make_outline(sample: Matrix) -> Outline:
    """Return an outline for vectors like those of a sample. It has no places yet."""
    mean = sample.mean(axis=0).astype(np.float32)
    apart = sample - mean
    _, directions = np.linalg.eigh(apart.T @ apart)
    return Outline(mean, np.ascontiguousarray(directions[:, -_DIRECTIONS:], np.float32), [])
