"""BM25, plain and with neighbours counted in."""

import numpy as np

from almanac.platform.search.frame import Field, FieldStatistics, Frame, Matrix, Vector
from almanac.platform.search.ranking.sessions import damping, fading, pairs_within

K1 = 1.2
KERNEL_REACH = 6
KERNEL_B = 0.9
_TINY = np.float32(1e-9)
KERNEL_BEFORE = fading(0.5, 0.8, KERNEL_REACH)
KERNEL_AFTER = fading(0.5, 0.7, KERNEL_REACH)


def idf(frequencies: Vector, documents: int) -> Vector:
    """The weight of each term: Lucene's, which is never negative."""
    known = np.minimum(frequencies, documents)
    return np.log1p((documents - known + 0.5) / (known + 0.5)).astype(np.float32)


def bm25(field: Field, statistics: FieldStatistics, documents: int, b: float) -> Vector:
    """A score for each row; 0 where it has no term of the question."""
    weights = idf(statistics.frequencies, documents)
    return _saturated(field.tf, field.length, statistics.length, b) @ weights


def kernel_bm25(frame: Frame) -> Vector:
    """BM25 of the texts, in which each row has its neighbours' words too, fewer the farther and the longer they are."""
    text, statistics = frame.text, frame.text_statistics
    counted = damping(text.length)
    tf, length = text.tf.copy(), text.length.copy()
    for pairs in pairs_within(frame, KERNEL_REACH):
        before = KERNEL_BEFORE[pairs.distance] * counted[pairs.earlier]
        after = KERNEL_AFTER[pairs.distance] * counted[pairs.later]
        tf[pairs.later] += before[:, None] * text.tf[pairs.earlier]
        tf[pairs.earlier] += after[:, None] * text.tf[pairs.later]
        length[pairs.later] += before * text.length[pairs.earlier]
        length[pairs.earlier] += after * text.length[pairs.later]
    mean = statistics.kernel_length or statistics.length * _growth(text.length, length)
    return _saturated(tf, length, mean, KERNEL_B) @ idf(statistics.frequencies, frame.documents)


def _growth(plain: Vector, kernel: Vector) -> float:
    """How much longer rows are with their neighbours counted in: as it is in the frame, where nobody knows better."""
    total = float(plain.sum())
    return float(kernel.sum()) / total if total else 1.0


def _saturated(tf: Matrix, length: Vector, mean: float, b: float) -> Matrix:
    norm: Vector = np.float32(K1) * (np.float32(1 - b) + length * np.float32(b / (mean or 1)))
    return np.divide(tf, np.maximum(tf + norm[:, None], _TINY), dtype=np.float32)
