"""Selection of the greatest of many scores, without sorting or moving all of them."""

import numpy as np

from almanac.search.frame import Vector
from almanac.search.sqlite.reader.blocks import Places

_SAMPLE = 8192
_SPARE = 8


def best(scores: Vector, size: int) -> Places:
    """Return the places of the `size` greatest values, in no order, or of all if there are fewer. No value may be
    nan."""
    if len(scores) <= size:
        return np.arange(len(scores))
    places = _surely(scores, size)
    return places[np.argpartition(-scores[places], size - 1)[:size]] if len(places) > size else places


def _surely(scores: Vector, size: int) -> Places:
    """Return at least `size` places, among them those of the greatest scores.

    The score of the best `2 * size` is estimated from a sample.
    """
    step = len(scores) // _SAMPLE
    wanted = 2 * size // step + _SPARE if step else _SAMPLE
    if wanted < _SAMPLE:
        sample = scores[::step]
        least = np.partition(sample, -wanted)[-wanted]
        places = np.flatnonzero(scores >= least)
        if len(places) >= size:
            return places
    return np.arange(len(scores))
