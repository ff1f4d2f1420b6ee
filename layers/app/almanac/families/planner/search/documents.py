"""Notes and journal entries as documents: writing with postings, and lists and searches in pages.

The search engine finds documents by words. If it is unavailable, texts are compared one by one, and the page says so.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.planner.core.documents import Document, DocumentText
from almanac.families.planner.core.item_kinds import Prefix
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.search.indexed_writes import IndexedChange, write_indexed
from almanac.families.planner.search.item_search import Candidates, Hits, Query, candidates_of, search
from almanac.families.planner.search.postings import (
    ALL,
    ID_LENGTH,
    Index,
    IndexTerm,
    Postings,
    id_at,
    id_before,
    is_id_of,
    position_of,
    posting_key,
)
from almanac.families.planner.search.text import Phrase, excerpt_of, matches
from almanac.families.planner.search.walks import IndexReader
from almanac.platform.store.conditions import Equals
from almanac.platform.store.page_cursors import Query as CursorIdentity
from almanac.platform.store.port import MAX_CHANGES, Change, Delete
from almanac.platform.store.records import Table
from almanac.platform.store.records import replace as versioned
from almanac.search.analysis.exact_words import exact_words_of
from almanac.search.engine.exact_search import ExactSearch, IndexUnavailable
from almanac.search.port import Document as Searched
from almanac.search.port import Lookup, Order, Place

ONE_BY_ONE = "Texts were compared one by one, the newest first; where nextCursor is set, others were not reached."
_MORE = 10
"""Extra documents to read, since some hits may be deleted or no longer match."""

D = TypeVar("D", bound=Document)
X = TypeVar("X", bound=DocumentText)


class Match(Struct, Generic[D], frozen=True):
    """A matching document. `excerpt` shows the first phrase of the query, or the beginning of the text."""

    document: D
    excerpt: str


class Page(Struct, Generic[D], frozen=True):
    """A page of matches. `cursor` is None on the last page. `notes` say why texts were compared one by one."""

    matches: Sequence[Match[D]]
    cursor: str | None
    notes: tuple[str, ...] = ()


class Documents(ABC, Generic[D, X]):
    """The documents of one index in one project."""

    order: Order = "id"
    """The order in which the search engine has them."""

    def __init__(self, planner: Planner, index: Index, prefix: Prefix, records: Table[D], texts: Table[X]) -> None:
        self.planner = planner
        self.rows = planner.rows(records)
        self.texts = planner.rows(texts)
        self._text = texts.record
        self._index: Index = index
        self._prefix: Prefix = prefix

    @abstractmethod
    def terms(self, document: D) -> Iterable[IndexTerm]:
        """Yield the index terms of a document besides its words."""

    @abstractmethod
    def search_document(self, document: D, body: str) -> Searched:
        """Return the document as the search engine indexes it."""

    def labels(self, document: D) -> tuple[str, ...]:
        """Return the texts that are searched besides the body."""
        return document.title, *document.tags

    def position(self, document: D) -> str:
        return position_of(document.id)

    def position_at(self, place: Place) -> str:
        """Return the position of a document at a place of the search engine."""
        return position_of(place.id)

    def place_before(self, position: str) -> Place | None:
        """Return the place after which a search that starts at `position` begins; None for the first page."""
        return None if len(position) < ID_LENGTH else Place(0, id_before(position, self._prefix))

    def get(self, document_id: str) -> D | None:
        return self.rows.get(document_id) if is_id_of(self._prefix, document_id) else None

    def body(self, document: D) -> str:
        text = self.texts.get(document.id)
        return text.body if text is not None else ""

    def blank(self, document_id: str) -> dict[str, Any]:
        """Return the fields of a new document before it is edited."""
        now, actor = self.planner.now_ms(), self.planner.actor
        stamps = {"created_at": now, "created_by": actor, "updated_at": now, "updated_by": actor}
        return {"id": document_id, "title": "", "excerpt": "", "body_bytes": 0, "has_word_postings": False, **stamps}

    def insert(self, document: D, body: str, changes: Sequence[Change]) -> D:
        """Write a new document together with related changes."""
        text = self.texts.insert_early(self._text(id=document.id, body=body))
        found = self.planner.index_change(self.search_document(document, body))
        self._write(document.id, [self.rows.insert(document), text, found, *changes], None, document)
        return document

    def replace(self, old: D, new: D, bodies: tuple[str, str], changes: Callable[[D], Sequence[Change]]) -> D:
        """Write an edited document with its old and new body and related changes, and return it. Equal edits write
        nothing."""
        old_body, body = bodies
        if new == old and body == old_body:
            return old
        self._remove_words(old, old_body)
        stamps = {"updated_at": self.planner.now_ms(), "updated_by": self.planner.actor}
        new = replace(new, has_word_postings=False, **stamps)
        text: list[Change] = [self.texts.put(self._text(id=old.id, body=body))] if body != old_body else []
        written = replace(new, version=old.version + 1)
        text.append(self.planner.index_change(self.search_document(written, body)))
        self._write(old.id, [versioned(self.rows, new), *changes(new), *text], old, new)
        return written

    def delete(self, document: D, changes: Sequence[Change]) -> None:
        """Delete a document together with related changes. Raises ConditionFailed if it changed since it was read."""
        deletion = self.rows.delete(document.id, condition=Equals("version", document.version))
        lost = self.planner.unindex_change(self.search_document(document, ""))
        every = [deletion, self.texts.delete(document.id), lost, *changes]
        self._remove_words(document, self.body(document))
        self._write(document.id, every, document, None)

    def first(self, query: Query, limit: int, keep: Callable[[D], bool]) -> Hits[Match[D]]:
        """Return the first `limit` documents that have the terms. `keep` checks the document itself, since postings may
        be outdated."""
        return self._search(self._list_candidates(query), query, limit, keep)

    def page(
        self,
        identity: CursorIdentity,
        query: Query,
        limit: int,
        cursor: str | None,
        keep: Callable[[D], bool],
        exact: ExactSearch | None = None,
    ) -> Page[D]:
        """Return a page of matches. `identity` binds the cursor to the arguments of the query. Without `exact`, texts
        are compared one by one."""
        cursors, notes = self.planner.cursors, ()
        query = replace(query, start=cursors.start_of(identity, cursor, query.start))
        candidates = self._list_candidates(query)
        if query.phrases and exact is not None:
            try:
                candidates = self._search_candidates(exact, query, limit)
            except IndexUnavailable as why:
                notes = (f"{why} {ONE_BY_ONE}",)
        hits = self._search(candidates, query, limit, keep)
        return Page(hits.entries, cursors.seal(identity, hits.next_position), notes)

    def _search(self, candidates: Candidates, query: Query, limit: int, keep: Callable[[D], bool]) -> Hits[Match[D]]:
        return search(candidates, query, limit, lambda positions: self._read(positions, query.phrases, keep))

    def _list_candidates(self, query: Query) -> Candidates:
        return candidates_of(IndexReader(self.planner.store, self.planner.scope, self._index), query)

    def _search_candidates(self, exact: ExactSearch, query: Query, limit: int) -> Candidates:
        """Return the documents that the search engine finds. Raises IndexUnavailable."""
        lookup = Lookup(
            words=query.words,
            prefixes=query.prefixes,
            filters=query.filters,
            order=self.order,
            after=self.place_before(query.start),
            size=limit + _MORE,
        )
        places = exact.places(self.planner.scope, "documents", lookup)
        return Candidates((self.position_at(place), True) for place in places)

    def _write(self, document_id: str, changes: Sequence[Change], old: D | None, new: D | None) -> None:
        before, after = (self._postings(one) if one is not None else None for one in (old, new))
        version = old.version if old is not None else 0
        reindexing = IndexedChange(self._index, self.rows.key(document_id), version, before, after)
        write_indexed(self.planner.store, self.planner.scope, changes, reindexing)

    def _postings(self, document: D) -> Postings:
        return Postings(self.position(document), frozenset([ALL, *self.terms(document)]))

    def _remove_words(self, document: D, body: str) -> None:
        """Delete the word postings that a former version wrote, and only then record that none are left. If this is
        interrupted, the next change repeats it. Nothing reads these postings."""
        words = exact_words_of((*self.labels(document), body)) if document.has_word_postings else ()
        terms = (IndexTerm("word", word) for word in sorted(words))
        keys = [posting_key(self.planner.scope, self._index, term, self.position(document)) for term in terms]
        for start in range(0, len(keys), MAX_CHANGES):
            self.planner.store.write([Delete(key) for key in keys[start : start + MAX_CHANGES]])

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
