"""Signs of hidden states: a bit for each dimension says nearly what the float says, in 48 bytes a piece."""

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PIECES_AT_ONCE = 512
"""Unpacked, they are 32 times as large: so many stay in the processor's cache."""


def bits_of(states: "NDArray[np.float32]") -> "NDArray[np.uint8]":
    """Pieces x dimensions/8: the signs, eight to a byte, the first in the highest bit; set where not negative."""
    return np.packbits(states >= 0, axis=-1)


def bit_similarity(question: "NDArray[np.float32]", bits: "NDArray[np.uint8]") -> "NDArray[np.float32]":
    """Estimated cosines, m x n, of a question's pieces (m x dimensions, floats) and the pieces whose signs `bits` are
    (n x dimensions/8).

    The question's side stays float. The cosine is the one with the vector of +1 and -1; zeros are like nothing.
    """
    question = _normalised(question)
    found = np.empty((len(question), len(bits)), np.float32)
    for at in range(0, len(bits), _PIECES_AT_ONCE):
        positive = np.unpackbits(bits[at : at + _PIECES_AT_ONCE], axis=-1).astype(np.float32)
        np.matmul(question, positive.T, out=found[:, at : at + _PIECES_AT_ONCE])
    found *= 2
    found -= question.sum(axis=-1, keepdims=True)
    found /= math.sqrt(question.shape[-1])
    return found


def _normalised(vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
