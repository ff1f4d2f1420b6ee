"""The static embedder, which has a row for each word piece. The vector of a text is the mean of its rows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from almanac.platform.embedder.lazy_rows import LazyRows
    from almanac.platform.embedder.word_pieces import WordPieces

_MANY = 1000
"""Number of pieces up to which counting them takes longer than reading all their rows."""


class StaticTable:
    """`StaticEmbedder` over `rows`, pieces x dimensions in half precision.

    They are from a file, or made when needed.
    """

    def __init__(self, name: str, rows: "NDArray[np.float16] | LazyRows", word_pieces: "WordPieces") -> None:
        self.name = name
        self.dimensions = rows.shape[1]
        self.words = word_pieces.words
        self.pieces = word_pieces.pieces
        self._rows = rows
        self._singles = np.empty(rows.shape, np.float32)
        self._read = np.zeros(len(word_pieces.words), np.bool_)

    def rows(self, pieces: "NDArray[np.intp]") -> "NDArray[np.float16]":
        return self._rows[pieces]

    def has(self, pieces: "NDArray[np.intp]") -> "NDArray[np.bool_]":
        return np.ones(len(pieces), np.bool_) if isinstance(self._rows, np.ndarray) else self._rows.has(pieces)

    def vector(self, pieces: "Sequence[int] | NDArray[np.integer[Any]]") -> "NDArray[np.float32]":
        total = self._total(pieces)
        length = np.sqrt(total @ total)
        return np.divide(total, length, out=total) if length > 0 else np.zeros_like(total)

    def _total(self, pieces: "Sequence[int] | NDArray[np.integer[Any]]") -> "NDArray[np.float32]":
        ids = np.asarray(pieces, np.intp)
        if len(ids) <= _MANY:
            return np.add.reduce(self._single(ids), axis=0)
        # Each row is read once, however often its piece occurs, so no text needs more memory than the table.
        ids, counts = np.unique(ids, return_counts=True)
        return counts.astype(np.float32) @ self._rows[ids].astype(np.float32)

    def _single(self, ids: "NDArray[np.intp]") -> "NDArray[np.float32]":
        """Return the rows in single precision. Conversions are cached, because they take longer than the sum.

        Threads may convert a row twice, but never see an unconverted one.
        """
        lacking = ids[~self._read[ids]]
        if len(lacking):
            self._singles[lacking] = self._rows[lacking]
            self._read[lacking] = True
        return self._singles[ids]
