"""Connections to one SQLite file, lent to one thread at a time."""

import os
import sqlite3
import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from almanac.kernel.errors import Unavailable
from almanac.platform.store.sqlite.schema import Synchronous, connect

_MEANINGS = {
    sqlite3.SQLITE_BUSY: ("The store is busy with other writers.", "Repeat the call in a moment."),
    sqlite3.SQLITE_LOCKED: ("The store is busy with other writers.", "Repeat the call in a moment."),
    sqlite3.SQLITE_FULL: ("The disk of the store is full.", "Free some space, then repeat the call."),
    sqlite3.SQLITE_IOERR: ("The disk of the store fails.", "Check the disk, then repeat the call."),
    sqlite3.SQLITE_CANTOPEN: (
        "The file of the store cannot be opened.",
        "Check that its folder exists and its rights.",
    ),
    sqlite3.SQLITE_READONLY: ("The file of the store cannot be written.", "Check its rights."),
    sqlite3.SQLITE_CORRUPT: ("The file of the store is damaged.", "Restore it from an export or a copy."),
    sqlite3.SQLITE_NOTADB: ("The file is no store.", "Name another file, or move this one away."),
}


class Connections:
    """As many connections as there are threads at work at once; none crosses a fork."""

    def __init__(self, path: Path, synchronous: Synchronous, busy_seconds: float) -> None:
        self._path = path
        self._synchronous: Synchronous = synchronous
        self._busy_seconds = busy_seconds
        self._ever: list[deque[sqlite3.Connection]] = []
        self._start()

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """Every statement sees all writes that were acknowledged before it."""
        connection = self._taken()
        try:
            yield connection
        except sqlite3.DatabaseError as error:
            raise _meaning(error) from error
        finally:
            self._idle.append(connection)

    @contextmanager
    def writing(self) -> Generator[sqlite3.Connection]:
        """A transaction of the only writer: committed at the end, rolled back by an exception."""
        connection = self._taken()
        # SQLite's own waiting sleeps and is unfair: threads queue here, so that it only ever waits for processes.
        with self._writer:
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except sqlite3.DatabaseError as error:
                raise _meaning(error) from error
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                self._idle.append(connection)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def __del__(self) -> None:
        if self._process == os.getpid():
            self.close()

    def _start(self) -> None:
        self._process = os.getpid()
        self._idle: deque[sqlite3.Connection] = deque()
        # Closing a connection in a process that did not open it releases its owner's locks: they are kept, unused.
        self._ever.append(self._idle)
        self._writer = threading.Lock()

    def _taken(self) -> sqlite3.Connection:
        if self._process != os.getpid():
            self._start()
        try:
            return self._idle.pop()
        except IndexError:
            return self._open()

    def _open(self) -> sqlite3.Connection:
        try:
            return connect(self._path, self._synchronous, self._busy_seconds)
        except sqlite3.DatabaseError as error:
            raise _meaning(error) from error


def _meaning(error: sqlite3.DatabaseError) -> Exception:
    """What the caller can act on; any other error is a defect and stays what it is."""
    primary = getattr(error, "sqlite_errorcode", 0) & 0xFF  # errors of the module itself carry no code
    return Unavailable(*_MEANINGS[primary]) if primary in _MEANINGS else error
