"""BM25, plain and with neighbours counted in."""

import numpy as np
from msgspec import Struct

from almanac.search.frame import Field, FieldStatistics, Frame, Matrix, Vector
from almanac.search.port import Profile
from almanac.search.ranking.sessions import damping, fading, pairs_within

KERNEL_REACH = 6
_TELLING = 50
"""Documents."""
_TINY = np.float32(1e-9)
KERNEL_BEFORE = fading(0.5, 0.8, KERNEL_REACH)
KERNEL_AFTER = fading(0.5, 0.7, KERNEL_REACH)


def idf(frequencies: Vector, documents: int) -> Vector:
    """The weight of each term: Lucene's, which is never negative. Few documents do not tell how common a word is: of
    three, a word of one would be common, and whatever none of them has would outweigh it."""
    known = np.minimum(frequencies, documents)
    documents = max(documents, _TELLING)
    return np.log1p((documents - known + 0.5) / (known + 0.5)).astype(np.float32)


class Saturation(Struct, frozen=True):
    """The constants of BM25: the larger `k1`, the more a word counts that comes again; the larger `b`, the less in a
    long text."""

    k1: float
    b: float


_DOCUMENTS = Saturation(k1=1.2, b=0.75)
_CODE = Saturation(k1=2, b=0.9)
"""Saturation for code. Repeated words and the length of a document count more in code than in prose."""


def saturation_of(profile: Profile) -> Saturation:
    """Return the BM25 saturation for documents or code."""
    return _CODE if profile == "code" else _DOCUMENTS


def product(matrix: Matrix, factors: Vector) -> Vector:
    """The matrix product of numbers that are all finite.

    numpy asks the processor afterwards whether anything overflowed, and some libraries of linear algebra leave such
    flags behind where nothing did (numpy's issues 24067 and 28687). So no product warns here: a number that is not
    finite shows in the result.
    """
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return matrix @ factors


def bm25(field: Field, statistics: FieldStatistics, documents: int, saturation: Saturation) -> Vector:
    """A score for each row; 0 where it has no term of the question."""
    weights = idf(statistics.frequencies, documents)
    return product(_saturated(field.tf, field.length, statistics.length, saturation), weights)


KERNEL = Saturation(k1=1.2, b=0.9)


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
    return product(_saturated(tf, length, mean, KERNEL), idf(statistics.frequencies, frame.documents))


def _growth(plain: Vector, kernel: Vector) -> float:
    """Return how much longer rows are with their neighbours counted in, by this frame, for an index that does not know
    it."""
    total = float(plain.sum())
    return float(kernel.sum()) / total if total else 1.0


def _saturated(tf: Matrix, length: Vector, mean: float, saturation: Saturation) -> Matrix:
    b = saturation.b
    norm: Vector = np.float32(saturation.k1) * (np.float32(1 - b) + length * np.float32(b / (mean or 1)))
    return np.divide(tf, np.maximum(tf + norm[:, None], _TINY), dtype=np.float32)
