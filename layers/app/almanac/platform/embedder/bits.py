"""Hidden states as sign bits. A bit for each dimension is nearly as good as a float, in 48 bytes a piece."""

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PIECES_AT_ONCE = 512
"""Pieces that are unpacked at a time.

Unpacked bits are 32 times as large, and should fit into the processor's cache.
"""


def bits_of(states: "NDArray[np.float32]") -> "NDArray[np.uint8]":
    """Return the signs of states as pieces x dimensions/8 bytes. Bits are set where a number is not negative.

    The first dimension is in the highest bit of a byte.
    """
    return np.packbits(states >= 0, axis=-1)


def bit_similarity(question: "NDArray[np.float32]", bits: "NDArray[np.uint8]") -> "NDArray[np.float32]":
    """Estimate the cosines, m x n, of a question's pieces (m x dimensions, floats) and n pieces given as `bits`.

    `bits` are n x dimensions/8. Each counts as a vector of +1 and -1. A question's piece of zeros has the cosine 0.
    """
    question = _normalize(question)
    found = np.empty((len(question), len(bits)), np.float32)
    for at in range(0, len(bits), _PIECES_AT_ONCE):
        positive = np.unpackbits(bits[at : at + _PIECES_AT_ONCE], axis=-1).astype(np.float32)
        np.matmul(question, positive.T, out=found[:, at : at + _PIECES_AT_ONCE])
    found *= 2
    found -= question.sum(axis=-1, keepdims=True)
    found /= math.sqrt(question.shape[-1])
    return found


def _normalize(vectors: "NDArray[np.float32]") -> "NDArray[np.float32]":
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
