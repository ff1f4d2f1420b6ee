"""The rows of the static table: what the model makes of each piece alone, in fewer dimensions, rare pieces heavier.

The recipe is that of model2vec, but for the first principal component, which is left out: nearly all texts share it.
Nothing in it is random.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from almanac.platform.embedder.table_file import DIMENSIONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from almanac.platform.embedder.minilm import MiniLm

_AT_ONCE = 170
"""Pieces whose texts of three, with both specials, are embedded together."""

_FIRST_WORD = 1996
"""The id of "the". From here on the vocabulary is sorted by how often words are used; before it are specials, signs and
single letters, which count as used as much."""

_RARE = 3e-4
"""Smooth inverse frequency (Arora et al. 2017): a word that makes up this share of all texts counts half."""


def vectors_of_pieces(minilm: "MiniLm", count: int) -> "Iterator[NDArray[np.float32]]":
    """The mean of the last hidden states of each of the first `count` pieces; some rows at a time, in order."""
    for start in range(0, count, _AT_ONCE):
        texts = [[piece] for piece in range(start, min(count, start + _AT_ONCE))]
        yield np.mean(minilm.states(texts), axis=1)


def rows_of(vectors: "NDArray[np.float32]", dimensions: int = DIMENSIONS) -> "NDArray[np.float16]":
    """Pieces x `dimensions`. Row lengths are the weights of the pieces times how far they are from the mean."""
    centred = vectors - vectors.mean(axis=0)
    rows = centred @ _components(centred)[:, 1 : 1 + dimensions]
    rows *= _weights(len(rows))[:, None]
    return rows.astype(np.float16)


def _components(centred: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Principal components, dimensions x components, the largest first."""
    _, components = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    components = components[:, ::-1]
    # Each may point either way; so that two machines make the same table, its largest coordinate is positive.
    largest = np.take_along_axis(components, np.abs(components).argmax(axis=0)[None], axis=0)
    return (components * np.sign(largest)).astype(np.float32)


def _weights(count: int) -> "NDArray[np.float32]":
    """By Zipf's law, a word's share of all texts goes down as one by its rank."""
    uses = 1 / (np.maximum(np.arange(count) - _FIRST_WORD, 0) + 2)
    return (_RARE / (_RARE + uses / max(uses[_FIRST_WORD:].sum(), uses[0]))).astype(np.float32)
