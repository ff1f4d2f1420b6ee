"""Queries of a file. They bring the columns up to date, select candidates, and make the frame with their neighbours."""

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Sequence
from heapq import nlargest
from typing import TypeAlias

import numpy as np

from almanac.kernel.caller import Scope
from almanac.search.frame import Frame
from almanac.search.port import Filters, Leg, Lookup, Place, Profile, Question
from almanac.search.sqlite.files.generation import DamagedFile, Generation
from almanac.search.sqlite.reader.blocks import Mask
from almanac.search.sqlite.reader.column_loader import load_columns
from almanac.search.sqlite.reader.columns import Columns, empty_columns
from almanac.search.sqlite.reader.filters import allowed_places
from almanac.search.sqlite.reader.rows import build_frame, read_rows
from almanac.search.sqlite.reader.selection import select_places
from almanac.search.sqlite.reader.words import EXACT, postings_of, read_words

MOST_BLOBS = 4096
"""Largest number of postings of a prefix. A prefix with more is ignored, because reading them costs more than narrowing
the search saves."""
_OF_WORD = "SELECT block, body FROM postings WHERE collection = ? AND field = ? AND term = ?"
_OF_PREFIX = """SELECT block, body FROM postings WHERE collection = ? AND field = ?
    AND term >= ? AND term < ? || char(0x10ffff) LIMIT ?"""

_COLLECTION = "SELECT number, places, revision FROM collections WHERE tenant = ? AND project = ? AND profile = ?"
_NOTHING = (0, 0, 0)
_ATTEMPTS = 100

Where: TypeAlias = tuple[Scope, Profile]


class _Cached:
    """The cached columns of one collection. Only the holder of the lock may replace them by newer ones."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.columns: Columns | None = None


class QueryRunner:
    """Runs queries in one process. It caches the columns of the collections queried last, about `cached_rows` in
    all."""

    def __init__(self, cached_rows: int) -> None:
        self._cached_rows = cached_rows
        self._lock = threading.Lock()
        self._cached: OrderedDict[tuple[Generation, Where], _Cached] = OrderedDict()

    def frame(
        self, generation: Generation, where: Where, question: Question, filters: Filters, legs: Sequence[Leg], size: int
    ) -> Frame:
        """Return the frame of a question. Raises DamagedFile if the file is inconsistent."""
        cached = self._cached_columns(generation, where)
        for _ in range(_ATTEMPTS):
            with generation.read_snapshot() as connection:
                number, places, revision = _collection(connection, where)
                columns = _as_new_as(cached, connection, number, places, revision)
                # Another thread may have loaded a newer state meanwhile. Then read again, so that both are the same.
                if columns.revision == revision:
                    words = read_words(connection, number, columns, question.terms)
                    chosen = select_places(words, where[1], question, allowed_places(columns, filters), legs, size)
                    rows = read_rows(connection, number, columns.arrangement.around(chosen))
                    return build_frame(words, where[1], question, rows, chosen)
        raise DamagedFile("The index is older than what was read of it.")

    def find_places(self, generation: Generation, where: Where, lookup: Lookup) -> list[Place]:
        """Return the page of a lookup. Raises DamagedFile if the file is inconsistent."""
        cached = self._cached_columns(generation, where)
        for _ in range(_ATTEMPTS):
            with generation.read_snapshot() as connection:
                number, places, revision = _collection(connection, where)
                columns = _as_new_as(cached, connection, number, places, revision)
                if columns.revision == revision:
                    return places_of(connection, number, columns, lookup)
        raise DamagedFile("The index is older than what was read of it.")

    def enriched_share(self, generation: Generation, where: Where) -> float:
        cached = self._cached_columns(generation, where)
        with generation.read_snapshot() as connection:
            return _as_new_as(cached, connection, *_collection(connection, where)).enriched_share

    def _cached_columns(self, generation: Generation, where: Where) -> _Cached:
        with self._lock:
            for former in [each for each in self._cached if each[0] is not generation]:
                del self._cached[former]
            cached = self._cached.setdefault((generation, where), _Cached())
            self._cached.move_to_end((generation, where))
            self._drop_old()
            return cached

    def _drop_old(self) -> None:
        rows = sum(cached.columns.size for cached in self._cached.values() if cached.columns)
        while rows > self._cached_rows and len(self._cached) > 1:
            _, dropped = self._cached.popitem(last=False)
            rows -= dropped.columns.size if dropped.columns else 0


def _collection(connection: sqlite3.Connection, where: Where) -> tuple[int, int, int]:
    scope, profile = where
    return connection.execute(_COLLECTION, (scope.tenant, scope.project, profile)).fetchone() or _NOTHING


def _as_new_as(cached: _Cached, connection: sqlite3.Connection, number: int, places: int, revision: int) -> Columns:
    with cached.lock:
        columns = cached.columns or empty_columns()
        if columns.revision < revision:
            columns = load_columns(connection, number, places, revision, cached.columns)
        cached.columns = columns
        return columns


def places_of(connection: sqlite3.Connection, number: int, columns: Columns, lookup: Lookup) -> list[Place]:
    """Return the page of a lookup. Raises DamagedFile if the postings make no sense."""
    mask = allowed_places(columns, lookup.filters)
    for word in lookup.words:
        blobs = connection.execute(_OF_WORD, (number, EXACT, word)).fetchall()
        mask &= _posting_mask(blobs, columns)
    for prefix in lookup.prefixes:
        blobs = connection.execute(_OF_PREFIX, (number, EXACT, prefix, prefix, MOST_BLOBS + 1)).fetchall()
        if len(blobs) <= MOST_BLOBS:
            mask &= _posting_mask(blobs, columns)
    if lookup.order == "at" and lookup.after is not None:
        mask &= columns.at <= lookup.after.at
    found = np.flatnonzero(mask)
    instants: list[int] = columns.at[found].tolist()
    return _page(instants, columns.ids_at(found), lookup)


def _page(instants: list[int], ids: list[str], lookup: Lookup) -> list[Place]:
    """Return a page of places, possibly of a whole collection.

    It compares pairs, which is much faster than comparing places.
    """
    after = lookup.after
    if lookup.order == "at":
        by_time = zip(instants, ids, strict=True)
        rest = by_time if after is None else [pair for pair in by_time if pair < (after.at, after.id)]
        return [Place(at, name) for at, name in nlargest(lookup.size, rest)]
    by_id = zip(ids, instants, strict=True)
    rest_by_id = by_id if after is None else [pair for pair in by_id if pair[0] < after.id]
    return [Place(at, name) for name, at in nlargest(lookup.size, rest_by_id)]


def _posting_mask(blobs: list[tuple[int, bytes]], columns: Columns) -> Mask:
    mask = np.zeros(columns.size, np.bool_)
    mask[postings_of(blobs, columns).places] = True
    return mask
