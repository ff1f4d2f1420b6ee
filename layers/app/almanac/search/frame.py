"""Frames, which an index returns for ranking: rows of documents with their values, and statistics of the corpus."""

from typing import TypeAlias

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float32]
Matrix: TypeAlias = NDArray[np.float32]


class Field(Struct, frozen=True, kw_only=True):
    """A field of every row. `tf` counts each term of the question (rows x terms), `length` all index terms.

    `pieces` has each row's first word pieces (uint16), at most 256, and `kept` the number of pieces of the whole text.
    `bits` are the context bits of these pieces (pieces x 48 uint8), None if there are none yet. `similarity` is the
    cosine of the question's vector and the row's, and `context` the cosine of their context vectors. Both are nan if a
    vector is missing, or if the index does not return them for a neighbour.
    """

    tf: Matrix
    length: Vector
    pieces: list[NDArray[np.uint16]]
    kept: Vector
    bits: list[NDArray[np.uint8] | None]
    similarity: Vector
    context: Vector


class FieldStatistics(Struct, frozen=True, kw_only=True):
    """Statistics of a field over the whole corpus. `frequencies` is the number of documents with each term of the
    question.

    `length` is the mean length in index terms, of documents that have any. `kernel_length` is the mean with neighbours
    counted in, None if the index does not know it.
    """

    frequencies: Vector
    length: float
    kernel_length: float | None = None


class Frame(Struct, frozen=True, kw_only=True):
    """Rows in the order of session and position: candidates, and the neighbours that help to score them.

    `session` numbers the sessions of the frame from 0. A row without a session has a number of its own. `candidates`
    marks the rows that may become hits. `documents` is the size of the corpus. `names` and `asks` are those of `Entry`.
    """

    ids: list[str]
    kinds: list[str]
    versions: list[int]
    session: NDArray[np.int32]
    sessions: list[str]
    position: NDArray[np.int64]
    candidates: NDArray[np.bool_]
    at: NDArray[np.int64]
    roles: list[str]
    speakers: list[str]
    asks: NDArray[np.bool_]
    names: Vector
    title: Field
    text: Field
    documents: int
    title_statistics: FieldStatistics
    text_statistics: FieldStatistics
