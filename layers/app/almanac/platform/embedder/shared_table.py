"""One table for all processes that share a file. One process makes the missing rows, and the others wait."""

import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from almanac.platform.embedder.lazy_rows import LazyRows
from almanac.platform.embedder.table_file import BrokenTable, open_table, write_table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOOK_AGAIN_SECONDS = 1
_FREE = 0


def keep_table(
    rows: LazyRows, file: Path, told: Callable[[float], None], stopping: Callable[[], bool], threads: int = 1
) -> bool:
    """Complete the table in `file` and in `rows`. Return False if `stopping` returned True before the end.

    Making all rows takes 20 seconds of CPU. `told` is called with the finished share, from 0 to 1, unless another
    process makes the table. Raises OSError or sqlite3.Error if the file cannot be written. Finished rows then stay in
    `rows`.
    """
    while not stopping():
        if (whole := whole_table(file, rows.shape)) is not None:
            rows.adopt(whole)
            return True
        with _alone(file, _LOOK_AGAIN_SECONDS) as alone:
            if alone and whole_table(file, rows.shape) is None:
                return _make(rows, file, told, stopping, threads)
    return False


def share_table(rows: "NDArray[np.float16]", file: Path) -> None:
    """Copy a whole table to `file`, unless it has one or a process is making it. Raises OSError or sqlite3.Error."""
    with _alone(file, _FREE) as alone:
        if alone and whole_table(file, rows.shape) is None:
            write_table(file, rows)


def whole_table(file: Path, shape: tuple[int, ...]) -> "NDArray[np.float16] | None":
    """Open the table. None if it is unreadable, damaged, or of another version or shape."""
    try:
        rows = open_table(file)
    except (OSError, BrokenTable):
        return None
    return rows if rows.shape == shape else None


def pieces_made(file: Path, shape: tuple[int, int]) -> int:
    """Return the number of rows that are finished, by any process."""
    if whole_table(file, shape) is not None:
        return shape[0]
    with suppress(OSError, ValueError, sqlite3.Error):
        made = int(_progress(file).read_text("ascii"))
        with _alone(file, _FREE) as alone:
            # A killed process leaves its progress behind, but not its lock.
            return 0 if alone else made
    return 0


def _make(
    rows: LazyRows, file: Path, told: Callable[[float], None], stopping: Callable[[], bool], threads: int
) -> bool:
    def tell(made: int) -> None:
        _progress(file).write_text(str(made), "ascii")
        told(made / rows.shape[0])

    try:
        whole = rows.complete(tell, stopping, threads)
        if whole is not None:
            write_table(file, whole)
            told(1)
    finally:
        _progress(file).unlink(missing_ok=True)
    return whole is not None


def _progress(file: Path) -> Path:
    """Return the file in which the process that makes the table counts its rows."""
    return file.with_suffix(".progress")


@contextmanager
def _alone(file: Path, seconds: float) -> Generator[bool]:
    """Lock the table, and yield whether this process got the lock within `seconds`.

    It is a lock of SQLite, because every system releases that when a process ends, however it ends.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(sqlite3.connect(file.with_suffix(".lock"), seconds, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as busy:
            if busy.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            yield False
        else:
            yield True
