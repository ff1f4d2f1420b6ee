"""The rows of the static table. A row is the model's vector of one piece, in fewer dimensions and weighted by rarity.

The recipe is that of model2vec, but without the first principal component, which nearly all texts share. Nothing in it
is random. Mean and components of all pieces are packaged, so that each row can be made separately.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from almanac.platform.embedder.packaged_model import DIMENSIONS, NAME
from almanac.platform.embedder.safetensors import read_notes, read_tensors, write_tensors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from almanac.platform.embedder.minilm import MiniLm

    Floats = NDArray[np.float32]

AT_ONCE = 170
"""Number of pieces that are embedded together, each as a text of three with both special tokens."""

PACKAGED_BASIS = Path(__file__).with_name("static.basis")

_FIRST_WORD = 1996
"""The id of "the". From here on the vocabulary is sorted by the frequency of words.

Special tokens, punctuation and single letters come before it, and count as equally frequent.
"""

_RARE = 3e-4
"""Smooth inverse frequency (Arora et al. 2017): a word that makes up this share of all texts counts half."""


class Basis(Struct, frozen=True, eq=False):
    """The basis by which a piece's vector becomes a row: the mean of all vectors (dimensions of the model), and their
    principal components without the first (dimensions of the model x those of the table)."""

    mean: "Floats"
    components: "Floats"


class RowMaker:
    """Makes rows of any pieces of the model's vocabulary, in any order; threads may share one."""

    def __init__(self, minilm: "MiniLm", basis: Basis) -> None:
        self._minilm = minilm
        self._basis = basis
        self._weights = _weights(len(minilm.words))
        self.shape = len(minilm.words), basis.components.shape[1]
        """Shape of the whole table."""

    def rows(self, pieces: Sequence[int]) -> "NDArray[np.float16]":
        """Make the rows of pieces, pieces x dimensions. It is fastest with `AT_ONCE` pieces.

        The length of a row is the weight of its piece times the piece's distance from the mean.
        """
        made = (_vectors(self._minilm, pieces) - self._basis.mean) @ self._basis.components
        made *= self._weights[np.asarray(pieces, np.intp)][:, None]
        return made.astype(np.float16)


def vectors_of_pieces(minilm: "MiniLm", count: int) -> "Iterator[Floats]":
    """Yield the mean last hidden states of the first `count` pieces, in order, some rows at a time."""
    for start in range(0, count, AT_ONCE):
        yield _vectors(minilm, range(start, min(count, start + AT_ONCE)))


def basis_of(vectors: "Floats", dimensions: int = DIMENSIONS) -> Basis:
    """Compute the basis from the vectors of all pieces."""
    mean = vectors.mean(axis=0)
    return Basis(mean, _components(vectors - mean)[:, 1 : 1 + dimensions])


def write_basis(file: Path, basis: Basis) -> None:
    with file.open("wb") as out:
        tensors = {name: getattr(basis, name).astype(np.float16) for name in basis.__struct_fields__}
        write_tensors(out, tensors, {"name": NAME})


def read_basis(file: Path = PACKAGED_BASIS) -> Basis:
    """Read the packaged basis. Raises OSError, or ValueError for a file of another format or version."""
    if read_notes(file).get("name") != NAME:
        raise ValueError(f"{file} is not the basis of {NAME}.")
    return Basis(**{name: tensor.astype(np.float32) for name, tensor in read_tensors(file).items()})


def _vectors(minilm: "MiniLm", pieces: Sequence[int]) -> "Floats":
    return np.mean(minilm.states([[int(piece)] for piece in pieces]), axis=1)


def _components(centred: "Floats") -> "Floats":
    """Return the principal components, dimensions x components, the largest first."""
    _, components = np.linalg.eigh((centred.T @ centred).astype(np.float64))
    components = components[:, ::-1]
    # The sign of a component is arbitrary. Its largest coordinate is made positive, so that all machines agree.
    largest = np.take_along_axis(components, np.abs(components).argmax(axis=0)[None], axis=0)
    return (components * np.sign(largest)).astype(np.float32)


def _weights(count: int) -> "Floats":
    """Return the weights of words, by Zipf's law: a word's share of all texts falls as one over its rank."""
    uses = 1 / (np.maximum(np.arange(count) - _FIRST_WORD, 0) + 2)
    return (_RARE / (_RARE + uses / max(uses[_FIRST_WORD:].sum(), uses[0]))).astype(np.float32)
