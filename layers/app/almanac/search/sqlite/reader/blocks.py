"""Arrays by place in blocks of 1,024. Successive states of a collection share the blocks that did not change."""

from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from almanac.search.sqlite.files.schema import BLOCK_BITS

BLOCK = 1 << BLOCK_BITS

Places: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]
N = TypeVar("N", np.int8, np.float32)


def grown(blocks: list[NDArray[N]], blank: NDArray[N], size: int) -> list[NDArray[N]]:
    """Return the blocks, extended to hold at least `size` places; new ones are copies of `blank`."""
    return blocks + [blank.copy() for _ in range(-(-size // BLOCK) - len(blocks))]


def put(blocks: list[NDArray[N]], places: Places, rows: NDArray[N]) -> None:
    """Put a row at each of `places`, which ascend. Each changed block is copied first."""
    for at, (first, last) in enumerate(_spans(blocks, places)):
        if first < last:
            blocks[at] = blocks[at].copy()
            blocks[at][places[first:last] % BLOCK] = rows[first:last]


def put_columns(blocks: list[NDArray[N]], places: Places, rows: NDArray[N]) -> None:
    """Do the same as `put` for blocks that have a place in each column."""
    for at, (first, last) in enumerate(_spans(blocks, places)):
        if first < last:
            blocks[at] = blocks[at].copy()
            blocks[at][:, places[first:last] % BLOCK] = rows[first:last].T


def rows_at(blocks: list[NDArray[N]], places: Places) -> NDArray[N]:
    """Return the rows at `places`, which ascend."""
    rows = np.empty((len(places), *blocks[0].shape[1:]), blocks[0].dtype)
    inside = places % BLOCK
    for block, (first, last) in zip(blocks, _spans(blocks, places), strict=True):
        if first < last:
            # With mode "clip" numpy writes directly into `out`. No place is out of range.
            block.take(inside[first:last], 0, rows[first:last], "clip")
    return rows


def _spans(blocks: list[NDArray[N]], places: Places) -> list[tuple[int, int]]:
    """Return the begin and end of each block's places."""
    edges: list[int] = np.searchsorted(places, np.arange(len(blocks) + 1) << BLOCK_BITS).tolist()
    return list(pairwise(edges))
