"""Loading of columns from a file, in full at first, and then only the rows that were written since."""

import sqlite3
from collections.abc import Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from almanac.search.sqlite.files.generation import damage_as_error
from almanac.search.sqlite.files.schema import PLACE_BITS, REMOVED, dropped_fact
from almanac.search.sqlite.reader.arrangement import arrange
from almanac.search.sqlite.reader.blocks import Places
from almanac.search.sqlite.reader.columns import Columns, FieldColumns, empty_columns, with_rows

_COLUMNS = """SELECT documents.key, id, version, state, kind, session, position, role, speaker, at, tags, fields,
    asks, names, title_length, title_kept, text_length, text_kept, texts.text_vector, contexts.text_vector
    FROM documents LEFT JOIN texts ON texts.key = documents.key LEFT JOIN contexts ON contexts.key = documents.key"""
_ALL = f"{_COLUMNS} WHERE documents.key >= ? AND documents.key < ? ORDER BY documents.key"
_SINCE = f"{_COLUMNS} WHERE collection = ? AND revision > ? ORDER BY documents.key"
_ROWS_AT_ONCE = 8192
_PLACE = (1 << PLACE_BITS) - 1
Cells = Sequence[Any]
"""Values of one column for several rows."""


def load_columns(
    connection: sqlite3.Connection, number: int, places: int, revision: int, former: Columns | None
) -> Columns:
    """Return the columns of a collection at a revision, starting from the `former` ones if possible.

    `places` is the number of its places.
    """
    if former is not None and former.revision < _last_drop_revision(connection, number):
        former = None  # it may contain documents whose places were deleted since
    columns = former or empty_columns()
    if former is None:
        rows = connection.execute(_ALL, (number << PLACE_BITS, (number + 1) << PLACE_BITS))
    else:
        rows = connection.execute(_SINCE, (number, former.revision))
    moved = False
    for some in iter(lambda: rows.fetchmany(_ROWS_AT_ONCE), []):
        with damage_as_error("Documents"):
            cells: list[Cells] = list(zip(*some, strict=True))
            if columns.size == places and _is_known(columns, cells):
                columns = _with_contexts(columns, cells)
            else:
                columns, moved = _with_written_rows(columns, cells, places), True
    if moved:
        sessions = np.where(columns.sessions.where(bool), columns.sessions.codes, -1).astype(np.int32)
        arrangement = arrange(sessions, columns.position, columns.alive, columns.text.length)
        columns = replace(columns, arrangement=arrangement)
    static, context = columns.static.with_outline(), columns.context.with_outline()
    later = replace(columns, revision=revision, static=static, context=context)
    if former is not None and not moved:
        later.masks.update(former.masks)
    return later


def _last_drop_revision(connection: sqlite3.Connection, number: int) -> int:
    row = connection.execute("SELECT value FROM facts WHERE name = ?", (dropped_fact(number),)).fetchone()
    return row[0] if row else 0


def _is_known(columns: Columns, cells: list[Cells]) -> bool:
    """Return whether all of these rows are already loaded in the same versions, so that only their contexts can be
    new."""
    places = np.array(cells[0], np.int64) & _PLACE
    same = columns.versions[places] == np.array(cells[2], np.int64)
    return bool(same.all() and columns.alive[places].all() and REMOVED not in cells[3])


def _with_contexts(columns: Columns, cells: list[Cells]) -> Columns:
    places = np.array(cells[0], np.int64) & _PLACE
    return replace(columns, context=columns.context.with_rows(places, cells[-1], columns.size))


def _with_written_rows(columns: Columns, cells: list[Cells], size: int) -> Columns:
    """Return the columns with these rows of `_COLUMNS`, given column by column. The arrangement is still the former
    one."""
    keys, ids, versions, states, kinds, sessions, position, roles, speakers, at, tags, fields, asks, names = cells[:14]
    title_length, title_kept, text_length, text_kept, static, context = cells[14:]
    places = np.array(keys, np.int64) & _PLACE
    return replace(
        columns,
        ids=_with_texts(columns.ids, places, ids, size),
        versions=with_rows(columns.versions, places, versions, size),
        alive=with_rows(columns.alive, places, [state != REMOVED for state in states], size),
        kinds=columns.kinds.with_rows(places, kinds, size),
        sessions=columns.sessions.with_rows(places, sessions, size),
        position=with_rows(columns.position, places, position, size),
        roles=columns.roles.with_rows(places, roles, size),
        speakers=columns.speakers.with_rows(places, speakers, size),
        at=with_rows(columns.at, places, at, size),
        tags=columns.tags.with_rows(places, tags, size),
        fields=columns.fields.with_rows(places, fields, size),
        asks=with_rows(columns.asks, places, asks, size),
        names=with_rows(columns.names, places, names, size),
        title=_with_field(columns.title, places, title_length, title_kept, size),
        text=_with_field(columns.text, places, text_length, text_kept, size),
        static=columns.static.with_rows(places, static, size),
        context=columns.context.with_rows(places, context, size),
    )


def _with_field(field: FieldColumns, places: Places, length: Cells, kept: Cells, size: int) -> FieldColumns:
    return FieldColumns(with_rows(field.length, places, length, size), with_rows(field.kept, places, kept, size))


def _with_texts(texts: list[str], places: Places, new: Sequence[str], size: int) -> list[str]:
    grown = texts + [""] * (size - len(texts))
    for place, text in zip(places.tolist(), new, strict=True):
        grown[place] = text
    return grown
