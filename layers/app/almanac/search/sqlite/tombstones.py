"""Removals from an index in SQLite: whole projects, and tombstones of documents.

Tombstones are deleted with their space once no older version of their document can come any more.
"""

# Statements contain only names of columns and numbers of the schema. Every value is a parameter.
# ruff: noqa: S608

import sqlite3
from collections.abc import Iterator, Sequence

from almanac.kernel.caller import Scope
from almanac.search.port import Removal
from almanac.search.sqlite.files.generation import Generation
from almanac.search.sqlite.files.schema import PLACE_BITS, REMOVED, REMOVED_INDEX, dropped_fact
from almanac.search.sqlite.writer import Change

_TOMBSTONES = f"""SELECT key, tenant, project, profile, id, version, at FROM documents
    JOIN collections ON collection = number
    WHERE state = {REMOVED} AND version >= 0 AND at >= ? AND key > ? ORDER BY key LIMIT ?"""
_OLD = f"SELECT key, collection, revision FROM documents WHERE state = {REMOVED} AND at < ? LIMIT ?"
_DROP = "DELETE FROM documents WHERE key = ?"
_NOTE = "INSERT INTO facts VALUES (?, ?) ON CONFLICT DO UPDATE SET value = max(value, excluded.value)"
_COLLECTIONS = "SELECT number, revision + 1 FROM collections WHERE tenant = ? AND project = ?"
_BLANK = f"""UPDATE documents SET id = char(1) || key, version = -1, state = {REMOVED}, revision = ?,
    kind = '', session = '', position = 0, role = '', speaker = '', at = 0, tags = '[]', fields = '{{}}',
    asks = 0, names = 0, title_length = 0, title_kept = 0, text_length = 0, text_kept = 0 WHERE collection = ?"""
_ADVANCE = "UPDATE collections SET revision = ? WHERE number = ?"
_SLICE = 500
_DROPPED_AT_ONCE = 1000


def tombstones(generation: Generation, since: int) -> Iterator[tuple[Scope, Sequence[Removal]]]:
    """Yield the removals since an instant, in slices that let other writers have their turn."""
    after = -1
    while True:
        with generation.read_snapshot() as connection:
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
    """Delete the tombstones from before an instant, and the places of deleted projects. Return their number."""
    dropped = 0
    while True:
        found: list[tuple[int, int, int]] = []

        def change(connection: sqlite3.Connection, found: list[tuple[int, int, int]] = found) -> None:
            # Files of earlier versions lack this index.
            connection.execute(REMOVED_INDEX)
            found += connection.execute(_OLD, (before, _DROPPED_AT_ONCE)).fetchall()
            connection.executemany(_DROP, [(key,) for key, _, _ in found])
            # Readers of this or an older state would otherwise not notice the deletion. They load all columns again.
            last = {collection: revision for _, collection, revision in sorted(found, key=lambda row: row[2])}
            connection.executemany(_NOTE, [(dropped_fact(number), revision) for number, revision in last.items()])

        generation.change(change)
        dropped += len(found)
        if len(found) < _DROPPED_AT_ONCE:
            return dropped


def deletion_change(scope: Scope) -> Change:
    """Return the change that deletes a project in one transaction.

    It keeps blank places of the documents. Other processes hold columns by place and revision, so each place stays as
    that of a removed document.
    """

    def change(connection: sqlite3.Connection) -> None:
        for number, revision in connection.execute(_COLLECTIONS, (scope.tenant, scope.project)).fetchall():
            keys = (number << PLACE_BITS, (number + 1) << PLACE_BITS)
            connection.execute("DELETE FROM postings WHERE collection = ?", (number,))
            for table in ("texts", "contexts"):
                connection.execute(f"DELETE FROM {table} WHERE key >= ? AND key < ?", keys)
            connection.execute(_BLANK, (revision, number))
            connection.execute(_ADVANCE, (revision, number))

    return change
