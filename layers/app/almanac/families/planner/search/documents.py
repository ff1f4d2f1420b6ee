"""Notes and journal entries as documents: written with their postings, listed and searched page by page."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.planner.core.documents import Document, DocumentText
from almanac.families.planner.core.item_kinds import Prefix
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.search.postings import ALL, Index, IndexTerm, Postings, id_at, is_id_of, position_of
from almanac.families.planner.search.reindexing import Reindexing, write_indexed
from almanac.families.planner.search.searching import Hits, Query, search
from almanac.families.planner.search.text import Phrase, excerpt_of, matches, tokens_of
from almanac.families.planner.search.walks import IndexReader
from almanac.platform.search.port import Document as Searched
from almanac.platform.store.conditions import Equals
from almanac.platform.store.page_cursors import Query as CursorIdentity
from almanac.platform.store.port import Change
from almanac.platform.store.records import Table
from almanac.platform.store.records import replace as versioned

D = TypeVar("D", bound=Document)
X = TypeVar("X", bound=DocumentText)


class Match(Struct, Generic[D], frozen=True):
    """`excerpt` shows the first phrase of the query, or the beginning of the text."""

    document: D
    excerpt: str


class Page(Struct, Generic[D], frozen=True):
    """`cursor` is None on the last page."""

    matches: Sequence[Match[D]]
    cursor: str | None


class Documents(ABC, Generic[D, X]):
    """The documents of one index in one project."""

    def __init__(self, planner: Planner, index: Index, prefix: Prefix, records: Table[D], texts: Table[X]) -> None:
        self.planner = planner
        self.rows = planner.rows(records)
        self.texts = planner.rows(texts)
        self._text = texts.record
        self._index: Index = index
        self._prefix: Prefix = prefix

    @abstractmethod
    def terms(self, document: D) -> Iterable[IndexTerm]:
        """The terms of a document besides its words."""

    @abstractmethod
    def searched(self, document: D, body: str) -> Searched:
        """What search by meaning finds."""

    def labels(self, document: D) -> tuple[str, ...]:
        """The texts that are searched besides the body."""
        return document.title, *document.tags

    def position(self, document: D) -> str:
        return position_of(document.id)

    def get(self, document_id: str) -> D | None:
        return self.rows.get(document_id) if is_id_of(self._prefix, document_id) else None

    def body(self, document: D) -> str:
        text = self.texts.get(document.id)
        return text.body if text is not None else ""

    def blank(self, document_id: str) -> dict[str, Any]:
        """The fields of a new document before it is edited."""
        now, actor = self.planner.now_ms(), self.planner.actor
        stamps = {"created_at": now, "created_by": actor, "updated_at": now, "updated_by": actor}
        return {"id": document_id, "title": "", "excerpt": "", "body_bytes": 0, **stamps}

    def insert(self, document: D, body: str, changes: Sequence[Change]) -> D:
        """Write a new document, with the changes that go with it."""
        text = self.texts.insert(self._text(id=document.id, body=body))
        found = self.planner.found(self.searched(document, body))
        self._write(document.id, [self.rows.insert(document), text, found, *changes], None, (document, body))
        return document

    def replace(self, old: D, new: D, bodies: tuple[str, str], changes: Callable[[D], Sequence[Change]]) -> D:
        """Write an edited document with its old and new body, with the changes that go with it, and return it.

        Equal edits write nothing.
        """
        old_body, body = bodies
        if new == old and body == old_body:
            return old
        new = replace(new, updated_at=self.planner.now_ms(), updated_by=self.planner.actor)
        text: list[Change] = [self.texts.put(self._text(id=old.id, body=body))] if body != old_body else []
        written = replace(new, version=old.version + 1)
        text.append(self.planner.found(self.searched(written, body)))
        self._write(old.id, [versioned(self.rows, new), *changes(new), *text], (old, old_body), (new, body))
        return written

    def delete(self, document: D, changes: Sequence[Change]) -> None:
        """Delete a document, with the changes that go with it. Raises ConditionFailed where it changed since."""
        deletion = self.rows.delete(document.id, condition=Equals("version", document.version))
        lost = self.planner.lost(self.searched(document, ""))
        every = [deletion, self.texts.delete(document.id), lost, *changes]
        self._write(document.id, every, (document, self.body(document)), None)

    def search(self, query: Query, limit: int, keep: Callable[[D], bool]) -> Hits[Match[D]]:
        """The first `limit` matches. `keep` checks the document itself, for postings may be outdated."""

        def read(positions: Sequence[str]) -> list[Match[D] | None]:
            return self._read(positions, query.phrases, keep)

        return search(IndexReader(self.planner.store, self.planner.scope, self._index), query, limit, read)

    def page(
        self, identity: CursorIdentity, query: Query, limit: int, cursor: str | None, keep: Callable[[D], bool]
    ) -> Page[D]:
        """A page of matches. `identity` binds the cursor to the arguments of the query."""
        cursors = self.planner.cursors
        hits = self.search(replace(query, start=cursors.start_of(identity, cursor, query.start)), limit, keep)
        return Page(hits.entries, cursors.seal(identity, hits.reached))

    def _write(
        self, document_id: str, changes: Sequence[Change], old: tuple[D, str] | None, new: tuple[D, str] | None
    ) -> None:
        before, after = (self._postings(*one) if one is not None else None for one in (old, new))
        version = old[0].version if old is not None else 0
        reindexing = Reindexing(self._index, self.rows.key(document_id), version, before, after)
        write_indexed(self.planner.store, self.planner.scope, changes, reindexing)

    def _postings(self, document: D, body: str) -> Postings:
        words = (IndexTerm("word", token) for token in tokens_of((*self.labels(document), body)))
        return Postings(self.position(document), frozenset([ALL, *self.terms(document), *words]))

    def _read(
        self, positions: Sequence[str], phrases: Sequence[Phrase], keep: Callable[[D], bool]
    ) -> list[Match[D] | None]:
        keys = [(id_at(position, self._prefix),) for position in positions]
        documents = self.rows.get_many(keys)
        texts = self.texts.get_many(keys) if phrases else [None] * len(keys)
        return [
            self._match(document, text.body if text is not None else "", phrases)
            if document is not None and self.position(document) == position and keep(document)
            else None
            for position, document, text in zip(positions, documents, texts, strict=True)
        ]

    def _match(self, document: D, body: str, phrases: Sequence[Phrase]) -> Match[D] | None:
        if not phrases:
            return Match(document, document.excerpt)
        return Match(document, excerpt_of(body, phrases)) if matches(phrases, (*self.labels(document), body)) else None
