"""Connections to one SQLite file, lent to one thread at a time."""

import os
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from almanac.kernel.errors import Unavailable
from almanac.platform.store.port import DISK_FULL
from almanac.platform.store.sqlite.schema import Synchronous
from almanac.platform.store.sqlite.schema import connect as connect_to_store

Connect = Callable[[Path, Synchronous, float], sqlite3.Connection]

_FULL = frozenset({sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP})
"""Errors of a file that cannot grow, which SQLite does not report as a full disk."""
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


BUSY_SECONDS = 10.0
"""Time for which a writer waits for other writers, in seconds."""


class Connections:
    """Pool of connections, one for each thread at work. A forked process opens its own."""

    def __init__(
        self,
        path: Path,
        synchronous: Synchronous = "NORMAL",
        busy_seconds: float = BUSY_SECONDS,
        connect: Connect = connect_to_store,
    ) -> None:
        self._connect = lambda: connect(path, synchronous, busy_seconds)
        self._ever: list[deque[sqlite3.Connection]] = []
        self._watched = 0
        self._start()

    @contextmanager
    def reader(self) -> Generator[sqlite3.Connection]:
        """Lend a connection for reading. Every statement sees all writes acknowledged before it."""
        connection = self._take()
        try:
            yield connection
        except sqlite3.DatabaseError as error:
            raise _translate_error(error) from error
        finally:
            self._idle.append(connection)

    @contextmanager
    def writer(self) -> Generator[sqlite3.Connection]:
        """Lend a connection within a write transaction. It commits at the end and rolls back on an exception."""
        connection = self._take()
        # SQLite waits by sleeping, which is unfair. Threads queue here, so SQLite only waits for other processes.
        with self._writer:
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.execute("COMMIT")
            except sqlite3.DatabaseError as error:
                raise _translate_error(error) from error
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                self._idle.append(connection)

    def version(self) -> tuple[int, int]:
        """Return a value that changes with every commit to the file, by any thread or process."""
        if self._process != os.getpid():
            self._start()
        with self._watching:
            if not self._watchers:
                self._watchers.append(self._open())
                self._watched += 1
            try:
                # SQLite counts for each connection the commits of all others. This connection makes none.
                return self._watched, self._watchers[0].execute("PRAGMA data_version").fetchone()[0]
            except sqlite3.DatabaseError as error:
                raise _translate_error(error) from error

    def close(self) -> None:
        for connections in (self._idle, self._watchers):
            while connections:
                connections.pop().close()

    def __del__(self) -> None:
        if self._process == os.getpid():
            self.close()

    def _start(self) -> None:
        self._process = os.getpid()
        self._idle: deque[sqlite3.Connection] = deque()
        self._watchers: deque[sqlite3.Connection] = deque()
        # A forked process must not close its parent's connections, or the parent loses its locks. So it keeps them.
        self._ever += [self._idle, self._watchers]
        self._writer = threading.Lock()
        self._watching = threading.Lock()

    def _take(self) -> sqlite3.Connection:
        if self._process != os.getpid():
            self._start()
        try:
            return self._idle.pop()
        except IndexError:
            return self._open()

    def _open(self) -> sqlite3.Connection:
        try:
            return self._connect()
        except sqlite3.DatabaseError as error:
            raise _translate_error(error) from error


def _translate_error(error: sqlite3.DatabaseError) -> Exception:
    """Return the error that a caller can act on; any other error is a defect and stays as it is."""
    extended = getattr(error, "sqlite_errorcode", 0)  # errors of the module itself carry no code
    primary = sqlite3.SQLITE_FULL if extended in _FULL else extended & 0xFF
    if primary not in _MEANINGS:
        return error
    return Unavailable(*_MEANINGS[primary], code=DISK_FULL if primary == sqlite3.SQLITE_FULL else None)
