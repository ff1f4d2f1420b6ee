"""Scores of all legs made of the parts of each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from almanac.platform.search.frame import Vector
from almanac.platform.search.port import Fusion, Leg
from almanac.platform.search.ranking.parts import Judged, total

if TYPE_CHECKING:
    from numpy.typing import NDArray

_RANK_OFFSET = 60


def fused(judged: Judged, legs: Sequence[Leg], fusion: Fusion) -> Vector:
    """The score of each row; -inf for those that none of `legs` finds."""
    found = np.logical_or.reduce([_finds(judged, leg) for leg in legs], axis=0)
    if fusion == "rrf":
        scores = sum(_reciprocal_ranks(_says(judged, leg)) * _finds(judged, leg) for leg in legs)
    else:
        scores = total((part for part in judged.parts if part.leg is None or part.leg in legs), len(judged.rows))
    return np.where(found, scores, -np.inf)


def _says(judged: Judged, leg: Leg) -> Vector:
    return total((part for part in judged.parts if part.leg == leg), len(judged.rows))


def _finds(judged: Judged, leg: Leg) -> "NDArray[np.bool_]":
    """Words find what has some of them; meaning puts all that there is in an order."""
    if leg == "words":
        return _says(judged, leg) > 0
    return np.full(len(judged.rows), any(part.leg == leg for part in judged.parts))


def _reciprocal_ranks(scores: Vector) -> Vector:
    """Equal scores have equal ranks."""
    ranks = np.searchsorted(np.sort(-scores), -scores) + 1
    return np.reciprocal((_RANK_OFFSET + ranks).astype(np.float32))
