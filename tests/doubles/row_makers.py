"""A maker of rows that needs no model, and is told when to go on."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from almanac.platform.embedder.packaged_model import DIMENSIONS


def _at_once(_: Sequence[int]) -> None:
    """Nothing is waited for."""


class CountingRows:
    """The row of a piece has its id everywhere. `asked` are the pieces of each making; `before` is called with them."""

    def __init__(self, count: int, before: Callable[[Sequence[int]], None] = _at_once) -> None:
        self.shape = count, DIMENSIONS
        self.asked: list[list[int]] = []
        self._before = before

    def rows(self, pieces: Sequence[int]) -> NDArray[np.float16]:
        self._before(pieces)
        self.asked.append(list(pieces))
        return np.repeat(np.asarray(pieces, np.float16)[:, None], DIMENSIONS, axis=1)


def counting_table(count: int) -> NDArray[np.float16]:
    """What all of them come to."""
    return CountingRows(count).rows(range(count))
