"""Rows of a static table as pieces are compared: of length 1, in single precision."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from almanac.platform.search.frame import Matrix

_TINY = np.float32(1e-9)


class UnitRows:
    """Each row is made when it is first asked for; all of 30,522 x 256 take 31 MB, most texts need a tenth of them.

    Threads may make a row twice, but never see one that is not made.
    """

    def __init__(self, table: "NDArray[np.float16 | np.float32]") -> None:
        self._table = table
        self._rows = np.empty(table.shape, dtype=np.float32)
        self._made = np.zeros(len(table), dtype=np.bool_)

    def __len__(self) -> int:
        return len(self._table)

    def of(self, pieces: "NDArray[np.intp]") -> "Matrix":
        """pieces x dimensions."""
        lacking = pieces[~self._made[pieces]]
        if len(lacking):
            self._rows[lacking] = unit(self._table[lacking].astype(np.float32))
            self._made[lacking] = True
        return self._rows[pieces]


def unit(rows: "Matrix") -> "Matrix":
    """Rows of length 1; zeros stay zeros."""
    lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    return rows / np.maximum(lengths, _TINY)
