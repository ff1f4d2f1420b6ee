"""Rows of a static table in the form in which pieces are compared: length 1, single precision."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from almanac.platform.embedder.port import StaticEmbedder
    from almanac.search.frame import Matrix

MOST_LACKING = 300
"""Number of missing rows for which one search waits while a table is being made. They take some 0.3 s."""

_TINY = np.float32(1e-9)


class UnitRows:
    """Rows of the static table, scaled to length 1 when they are first needed.

    All 30,522 x 256 take 31 MB, and most texts need a tenth of them. If the table itself still lacks rows, one call
    makes up to `MOST_LACKING` of them. The others are zeros, similar to nothing, until a later call. Threads may make a
    row twice, but never see an unfinished one.
    """

    def __init__(self, static: "StaticEmbedder") -> None:
        self._static = static
        self._rows = np.zeros((len(static.words), static.dimensions), dtype=np.float32)
        self._made = np.zeros(len(static.words), dtype=np.bool_)

    def __len__(self) -> int:
        return len(self._rows)

    def of(self, pieces: "NDArray[np.intp]") -> "Matrix":
        """Return the rows of these pieces (pieces x dimensions)."""
        lacking = pieces[~self._made[pieces]]
        if len(lacking):
            there = self._static.has(lacking)
            lacking = np.concatenate([lacking[there], lacking[~there][:MOST_LACKING]])
            self._rows[lacking] = unit(self._static.rows(lacking).astype(np.float32))
            self._made[lacking] = True
        return self._rows[pieces]


def unit(rows: "Matrix") -> "Matrix":
    """Return rows scaled to length 1. Zeros stay zeros."""
    lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    return rows / np.maximum(lengths, _TINY)
