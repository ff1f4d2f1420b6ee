"""The table is made once for all processes that share a file: one of them makes it, the others wait for it."""

import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from almanac.platform.embedder.minilm import MiniLm
from almanac.platform.embedder.opening import open_minilm
from almanac.platform.embedder.table_file import BrokenTable, open_table, write_table
from almanac.platform.embedder.table_rows import rows_of, vectors_of_pieces

_LOOK_AGAIN_SECONDS = 1


def make_table(
    model: Path, file: Path, told: Callable[[float], None], stopping: Callable[[], bool], count: int | None = None
) -> bool:
    """Sees to it that a whole table is in `file`; half a minute of one core where it is made here. False where
    `stopping` said so before.

    `model` is the folder with the vocabulary and the weights; `told` hears the share that is done, from 0 to 1;
    `count` takes the first pieces alone.
    """
    while not stopping():
        if is_whole(file):
            return True
        with _alone(file) as alone:
            if alone and not is_whole(file):
                return _make(open_minilm(model), file, told, stopping, count)
    return False


def is_whole(file: Path) -> bool:
    try:
        open_table(file)
    except (FileNotFoundError, BrokenTable):
        return False
    return True


def _make(
    minilm: MiniLm, file: Path, told: Callable[[float], None], stopping: Callable[[], bool], count: int | None
) -> bool:
    count = count or len(minilm.words)
    vectors: list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]] = []
    done = 0
    for some in vectors_of_pieces(minilm, count):
        told(done / count)
        if stopping():
            return False
        vectors.append(some)
        done += len(some)
    write_table(file, rows_of(np.concatenate(vectors)))
    told(1)
    return True


@contextmanager
def _alone(file: Path) -> Generator[bool]:
    """Whether no other process is at it, and none will be in the block; waits a second for those that are.

    SQLite's lock, because every system gives that back when a process ends, however it ends.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file.with_suffix(".lock"), _LOOK_AGAIN_SECONDS, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as busy:
            if busy.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            yield False
        else:
            yield True
