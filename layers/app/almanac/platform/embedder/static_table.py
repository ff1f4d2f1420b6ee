"""The static embedder: a row for each word piece, and the mean of the rows for a text."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from almanac.platform.embedder.word_pieces import WordPieces

_MANY = 1000
"""Pieces; with fewer, it takes longer to count them than to read their rows."""


class StaticTable:
    """Over `rows`, pieces x dimensions in half precision, mapped from a file or made just now."""

    def __init__(self, name: str, rows: "NDArray[np.float16]", word_pieces: "WordPieces") -> None:
        self.name = name
        self.dimensions = rows.shape[1]
        self.words = word_pieces.words
        self.pieces = word_pieces.pieces
        self._rows = rows

    def table(self) -> "NDArray[np.float16]":
        return self._rows

    def vector(self, pieces: Sequence[int]) -> "NDArray[np.float32]":
        total = self._total(pieces)
        length = np.sqrt(total @ total)
        return np.divide(total, length, out=total) if length > 0 else np.zeros_like(total)

    def _total(self, pieces: Sequence[int]) -> "NDArray[np.float32]":
        ids = np.asarray(pieces, np.intp)
        if len(ids) <= _MANY:
            return self._rows[ids].sum(axis=0, dtype=np.float32)
        # Each row is read once, however often its piece is there: no text needs more memory than the table.
        ids, counts = np.unique(ids, return_counts=True)
        return counts.astype(np.float32) @ self._rows[ids].astype(np.float32)
