"""Outlines of vectors: the 64 directions in which those of a collection differ most, which say who can be near at all.

A question is compared with the outlines of 58,820 documents in a millisecond, and with the vectors in ten.
"""

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from almanac.platform.search.frame import Matrix, Vector
from almanac.platform.search.sqlite.reading.blocks import BLOCK, Places, grown, put_columns

_DIRECTIONS = 64


class Outline(Struct, frozen=True):
    """`directions` are dimensions x 64, `mean` is what all vectors have in common. Blocks are 64 x places, of which a
    product takes two thirds of the time. Who has no vector has zeros."""

    mean: Vector
    directions: Matrix
    blocks: list[NDArray[np.float32]]

    def cosines(self, question: Vector) -> Vector:
        """About the cosine of each place."""
        asked = question @ self.directions
        found = np.empty((len(self.blocks), BLOCK), np.float32)
        for block, cosines in zip(self.blocks, found, strict=True):
            np.dot(asked, block, out=cosines)
        return found.ravel() + np.float32(self.mean @ question)

    def with_rows(self, places: Places, vectors: Matrix, size: int) -> "Outline":
        blocks = grown(self.blocks, np.zeros((self.directions.shape[1], BLOCK), np.float32), size)
        outlines = (vectors - self.mean) @ self.directions
        put_columns(blocks, places, outlines.astype(np.float32, copy=False))
        return Outline(self.mean, self.directions, blocks)


def outlined(sample: Matrix) -> Outline:
    """An outline, of no place yet, for vectors like those of a sample."""
    mean = sample.mean(axis=0).astype(np.float32)
    apart = sample - mean
    _, directions = np.linalg.eigh(apart.T @ apart)
    return Outline(mean, np.ascontiguousarray(directions[:, -_DIRECTIONS:], np.float32), [])
