"""One file of an index, as one process has it open."""

import os
import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from almanac.kernel.errors import Unavailable
from almanac.platform.store.sqlite.connections import BUSY_SECONDS, Connections
from almanac.search.sqlite.files.schema import connect

_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_MISMATCH}
_WRITING_CACHE = "PRAGMA cache_size=-64000"
"""SQLite's cache for writing, in kB. Large writes read all postings repeatedly; a process has only one or two such
connections."""
_WHOLE = "SELECT value FROM facts WHERE name = 'whole'"
_NOW_WHOLE = "INSERT OR REPLACE INTO facts VALUES ('whole', 1)"


_INCREMENTAL = 2
_PAGES_AT_ONCE = 256
_SPARE_PAGES = 8
"""Number of free pages that are not worth giving back."""
_MOST_WRITTEN_AGAIN = 32_768
"""Largest number of used pages with which a file is rewritten, 128 MB."""


class DamagedFile(Exception):
    """The file cannot be used any more, because it is gone or its contents make no sense."""


@contextmanager
def damage_as_error(of: str) -> Generator[None]:
    """Raise DamagedFile if code in this context cannot decode stored values. They are then not as they were written."""
    try:
        yield
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        raise DamagedFile(f"{of} in the index are inconsistent: {error}.") from error


class Generation:
    def __init__(self, number: int, path: Path) -> None:
        self.number = number
        self._path = path
        self._connections = Connections(path, connect=connect)
        self._connect = lambda: connect(path, "NORMAL", BUSY_SECONDS)
        self._file: tuple[int, int] | None = None

    @contextmanager
    def read_snapshot(self) -> Generator[sqlite3.Connection]:
        """Give a connection on which all statements see one state of the file. Raises DamagedFile, and Unavailable if
        waiting may help."""
        self._check_file()
        with self._report_damage(), self._connections.reader() as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.rollback()

    def change(self, change: Callable[[sqlite3.Connection], None]) -> None:
        """Apply a change in one transaction. Raises the same errors as `read_snapshot`."""
        self._check_file()
        with self._report_damage(), self._connections.writer() as connection:
            connection.execute(_WRITING_CACHE)
            change(connection)

    def is_whole(self) -> bool:
        """Return whether a rebuild completed it, so that it contains every document of that time."""
        with self.read_snapshot() as connection:
            return connection.execute(_WHOLE).fetchone() is not None

    def call_whole(self) -> None:
        def change(connection: sqlite3.Connection) -> None:
            connection.execute(_NOW_WHOLE)

        self.change(change)

    def shrink(self) -> None:
        """Return the space of deleted rows to the disk, in steps that let other writers have their turn."""
        with self._report_damage(), closing(self._connect()) as connection:
            shrinkable = _number(connection, "auto_vacuum") == _INCREMENTAL
            if not (_spare(connection) > 0 if shrinkable else _make_shrinkable(connection)):
                return
            while (spare := _spare(connection)) > 0:
                connection.execute(f"PRAGMA incremental_vacuum({min(spare, _PAGES_AT_ONCE)})").fetchall()
            # The file shrinks only when the log is written back to it. This also truncates the log.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        self._connections.close()

    def _check_file(self) -> None:
        # A deleted file lives on in this process, whose index would then differ from that of all others.
        try:
            status = os.stat(self._path)
        except OSError as error:
            raise DamagedFile("The file of the index is gone.") from error
        file = (status.st_dev, status.st_ino)
        if self._file not in {None, file}:
            raise DamagedFile("The file of the index was replaced.")
        self._file = file

    @contextmanager
    def _report_damage(self) -> Generator[None]:
        try:
            yield
        except Unavailable as error:
            if isinstance(error.__cause__, sqlite3.DatabaseError) and _is_damage(error.__cause__):
                raise DamagedFile(f"The file of the index is damaged: {error.__cause__}.") from error
            if not self._path.exists():  # another process dropped it after `_check_file` saw it
                raise DamagedFile("The file of the index is gone.") from error
            raise
        except sqlite3.DatabaseError as error:
            if _is_damage(error):
                raise DamagedFile(f"The file of the index is damaged: {error}.") from error
            raise


def _spare(connection: sqlite3.Connection) -> int:
    """Return the number of free pages that are worth giving back."""
    return _number(connection, "freelist_count") - max(_SPARE_PAGES, _number(connection, "page_count") // 16)


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return connection.execute(f"PRAGMA {pragma}").fetchone()[0]


def _make_shrinkable(connection: sqlite3.Connection) -> bool:
    """Rewrite a file of an earlier version if most of it is free and the rest is small. Return whether it was
    rewritten."""
    pages, free = _number(connection, "page_count"), _number(connection, "freelist_count")
    if free <= max(_SPARE_PAGES, pages // 2) or pages - free > _MOST_WRITTEN_AGAIN:
        return False
    connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
    connection.execute("VACUUM")
    return True


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in _DAMAGE or str(error).startswith(("no such", "Could not decode"))
