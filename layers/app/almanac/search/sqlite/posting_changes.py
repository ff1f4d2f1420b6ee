"""Postings that one transaction adds, changes and removes, grouped by blob."""

import sqlite3
from collections.abc import Mapping

from almanac.search.sqlite.files.postings import pack_posting, without
from almanac.search.sqlite.files.schema import BLOCK_BITS, PLACE_BITS

_PLACE = (1 << PLACE_BITS) - 1

# SQLite's || joins two blobs to a text, unless the result is cast.
_APPEND = """INSERT INTO postings VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET body = CAST(body || excluded.body AS BLOB)"""
_OF_BLOB = "WHERE collection = ? AND field = ? AND term = ? AND block = ?"
_READ = f"SELECT body FROM postings {_OF_BLOB}"  # noqa: S608
_REPLACE = "INSERT OR REPLACE INTO postings VALUES (?, ?, ?, ?, ?)"
_DELETE = f"DELETE FROM postings {_OF_BLOB}"  # noqa: S608

Blob = tuple[int, int, str, int]
"""Collection, field (0 is the title, 1 the text, 2 exact words), term and block."""


class PostingChanges:
    """Changes of one collection's postings. Documents are identified by their keys."""

    def __init__(self, collection: int) -> None:
        self._collection = collection
        self._added: dict[tuple[int, int], dict[str, bytearray]] = {}
        self._dropped: dict[Blob, set[int]] = {}

    def replace(self, key: int, former: tuple[Mapping[str, int], ...], terms: tuple[Mapping[str, int], ...]) -> None:
        """Replace the terms of a document, field by field. Postings that stay the same are not touched."""
        place = key & _PLACE
        of_counts: dict[int, bytes] = {}
        for field, (before, after) in enumerate(zip(former, terms, strict=True)):
            for term, count in before.items():
                if after.get(term) != count:
                    self._dropped.setdefault(self._blob(field, term, place), set()).add(place)
            added = self._added.setdefault((field, place >> BLOCK_BITS), {})
            for term, count in after.items():
                if before.get(term) != count:
                    posting = of_counts.get(count) or of_counts.setdefault(count, pack_posting(place, count))
                    if (known := added.get(term)) is None:
                        added[term] = bytearray(posting)
                    else:
                        known += posting

    def write(self, connection: sqlite3.Connection) -> None:
        for blob, places in self._dropped.items():
            row = connection.execute(_READ, blob).fetchone()
            rest = without(row[0], places) if row else b""
            _, field, term, block = blob
            body = rest + self._added.get((field, block), {}).pop(term, b"")
            connection.execute(*((_REPLACE, (*blob, body)) if body else (_DELETE, blob)))
        # Write in the order of the file, so that each page is found and changed once.
        connection.executemany(
            _APPEND,
            (
                (self._collection, field, term, block, added[term])
                for (field, block), added in sorted(self._added.items())
                for term in sorted(added)
            ),
        )
        self._added.clear()
        self._dropped.clear()

    def _blob(self, field: int, term: str, place: int) -> Blob:
        return self._collection, field, term, place >> BLOCK_BITS
