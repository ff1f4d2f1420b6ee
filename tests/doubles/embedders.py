"""Embedders that need no weights: a piece is a word, or a half of a long one, and its vector follows from its text."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from almanac.platform.embedder.port import MOST_PIECES, TextReading

_WORD = re.compile(r"[^\W_]+|[^\w\s]|_")
_SYNONYMS = {"automobile": "car", "physician": "doctor", "begin": "start"}
_HALF = 10


class WordEmbedder:
    """A table of vectors for the words of `texts`. Pieces that `_SYNONYMS` pairs have nearly the same vector."""

    name = "words-of-tests"
    dimensions = 32

    def __init__(self, texts: Iterable[str]) -> None:
        self.words = ["[UNK]", *dict.fromkeys(piece for text in texts for piece in _pieces(text))]
        self._ids = {piece: number for number, piece in enumerate(self.words)}

    def pieces(self, text: str) -> list[int]:
        return [self._ids.get(piece, 0) for piece in _pieces(text)]

    def rows(self, pieces: NDArray[np.intp]) -> NDArray[np.float32]:
        return np.stack([vector_of(self.words[piece], self.dimensions) for piece in map(int, pieces)])

    def has(self, pieces: NDArray[np.intp]) -> NDArray[np.bool_]:
        return np.ones(len(pieces), np.bool_)

    def vector(self, pieces: "Sequence[int] | NDArray[np.integer[Any]]") -> NDArray[np.float32]:
        if not len(pieces):
            return np.zeros(self.dimensions, dtype=np.float32)
        return _unit(self.rows(np.asarray(pieces, np.intp)).mean(axis=0))


class StateEmbedder:
    """A model over a `WordEmbedder`. The state of a piece is its vector plus a tenth of the vector before it."""

    name = "states-of-tests"

    def __init__(self, static: WordEmbedder) -> None:
        self._static = static

    def embed(self, texts: Sequence[str]) -> list[TextReading]:
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> TextReading:
        pieces = self._static.pieces(text)[:MOST_PIECES]
        if not pieces:
            return TextReading(np.zeros(384, dtype=np.float32), [], np.zeros((0, 384), dtype=np.float32))
        states = np.stack([vector_of(self._static.words[piece], 384) for piece in pieces])
        states[1:] += np.float32(0.1) * states[:-1]
        return TextReading(_unit(states.mean(axis=0)), pieces, states)


@cache
def vector_of(word: str, dimensions: int) -> NDArray[np.float32]:
    root = _SYNONYMS.get(word, word)
    shared = np.random.default_rng(crc32(root.encode())).standard_normal(dimensions)
    own = np.random.default_rng(crc32(word.encode()) + 1).standard_normal(dimensions)
    return _unit((shared + 0.2 * own).astype(np.float32))


def _pieces(text: str) -> list[str]:
    return [piece for word in _WORD.findall(text.lower()) for piece in _halves(word)]


def _halves(word: str) -> list[str]:
    return [word] if len(word) <= _HALF else [word[:_HALF], f"##{word[_HALF:]}"]


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    length = np.sqrt(np.square(vector).sum())
    return vector / length if length else vector
