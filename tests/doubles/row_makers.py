"""A maker of rows that needs no model and waits when a test wants it to."""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from almanac.platform.embedder.packaged_model import DIMENSIONS


def _do_nothing(_: Sequence[int]) -> None:
    """Let the maker go on at once."""


class FakeRowMaker:
    """Makes rows that repeat the piece's id.

    `requests` records the pieces of each call. `before` is called with them first, and may block.
    """

    def __init__(self, count: int, before: Callable[[Sequence[int]], None] = _do_nothing) -> None:
        self.shape = count, DIMENSIONS
        self.requests: list[list[int]] = []
        self._before = before

    def rows(self, pieces: Sequence[int]) -> NDArray[np.float16]:
        self._before(pieces)
        self.requests.append(list(pieces))
        return np.repeat(np.asarray(pieces, np.float16)[:, None], DIMENSIONS, axis=1)


def whole_table(count: int) -> NDArray[np.float16]:
    """Return the table of all rows."""
    return FakeRowMaker(count).rows(range(count))
