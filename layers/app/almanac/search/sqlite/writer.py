"""Writes to a collection within a transaction: documents, their tombstones, and contexts, which come later."""

# Statements contain only names of columns and numbers of the schema. Every value is a parameter.
# ruff: noqa: S608

import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.search.port import Context, Entry, Profile, Removal
from almanac.search.sqlite.files.schema import BARE, ENRICHED, PLACE_BITS, REMOVED
from almanac.search.sqlite.posting_changes import PostingChanges

_COLLECTION = "SELECT number, places, revision FROM collections WHERE tenant = ? AND project = ? AND profile = ?"
_BEGIN = "INSERT INTO collections (tenant, project, profile, places, revision) VALUES (?, ?, ?, 0, 0)"
_ADVANCE = "UPDATE collections SET places = ?, revision = ? WHERE number = ?"
_KNOWN = "SELECT key, version, state FROM documents WHERE collection = ? AND id = ?"
_TERMS = "SELECT title_terms, text_terms, words FROM texts WHERE key = ?"
_DOCUMENT = f"INSERT OR REPLACE INTO documents VALUES ({', '.join('?' * 20)})"
_TEXTS = "INSERT OR REPLACE INTO texts VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_CONTEXT = "INSERT OR REPLACE INTO contexts VALUES (?, ?, ?, ?, ?)"
_ENRICHED = f"UPDATE documents SET state = {ENRICHED}, revision = ? WHERE key = ?"

_json = msgspec.json.Encoder(order="sorted").encode  # equal values become one text, which filters check once
_encode = msgspec.msgpack.Encoder().encode
_terms = msgspec.msgpack.Decoder(dict[str, int]).decode
_words = msgspec.msgpack.Decoder(tuple[str, ...]).decode
Fields = tuple[Mapping[str, int], Mapping[str, int], Mapping[str, int]]
"""Terms of title and text, and exact words, with their counts."""

NO_TERMS: Fields = ({}, {}, {})


class StoredEntry(Struct):
    """The stored entry of an id."""

    key: int
    version: int
    state: int


class Collection:
    """A collection within a transaction that writes to it."""

    def __init__(self, connection: sqlite3.Connection, number: int, places: int, revision: int) -> None:
        self._connection = connection
        self.number = number
        self._places = places
        self._revision = revision + 1
        self._postings = PostingChanges(number)

    def index(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            known = self._stored_entry(entry.id)
            if known is None or known.version < entry.version:
                self._write(entry, known)
        self._finish()

    def remove(self, removals: Iterable[Removal]) -> None:
        for removal in removals:
            known = self._stored_entry(removal.id)
            if known is None or known.version < removal.version:
                self._bury(removal, known)
        self._finish()

    def enrich(self, contexts: Iterable[Context]) -> None:
        for context in contexts:
            known = self._stored_entry(context.id)
            if known is not None and known.state != REMOVED and known.version == context.version:
                self._execute(_CONTEXT, (known.key, *_of_context(context)))
                self._execute(_ENRICHED, (self._revision, known.key))
        self._finish()

    def _write(self, entry: Entry, known: StoredEntry | None) -> None:
        key = self._prepare_key(known)
        terms: Fields = (entry.title.terms, entry.text.terms, dict.fromkeys(entry.words, 1))
        self._postings.replace(key, self._terms(known), terms)
        self._execute(_DOCUMENT, _of_entry(key, self.number, self._revision, entry))
        self._execute(_TEXTS, _of_texts(key, entry))

    def _bury(self, removal: Removal, known: StoredEntry | None) -> None:
        key = self._prepare_key(known)
        self._postings.replace(key, self._terms(known), NO_TERMS)
        self._execute("DELETE FROM texts WHERE key = ?", (key,))
        blank = ("", "", 0, "", "", removal.at, "[]", "{}", 0, 0, 0, 0, 0, 0)
        self._execute(_DOCUMENT, (key, self.number, removal.id, removal.version, REMOVED, self._revision, *blank))

    def _prepare_key(self, known: StoredEntry | None) -> int:
        """Return the key of a document, after deleting its old context. A new document gets the next place."""
        if known is None:
            self._places += 1
            return self.number << PLACE_BITS | self._places - 1
        if known.state == ENRICHED:
            self._execute("DELETE FROM contexts WHERE key = ?", (known.key,))
        return known.key

    def _stored_entry(self, id: str) -> StoredEntry | None:
        row = self._execute(_KNOWN, (self.number, id)).fetchone()
        return row and StoredEntry(*row)

    def _terms(self, known: StoredEntry | None) -> Fields:
        row = known and self._execute(_TERMS, (known.key,)).fetchone()
        return (_terms(row[0]), _terms(row[1]), dict.fromkeys(_words(row[2]), 1)) if row else NO_TERMS

    def _finish(self) -> None:
        self._postings.write(self._connection)
        self._execute(_ADVANCE, (self._places, self._revision, self.number))

    def _execute(self, statement: str, values: Sequence[object]) -> sqlite3.Cursor:
        return self._connection.execute(statement, values)


W = TypeVar("W", Entry, Removal, Context)
Change = Callable[[sqlite3.Connection], None]


def index_change(scope: Scope, entries: Sequence[Entry]) -> Change:
    return _for_each_profile(scope, entries, Collection.index)


def removal_change(scope: Scope, removals: Sequence[Removal]) -> Change:
    return _for_each_profile(scope, removals, Collection.remove)


def enrichment_change(scope: Scope, contexts: Sequence[Context]) -> Change:
    return _for_each_profile(scope, contexts, Collection.enrich)


def _for_each_profile(scope: Scope, writes: Sequence[W], write: Callable[[Collection, list[W]], None]) -> Change:
    by_profile: dict[Profile, list[W]] = {}
    for one in newest(writes):
        by_profile.setdefault(one.profile, []).append(one)

    def change(connection: sqlite3.Connection) -> None:
        for profile, some in by_profile.items():
            write(_open_collection(connection, scope, profile), some)

    return change


def newest(writes: Sequence[W]) -> list[W]:
    """Return the newest write of each document. Of two writes of the same version the first counts, as if they were
    applied in turn."""
    best: dict[tuple[str, str], W] = {}
    for one in writes:
        other = best.setdefault((one.profile, one.id), one)
        if other.version < one.version:
            best[one.profile, one.id] = one
    return list(best.values())


def _open_collection(connection: sqlite3.Connection, scope: Scope, profile: Profile) -> Collection:
    names = (scope.tenant, scope.project, profile)
    row = connection.execute(_COLLECTION, names).fetchone()
    if row is None:
        connection.execute(_BEGIN, names)
        row = connection.execute(_COLLECTION, names).fetchone()
    return Collection(connection, *row)


def _of_entry(key: int, collection: int, revision: int, entry: Entry) -> tuple[object, ...]:
    identity = (key, collection, entry.id, entry.version, BARE, revision)
    place = (entry.kind, entry.session, entry.position, entry.role, entry.speaker, entry.at)
    title, text = entry.title, entry.text
    lengths = (title.length, title.kept, text.length, text.kept)
    return (
        *identity,
        *place,
        _json(entry.tags).decode(),
        _json(entry.fields).decode(),
        entry.asks,
        entry.names,
        *lengths,
    )


def _of_texts(key: int, entry: Entry) -> tuple[object, ...]:
    title, text = entry.title, entry.text
    derived = map(_encode, (title.terms, text.terms, entry.words))
    return (key, title.pieces, title.vector, text.pieces, text.vector, *derived)


def _of_context(context: Context) -> tuple[bytes, ...]:
    return context.title.vector, context.text.vector, context.title.bits, context.text.bits
