"""The store in one SQLite file. It is durable, shared by threads and processes, and opens at once after a crash.

A write that returned survives any end of the process. With `synchronous="FULL"` it also survives a power cut
(docs/decisions/0006-the-store.md).
"""

# Statements only contain names of columns; every value is a parameter.
# ruff: noqa: S608

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Unpack

import msgspec
from msgspec import UnsetType

from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import now_ms
from almanac.platform.store.bounds import check_key, check_keys, check_size, check_write
from almanac.platform.store.conditions import holds
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import (
    INDEXES,
    PAGE_BYTES,
    Change,
    ConditionFailed,
    Delete,
    Index,
    Indexes,
    Item,
    OutboxPut,
    Page,
    Paging,
    Put,
    Update,
    visible,
)
from almanac.platform.store.queries import Query, parse_query
from almanac.platform.store.sqlite.connections import BUSY_SECONDS, Connections
from almanac.platform.store.sqlite.schema import Synchronous
from almanac.platform.store.values import Value, check_attributes

ROW = "partition, sort, body, expires_at, gsi1_partition, gsi1_sort, gsi2_partition, gsi2_sort"
_SELECT = f"SELECT {ROW} FROM items WHERE partition = ? AND sort = ?"
_LIVE = "(expires_at IS NULL OR expires_at > ?)"
_PUT = f"INSERT OR REPLACE INTO items ({ROW}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM items WHERE partition = ? AND sort = ?"
_APPEND = "INSERT INTO changes (partition, sort, body) VALUES (?, ?, ?)"
_SWEEP = """DELETE FROM items WHERE (partition, sort) IN
    (SELECT partition, sort FROM items WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)"""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode
Row = tuple[str, str, bytes, int | None, str | None, str | None, str | None, str | None]


class SqliteStore:
    """The store port on the file `path`, which is made at the first use. Its folder must exist."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock,
        cursor_secret: bytes | Callable[[], bytes],
        synchronous: Synchronous = "NORMAL",
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        self._connections = Connections(path, synchronous, busy_seconds)
        self._clock = clock
        self._cursors = Cursors(cursor_secret)

    def get(self, key: Key) -> Item | None:
        check_key(key)
        now = self._now()
        with self._connections.reader() as connection:
            return _live(connection, key, now)

    def get_many(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        return self.snapshot(keys)

    def snapshot(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        check_keys(keys)
        values = [text for key in keys for text in (key.partition.text, key.sort)]
        rows_of_keys = ",".join(["(?,?)"] * len(keys))
        # A join in this order looks up each key; `(partition, sort) IN (VALUES …)` would read the whole table.
        statement = f"""SELECT {ROW} FROM (VALUES {rows_of_keys}) AS keys CROSS JOIN items
            ON partition = keys.column1 AND sort = keys.column2 WHERE {_LIVE}"""
        with self._connections.reader() as connection:
            rows: list[Row] = connection.execute(statement, (*values, self._now())).fetchall()
        items = {item.key: item for item in map(read_row, rows)}
        return tuple(items.get(key) for key in keys)

    def query(self, partition: Partition, **narrowing: Unpack[Paging]) -> Page:
        query = parse_query(partition, **narrowing)
        after = query.position_before(self._cursors)
        statement, values = _select(query, after)
        with self._connections.reader() as connection:
            selected = connection.execute(statement, (*values, self._now(), query.limit + 1))
            rows, more = _page(selected, query.limit)
        items = tuple(map(read_row, rows))
        return query.page(items, self._cursors, more=more)

    def write(self, changes: Sequence[Change]) -> None:
        bounded = check_write(changes)
        now = self._now()
        with self._connections.writer() as connection:
            statements: list[tuple[str, tuple[object, ...]]] = []
            for position, (change, attributes) in enumerate(bounded):
                current: Item | None = None
                if change.condition is not None or isinstance(change, Update):
                    current = _live(connection, change.key, now)
                    refused = isinstance(change, Update) and current is None
                    if refused or (change.condition and not holds(change.condition, current and current.attributes)):
                        raise ConditionFailed(position, current)
                statements += _statements(change, attributes, current)
            for statement, values in statements:
                connection.execute(statement, values)

    def version(self) -> object:
        """Return a value that changes with every commit of any process.

        While it is the same, earlier reads are valid.
        """
        return self._connections.version()

    def sweep(self, limit: int = 1000) -> int:
        """Delete up to `limit` expired items, which reads no longer see. Return the number of them."""
        with self._connections.writer() as connection:
            return connection.execute(_SWEEP, (self._now(), limit)).rowcount

    def close(self) -> None:
        """Close idle connections. The store opens new ones when needed."""
        self._connections.close()

    def _now(self) -> int:
        return now_ms(self._clock)


def _live(connection: sqlite3.Connection, key: Key, now: int) -> Item | None:
    row: Row | None = connection.execute(_SELECT, (key.partition.text, key.sort)).fetchone()
    return visible(read_row(row), now) if row else None


def read_row(row: Row) -> Item:
    """Return the item of a row that was selected as ROW."""
    partition, sort, body, expires_at, *placed = row
    indexes: dict[Index, Key] = {}
    if placed[0] is not None and placed[1] is not None:
        indexes["gsi1"] = Key(Partition.as_stored(placed[0]), placed[1])
    if placed[2] is not None and placed[3] is not None:
        indexes["gsi2"] = Key(Partition.as_stored(placed[2]), placed[3])
    return Item(Key(Partition.as_stored(partition), sort), _decode(body), expires_at, indexes)


def _statements(
    change: Change, attributes: dict[str, Value], current: Item | None
) -> list[tuple[str, tuple[object, ...]]]:
    partition, sort = change.key.partition.text, change.key.sort
    if isinstance(change, Put):
        body = _encode(attributes)
        put = (_PUT, (partition, sort, body, change.expires_at, *_index_columns(change.indexes)))
        return [put, (_APPEND, (partition, sort, body))] if isinstance(change, OutboxPut) else [put]
    if isinstance(change, Update) and current is not None:
        item = apply_update(current, change, attributes)
        return [(_PUT, (partition, sort, _encode(item.attributes), item.expires_at, *_index_columns(item.indexes)))]
    return [(_DELETE, (partition, sort))] if isinstance(change, Delete) else []


def _index_columns(indexes: Indexes) -> tuple[str | None, ...]:
    if not indexes:
        return (None, None, None, None)
    keys = [indexes.get(index) for index in INDEXES]
    return tuple(text for key in keys for text in ((key.partition.text, key.sort) if key else (None, None)))


def _select(query: Query, after: tuple[str, ...] | None) -> tuple[str, list[str]]:
    """Return the statement and its parameters, except the last two: the time and the number of rows."""
    at = f"{query.index}_" if query.index else ""
    order = [f"{at}sort", "partition", "sort"] if query.index else ["sort"]
    where, values = [f"{at}partition = ?"], [query.partition.text]
    for bound, sign in ((query.start, ">="), (query.end, "<")):
        if bound is not None:
            where.append(f"{at}sort {sign} ?")
            values.append(bound)
    if after is not None:
        where.append(f"({', '.join(order)}) {'<' if query.reverse else '>'} ({', '.join('?' * len(order))})")
        values += after
    sorting = ", ".join(f"{column} DESC" if query.reverse else column for column in order)
    return f"SELECT {ROW} FROM items WHERE {' AND '.join(where)} AND {_LIVE} ORDER BY {sorting} LIMIT ?", values


def _page(selected: sqlite3.Cursor, limit: int) -> tuple[list[Row], bool]:
    """Return up to `limit` rows of about 1 MB, and whether more follow."""
    rows: list[Row] = []
    size = 0
    for row in selected:
        if len(rows) == limit or size >= PAGE_BYTES:
            selected.close()
            return rows, True
        rows.append(row)
        size += len(row[2])
    return rows, False


def apply_update(item: Item, update: Update, attributes: dict[str, Value]) -> Item:
    """Apply an update to an item. `attributes` are the checked new values.

    Raises InvalidInput if a number is added to another type, or if the item grows over 400 KB.
    """
    result = {name: value for name, value in item.attributes.items() if name not in update.remove} | attributes
    for name, number in update.add.items():
        number_before = result.get(name, 0)
        if not isinstance(number_before, int) or isinstance(number_before, bool):
            raise InvalidInput(
                f"{name} is not a whole number, so nothing can be added to it.", "Set it instead.", path=name
            )
        result[name] = number_before + number
    result, size = check_attributes(result)
    expires_at = item.expires_at if isinstance(update.expires_at, UnsetType) else update.expires_at
    indexes = item.indexes if isinstance(update.indexes, UnsetType) else update.indexes
    check_size(item.key, indexes, size)
    return Item(item.key, result, expires_at, indexes)
