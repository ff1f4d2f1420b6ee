"""Tombstones of an index in SQLite: listed, and dropped with their space once nothing older can come."""

# Statements are put together from numbers of the schema only; every value is a parameter.
# ruff: noqa: S608

import sqlite3
from collections.abc import Iterator, Sequence

from almanac.kernel.caller import Scope
from almanac.platform.search.port import Removal
from almanac.platform.search.sqlite.files.generation import Generation
from almanac.platform.search.sqlite.files.schema import REMOVED, REMOVED_INDEX, dropped_fact

_TOMBSTONES = f"""SELECT key, tenant, project, profile, id, version, at FROM documents
    JOIN collections ON collection = number
    WHERE state = {REMOVED} AND version >= 0 AND at >= ? AND key > ? ORDER BY key LIMIT ?"""
_OLD = f"SELECT key, collection, revision FROM documents WHERE state = {REMOVED} AND at < ? LIMIT ?"
_DROP = "DELETE FROM documents WHERE key = ?"
_NOTE = "INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = max(value, excluded.value)"
_SLICE = 500
_DROPPED_AT_ONCE = 1000


def tombstones(generation: Generation, since: int) -> Iterator[tuple[Scope, Sequence[Removal]]]:
    """Yield what was removed from `since` on, in slices that leave writers their turn."""
    after = -1
    while True:
        with generation.reading() as connection:
            rows = connection.execute(_TOMBSTONES, (since, after, _SLICE)).fetchall()
        by_scope: dict[Scope, list[Removal]] = {}
        for _, tenant, project, profile, name, version, at in rows:
            removal = Removal(id=name, profile=profile, version=version, at=at)
            by_scope.setdefault(Scope(tenant, project), []).append(removal)
        yield from by_scope.items()
        if len(rows) < _SLICE:
            return
        after = rows[-1][0]


def drop_tombstones(generation: Generation, before: int) -> int:
    """Drop those of before an instant, and the places of deleted projects; returns how many there were."""
    dropped = 0
    while True:
        found: list[tuple[int, int, int]] = []

        def change(connection: sqlite3.Connection, found: list[tuple[int, int, int]] = found) -> None:
            # Files of earlier versions have none.
            connection.execute(REMOVED_INDEX)
            found += connection.execute(_OLD, (before, _DROPPED_AT_ONCE)).fetchall()
            connection.executemany(_DROP, [(key,) for key, _, _ in found])
            # Whoever has read no newer state than this would not learn that these are gone.
            last = {collection: revision for _, collection, revision in sorted(found, key=lambda row: row[2])}
            connection.executemany(_NOTE, [(dropped_fact(number), revision) for number, revision in last.items()])

        generation.change(change)
        dropped += len(found)
        if len(found) < _DROPPED_AT_ONCE:
            return dropped
