"""A table and a model of five words, in place of the real embedders."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from almanac.platform.embedder.port import TextReading

WORDS = ("[UNK]", "boat", "car", "yellow", "green")


class Table:
    """A vector for each word, all at right angles. Words whose ids are in `lacking` have none."""

    name = "five words/1"
    dimensions = len(WORDS)
    words = WORDS

    def __init__(self, lacking: frozenset[int] = frozenset()) -> None:
        self.lacking = lacking

    def pieces(self, text: str) -> list[int]:
        return [WORDS.index(word) if word in WORDS else 0 for word in text.lower().split()]

    def rows(self, pieces: NDArray[np.intp]) -> NDArray[np.float32]:
        return np.eye(len(WORDS), dtype=np.float32)[pieces]

    def has(self, pieces: NDArray[np.intp]) -> NDArray[np.bool_]:
        return np.array([piece not in self.lacking for piece in map(int, pieces)], np.bool_)

    def vector(self, pieces: "Sequence[int] | NDArray[np.integer[Any]]") -> NDArray[np.float32]:
        total = self.rows(np.asarray(pieces, np.intp)).sum(axis=0)
        length = np.linalg.norm(total)
        return (total / length if length else total).astype(np.float32)


class Model:
    """A model whose state of a piece is that piece's own direction. `texts_read` counts the texts."""

    name = "five words in context/1"

    def __init__(self) -> None:
        self.texts_read = 0

    def embed(self, texts: Sequence[str]) -> list[TextReading]:
        self.texts_read += len(texts)
        return [self._embed(Table().pieces(text)) for text in texts]

    def _embed(self, pieces: list[int]) -> TextReading:
        states = np.zeros((len(pieces), 384), dtype=np.float32)
        states[range(len(pieces)), pieces] = 1
        pooled = states.sum(axis=0)
        length = np.linalg.norm(pooled)
        return TextReading((pooled / length if length else pooled).astype(np.float32), pieces, states)
