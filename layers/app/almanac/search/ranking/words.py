"""BM25, both plain and with the words of neighbours counted in."""

import numpy as np
from msgspec import Struct

from almanac.search.frame import Field, FieldStatistics, Frame, Matrix, Vector
from almanac.search.port import Profile
from almanac.search.ranking.sessions import distance_weights, length_weights, pairs_within

KERNEL_REACH = 6
_TELLING = 50
"""Number of documents below which frequencies say too little. `idf` treats a smaller corpus as this large."""
_TINY = np.float32(1e-9)
KERNEL_BEFORE = distance_weights(0.5, 0.8, KERNEL_REACH)
KERNEL_AFTER = distance_weights(0.5, 0.7, KERNEL_REACH)


def idf(frequencies: Vector, documents: int) -> Vector:
    """Return the weight of each term, by Lucene's formula, which is never negative.

    A small corpus does not show how common a word is. In a corpus of three documents, a word of one document would
    count as common, and a word of none would outweigh it.
    """
    known = np.minimum(frequencies, documents)
    documents = max(documents, _TELLING)
    return np.log1p((documents - known + 0.5) / (known + 0.5)).astype(np.float32)


class Saturation(Struct, frozen=True):
    """Constants of BM25. With a larger `k1` repeated words count more, and with a larger `b` words in long texts count
    less."""

    k1: float
    b: float


_DOCUMENTS = Saturation(k1=1.2, b=0.75)
_CODE = Saturation(k1=2, b=0.9)
"""Saturation for code. Repeated words and the length of a document count more in code than in prose."""


def saturation_of(profile: Profile) -> Saturation:
    """Return the BM25 saturation for documents or code."""
    return _CODE if profile == "code" else _DOCUMENTS


def product(matrix: Matrix, factors: Vector) -> Vector:
    """Return the matrix product of finite numbers, without warnings.

    numpy checks the processor's flags for an overflow afterwards, and some linear algebra libraries leave such flags
    set where nothing overflowed (numpy's issues 24067 and 28687). A number that is not finite still shows in the
    result.
    """
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return matrix @ factors


def bm25(field: Field, statistics: FieldStatistics, documents: int, saturation: Saturation) -> Vector:
    """Return the BM25 score of each row. It is 0 for a row without a term of the question."""
    weights = idf(statistics.frequencies, documents)
    return product(_saturate(field.tf, field.length, statistics.length, saturation), weights)


KERNEL = Saturation(k1=1.2, b=0.9)


def kernel_bm25(frame: Frame) -> Vector:
    """Return the BM25 score of each text, counting the words of neighbours too. Distant and long neighbours count
    less."""
    text, statistics = frame.text, frame.text_statistics
    counted = length_weights(text.length)
    tf, length = text.tf.copy(), text.length.copy()
    for pairs in pairs_within(frame, KERNEL_REACH):
        before = KERNEL_BEFORE[pairs.distance] * counted[pairs.earlier]
        after = KERNEL_AFTER[pairs.distance] * counted[pairs.later]
        tf[pairs.later] += before[:, None] * text.tf[pairs.earlier]
        tf[pairs.earlier] += after[:, None] * text.tf[pairs.later]
        length[pairs.later] += before * text.length[pairs.earlier]
        length[pairs.earlier] += after * text.length[pairs.later]
    mean = statistics.kernel_length or statistics.length * _growth(text.length, length)
    return product(_saturate(tf, length, mean, KERNEL), idf(statistics.frequencies, frame.documents))


def _growth(plain: Vector, kernel: Vector) -> float:
    """Return the factor by which rows are longer with their neighbours counted in. It is measured in this frame, for an
    index that does not know it."""
    total = float(plain.sum())
    return float(kernel.sum()) / total if total else 1.0


def _saturate(tf: Matrix, length: Vector, mean: float, saturation: Saturation) -> Matrix:
    b = saturation.b
    norm: Vector = np.float32(saturation.k1) * (np.float32(1 - b) + length * np.float32(b / (mean or 1)))
    return np.divide(tf, np.maximum(tf + norm[:, None], _TINY), dtype=np.float32)
