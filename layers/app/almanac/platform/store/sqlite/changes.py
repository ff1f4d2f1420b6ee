"""The change table of a SQLite store."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from almanac.platform.store.changes import StoreChange
from almanac.platform.store.sqlite.connections import Connections

READ_BYTES = 4 * 1024 * 1024
_TRIM_ROWS = 5000

_READ = "SELECT sequence, body FROM changes WHERE sequence > ? ORDER BY sequence LIMIT ?"
# SQLite remembers the last sequence, even if all rows of the table were trimmed.
_HEAD = "SELECT seq FROM sqlite_sequence WHERE name = 'changes'"
_TRIM = """DELETE FROM changes WHERE sequence <= min(?, (SELECT min(sequence) FROM changes) + ?)"""

_decode = msgspec.msgpack.Decoder().decode


class SqliteChanges:
    """The changes of the store at `path`. One object serves all threads."""

    def __init__(self, path: Path) -> None:
        self._connections = Connections(path)

    def read(self, after: int, limit: int) -> Sequence[StoreChange]:
        changes: list[StoreChange] = []
        size = 0
        with self._connections.reader() as connection:
            rows = connection.execute(_READ, (after, limit))
            for sequence, body in rows:
                changes.append(StoreChange(sequence, _decode(body)))
                size += len(body)
                if size >= READ_BYTES:
                    break
            rows.close()
        return changes

    def head(self) -> int:
        with self._connections.reader() as connection:
            row = connection.execute(_HEAD).fetchone()
        return row[0] if row else 0

    def trim(self, through: int) -> None:
        # In slices, so that other writers get their turn.
        deleted = 1
        while deleted:
            with self._connections.writer() as connection:
                deleted = connection.execute(_TRIM, (through, _TRIM_ROWS)).rowcount

    def close(self) -> None:
        """Close idle connections. New ones are opened when needed."""
        self._connections.close()
