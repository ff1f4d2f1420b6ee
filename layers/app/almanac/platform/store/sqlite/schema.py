"""Tables of a SQLite store, and the opening of connections to it."""

import sqlite3
import time
from pathlib import Path
from typing import Literal

from almanac.kernel.errors import Unavailable

Synchronous = Literal["NORMAL", "FULL"]

FORMAT = 1

_TABLES = (
    """CREATE TABLE IF NOT EXISTS items (
         partition TEXT NOT NULL, sort TEXT NOT NULL, body BLOB NOT NULL, expires_at INTEGER,
         gsi1_partition TEXT, gsi1_sort TEXT, gsi2_partition TEXT, gsi2_sort TEXT,
         PRIMARY KEY (partition, sort)) WITHOUT ROWID""",
    """CREATE INDEX IF NOT EXISTS items_gsi1 ON items (gsi1_partition, gsi1_sort, partition, sort)
         WHERE gsi1_partition IS NOT NULL""",
    """CREATE INDEX IF NOT EXISTS items_gsi2 ON items (gsi2_partition, gsi2_sort, partition, sort)
         WHERE gsi2_partition IS NOT NULL""",
    "CREATE INDEX IF NOT EXISTS items_expiry ON items (expires_at) WHERE expires_at IS NOT NULL",
    """CREATE TABLE IF NOT EXISTS changes (
         sequence INTEGER PRIMARY KEY AUTOINCREMENT,
         partition TEXT NOT NULL, sort TEXT NOT NULL, body BLOB NOT NULL)""",
)


def connect(path: Path, synchronous: Synchronous, busy_seconds: float) -> sqlite3.Connection:
    """Open a connection in WAL mode, for one thread at a time. It waits `busy_seconds` for other writers.

    Creates the file and its tables if they are missing. Raises Unavailable for a file of a later format.
    """
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None, check_same_thread=False)
    try:
        use_wal(connection, busy_seconds)
        connection.execute(f"PRAGMA synchronous={synchronous}")
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def use_wal(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Switch the file to WAL mode, even if other processes do so at the same time."""
    # If two processes switch a new file at the same time, one fails at once. SQLite's own waiting does not cover that.
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as busy:
            if busy.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
            time.sleep(0.001)
        else:
            return


def _prepare(connection: sqlite3.Connection) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == FORMAT:
        return
    if version > FORMAT:
        raise Unavailable(
            f"The store has format {version}, but this version of Almanac knows format {FORMAT}.",
            "Install a newer version.",
        )
    connection.execute("BEGIN IMMEDIATE")
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version={FORMAT}")
    connection.execute("COMMIT")
