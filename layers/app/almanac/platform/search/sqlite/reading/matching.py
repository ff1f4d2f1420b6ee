"""Lookups of exact words: the places of all documents that have them, page by page."""

import sqlite3
from heapq import nlargest

import numpy as np

from almanac.platform.search.port import Lookup, Place
from almanac.platform.search.sqlite.reading.blocks import Mask
from almanac.platform.search.sqlite.reading.columns import Columns
from almanac.platform.search.sqlite.reading.filtering import allowed
from almanac.platform.search.sqlite.reading.words import EXACT, postings_of

MOST_BLOBS = 4096
"""A prefix with more postings is left out: it takes longer to read than it narrows the search."""
_OF_WORD = "SELECT block, body FROM postings WHERE collection = ? AND field = ? AND term = ?"
_OF_PREFIX = """SELECT block, body FROM postings WHERE collection = ? AND field = ?
    AND term >= ? AND term < ? || char(0x10ffff) LIMIT ?"""


def places_of(connection: sqlite3.Connection, number: int, columns: Columns, lookup: Lookup) -> list[Place]:
    """Raises Damaged where postings make no sense."""
    mask = allowed(columns, lookup.filters)
    for word in lookup.words:
        blobs = connection.execute(_OF_WORD, (number, EXACT, word)).fetchall()
        mask &= _having(blobs, columns)
    for prefix in lookup.prefixes:
        blobs = connection.execute(_OF_PREFIX, (number, EXACT, prefix, prefix, MOST_BLOBS + 1)).fetchall()
        if len(blobs) <= MOST_BLOBS:
            mask &= _having(blobs, columns)
    if lookup.order == "at" and lookup.after is not None:
        mask &= columns.at <= lookup.after.at
    found = np.flatnonzero(mask)
    instants: list[int] = columns.at[found].tolist()
    return _page(instants, columns.ids_at(found), lookup)


def _page(instants: list[int], ids: list[str], lookup: Lookup) -> list[Place]:
    """Of what may be all documents of a collection: pairs compare much faster than places do."""
    after = lookup.after
    if lookup.order == "at":
        by_time = zip(instants, ids, strict=True)
        rest = by_time if after is None else [pair for pair in by_time if pair < (after.at, after.id)]
        return [Place(at, name) for at, name in nlargest(lookup.size, rest)]
    by_id = zip(ids, instants, strict=True)
    rest_by_id = by_id if after is None else [pair for pair in by_id if pair[0] < after.id]
    return [Place(at, name) for name, at in nlargest(lookup.size, rest_by_id)]


def _having(blobs: list[tuple[int, bytes]], columns: Columns) -> Mask:
    mask = np.zeros(columns.size, np.bool_)
    mask[postings_of(blobs, columns).places] = True
    return mask
