"""Read rows of another program's SQLite database, whatever it holds, without writing to it."""

import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from almanac.kernel.errors import InvalidInput
from almanac.local.memory_import.units import MAX_UNIT_BYTES

Row = Mapping[str, Any]


@contextmanager
def open_database(file: Path) -> Generator[sqlite3.Connection]:
    """Open the database read-only. Raises InvalidInput if it is not a readable SQLite database."""
    name = quote(str(file.absolute()))
    try:
        connection = _connect(f"file:{name}?mode=ro")
    except sqlite3.OperationalError:
        # SQLite cannot create its lock in this folder. Read the main file alone, without its log.
        connection = _connect_or_refuse(f"file:{name}?mode=ro&immutable=1")
    except sqlite3.DatabaseError as broken:
        raise _no_database(broken) from broken
    with closing(connection):
        try:
            yield connection
        except sqlite3.DatabaseError as broken:
            raise _no_database(broken) from broken


def _connect_or_refuse(uri: str) -> sqlite3.Connection:
    try:
        return _connect(uri)
    except sqlite3.DatabaseError as broken:
        raise _no_database(broken) from broken


def _no_database(broken: sqlite3.DatabaseError) -> InvalidInput:
    return InvalidInput(f"It is not a readable SQLite database: {broken}.", "Name the program's database file.")


def _connect(uri: str) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        connection.text_factory = _readable
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_UNIT_BYTES)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _readable(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def columns_of(connection: sqlite3.Connection, table: str) -> frozenset[str]:
    """Return the columns of a table, or an empty set if the table does not exist."""
    is_table = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)).fetchone()
    if is_table is None:
        return frozenset()
    return frozenset(str(row[1]) for row in connection.execute(f"PRAGMA table_info({table})"))


def count_of(connection: sqlite3.Connection, table: str) -> int:
    """Return the number of rows, or 0 if the table does not exist."""
    if not columns_of(connection, table):
        return 0
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - names of ours


def rows_of(connection: sqlite3.Connection, table: str, columns: Sequence[str]) -> Iterator[Row]:
    """Yield the rows in the order of their rowids, with those of `columns` that exist. Older versions of a program
    have fewer columns."""
    known = columns_of(connection, table)
    names = [name for name in columns if name in known]
    if not names:
        return
    cursor = connection.execute(f"SELECT {', '.join(names)} FROM {table} ORDER BY rowid")  # noqa: S608 - as above
    for values in cursor:
        yield dict(zip(names, values, strict=True))
