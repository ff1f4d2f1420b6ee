"""The fresh leg of search, which reads recently written documents from the store, because the index may lack them.

It reads the newest first.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from itertools import groupby, tee
from threading import Lock

from msgspec import Struct
from msgspec.structs import replace

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.ids import ulid
from almanac.kernel.instants import now_ms
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.analysis.exact_words import fold
from almanac.search.engine.parts import Derives, IndexParts
from almanac.search.engine.records import FRESH, DocumentWrite, FreshDocument
from almanac.search.filters import passes
from almanac.search.port import Document, Entry, Lookup, Place, Profile

MOST = 2000
MOST_BYTES = 4 * 1024 * 1024
COUNTED = 1000
DERIVED_AT_ONCE = 1_000_000
"""Number of characters of texts that one search derives. The next search continues from there."""
ROWS_AT_ONCE = 300
"""Number of rows for which one search waits while a table of vectors is being made. Documents that need more rows are
compared by words alone."""
READ_AT_ONCE = 100
"""Number of long texts that one search reads from their sources."""
REMEMBERED = 4000
REMEMBERED_TOGETHER = 40
"""Number of cached batches, each of up to 250 documents."""
OLD_MS = 60_000
"""Age at which a fresh document is looked up in its source before it becomes a hit."""


class Fresh(Struct, frozen=True):
    """Fresh documents of one search.

    `entries` has the last version of each document, and `gone` the ids of removed documents. `unreached` is the number
    of versions of the requested kinds that the search had no room for, counted up to 1,000. `old` are documents that
    should have been indexed by now. A later version of them may have left the fresh documents before this one.
    `of_words` is the number of entries that have no vectors yet.
    """

    entries: Sequence[Entry]
    gone: frozenset[str]
    unreached: int
    old: frozenset[str] = frozenset()
    of_words: int = 0


class FreshLeg:
    """Reads fresh documents, and derives and caches their entries. One object serves all threads."""

    def __init__(
        self, indexing: IndexParts, services: Services, *, remembered: "_Remembered | None" = None, once: bool = False
    ) -> None:
        self._indexing = indexing
        self._services = services
        self._remembered = remembered or _Remembered()
        self._rows: dict[Scope, Iterator[FreshDocument]] | None = {} if once else None

    def once(self) -> "FreshLeg":
        """Return a leg for one call on one thread. It reads the rows of a scope only once, for any number of
        searches."""
        return FreshLeg(self._indexing, self._services, remembered=self._remembered, once=True)

    def read(self, deriver: Derives, scope: Scope, profile: Profile, kinds: Sequence[str] = ()) -> Fresh:
        """Read the fresh documents of `profile`, and derive their entries as the question is derived.

        `kinds` are the kinds that the question asks for. An empty sequence means all.
        """
        stored, unreached = self._newest(scope, profile, kinds)
        live = [each for _, each in stored.values() if each.state != "removed"]
        gone = frozenset(each.document.id for _, each in stored.values() if each.state == "removed")
        entries, of_words = self._derive_entries(deriver, scope, live)
        before = ulid(max(0, now_ms(self._services.get(Clock)) - OLD_MS), bytes)
        old = frozenset(document_id for document_id, (event_id, _) in stored.items() if event_id < before)
        reached = {each.id for each in entries}
        unreached += sum(_counts(each, profile, kinds) for each in live if each.document.id not in reached)
        return Fresh(entries, gone, min(COUNTED, unreached), old, of_words)

    def find_places(self, scope: Scope, profile: Profile, lookup: Lookup) -> tuple[list[Place], int]:
        """Return the places of fresh documents that `lookup` may match, in its order, and the number of documents left
        unread.

        Long documents, whose texts are read from their source, always count as possible matches.
        """
        stored, unreached = self._newest(scope, profile, lookup.filters.kinds)
        parts = (*lookup.words, *lookup.prefixes)
        places = [
            Place(each.document.at, each.document.id)
            for _, each in stored.values()
            if each.state != "removed" and passes(each.document, lookup.filters) and _may_have(each, parts)
        ]
        return sorted(filter(lookup.is_behind, places), key=lookup.sort_key, reverse=True), unreached

    def superseded_ids(self, scope: Scope, entries: Sequence[Entry]) -> set[str]:
        """Return the ids of entries whose document has a later version in the store, or none."""
        by_kind: dict[str, list[Entry]] = {}
        for each in entries:
            by_kind.setdefault(each.kind, []).append(each)
        now: dict[str, int] = {}
        for kind, some in by_kind.items():
            source = self._indexing.sources.get(kind)
            found = source.read(self._services, scope, [each.id for each in some]) if source is not None else ()
            now |= {document.id: document.version for document in found}
        return {each.id for each in entries if now.get(each.id) != each.version}

    def _newest(
        self, scope: Scope, profile: Profile, kinds: Sequence[str]
    ) -> tuple[dict[str, tuple[str, DocumentWrite]], int]:
        """Return the last version of each fresh document with its event, and the number of versions of `kinds` that
        were left unread."""
        newest: dict[str, tuple[str, DocumentWrite]] = {}
        left, unread = _Room(), 0
        for fresh in self._fresh_documents(scope):
            if left.is_over:
                break
            writes = self._remembered.parse(fresh)
            if left.takes(len(writes), len(fresh.written)):
                for each in writes:
                    _keep_newer(newest, fresh.id, each, profile)
            else:
                unread += sum(_counts(each, profile, kinds) for each in writes)
        return newest, unread

    def _fresh_documents(self, scope: Scope) -> Iterator[FreshDocument]:
        rows = FRESH.within(self._services.get(Store), scope).every(reverse=True, page=500)
        if self._rows is None:
            return rows
        self._rows[scope], again = tee(self._rows.get(scope, rows))
        return again

    def _derive_entries(self, deriver: Derives, scope: Scope, live: Sequence[DocumentWrite]) -> tuple[list[Entry], int]:
        """Return the entries of these documents, as many as the limits of one search allow, and the number of entries
        with words alone.

        The next search derives entries with words alone again.
        """
        entries: list[Entry] = []
        unknown: list[DocumentWrite] = []
        for each in live:
            entry = self._remembered.get(deriver, scope, each.document)
            if entry is not None:
                entries.append(entry)
            else:
                unknown.append(each)
        characters = of_words = 0
        rows = ROWS_AT_ONCE
        for document in self._with_texts(scope, unknown):
            missing = deriver.count_missing_rows(document)
            rows -= missing
            if not missing or rows >= 0:
                entries.append(self._remembered.keep(deriver, scope, document))
            else:
                entries.append(deriver.of_words(document))
                of_words += 1
            characters += len(document.text)
            if characters >= DERIVED_AT_ONCE:
                break
        return entries, of_words

    def _with_texts(self, scope: Scope, unknown: Sequence[DocumentWrite]) -> Iterator[Document]:
        yield from (each.document for each in unknown if each.state == "whole")
        cut = sorted((each.document for each in unknown if each.state == "cut"), key=lambda one: one.kind)
        for kind, documents in groupby(cut[:READ_AT_ONCE], lambda one: one.kind):
            versions = {each.id: each.version for each in documents}
            source = self._indexing.sources.get(kind)
            for document in source.read(self._services, scope, list(versions)) if source is not None else ():
                # A later version has a fresh document of its own, which the next search reads at the latest.
                yield replace(document, version=max(document.version, versions[document.id]))


def with_others(fresh: Fresh, deriver: Derives, others: Sequence[Document]) -> Fresh:
    """Return `fresh` with documents that belong to one question alone.

    The same limits apply to them as to fresh documents, and their entries are not cached.
    """
    entries: list[Entry] = []
    characters = of_words = rows = 0
    for document in others:
        characters += len(document.text)
        if characters > DERIVED_AT_ONCE:
            break
        rows += deriver.count_missing_rows(document)
        of_words += rows > ROWS_AT_ONCE
        entries.append(deriver.of_words(document) if rows > ROWS_AT_ONCE else deriver.entry(document))
    return replace(fresh, entries=[*fresh.entries, *entries], of_words=fresh.of_words + of_words) if entries else fresh


def _may_have(one: DocumentWrite, parts: Sequence[str]) -> bool:
    """Return whether the texts contain each of `parts`. Every folded word of a text is a part of the folded text."""
    if one.state == "cut":
        return True
    text = fold(f"{one.document.title}\n{one.document.text}")
    return all(part in text for part in parts)


def _keep_newer(
    newest: dict[str, tuple[str, DocumentWrite]], event_id: str, one: DocumentWrite, profile: Profile
) -> None:
    document = one.document
    if document.profile != profile:
        return
    known = newest.get(document.id)
    if known is None or known[1].document.version < document.version:
        newest[document.id] = event_id, one


def _counts(one: DocumentWrite, profile: Profile, kinds: Sequence[str]) -> bool:
    """Return whether a question of `profile` asks for this version of a document."""
    return one.document.profile == profile and (not kinds or one.document.kind in kinds)


class _Room:
    """Room of one search. It reads 2,000 fresh documents, or 4 MB of them, and only counts the next 1,000."""

    def __init__(self) -> None:
        self._taken = 0
        self._bytes = 0
        self._passed = 0

    @property
    def is_over(self) -> bool:
        return self._passed >= COUNTED

    def takes(self, documents: int, length: int) -> bool:
        if self._taken >= MOST or self._bytes >= MOST_BYTES:
            self._passed += documents
            return False
        self._taken += documents
        self._bytes += length
        return True


class _Remembered:
    """Cache of the most recently used entries and parsed batches. A new deriver clears the entries."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: OrderedDict[tuple[Scope, str, int], Entry] = OrderedDict()
        self._deriver: Derives | None = None
        self._parsed: OrderedDict[str, tuple[DocumentWrite, ...]] = OrderedDict()

    def parse(self, fresh: FreshDocument) -> tuple[DocumentWrite, ...]:
        """Return the documents of a fresh item, caching those of batches.

        Batches, such as the parts of a file, are slow to parse again for each search. A single document parses as fast
        as a cache lookup.
        """
        with self._lock:
            if fresh.id in self._parsed:
                self._parsed.move_to_end(fresh.id)
                return self._parsed[fresh.id]
        parsed = fresh.writes
        if len(parsed) > 1:
            with self._lock:
                self._parsed[fresh.id] = parsed
                if len(self._parsed) > REMEMBERED_TOGETHER:
                    self._parsed.popitem(last=False)
        return parsed

    def get(self, deriver: Derives, scope: Scope, document: Document) -> Entry | None:
        with self._lock:
            if deriver is not self._deriver:
                self._entries.clear()
                self._deriver = deriver
            key = (scope, document.id, document.version)
            if key in self._entries:
                self._entries.move_to_end(key)
            return self._entries.get(key)

    def keep(self, deriver: Derives, scope: Scope, document: Document) -> Entry:
        """Derive the entry of a document. Cache it unless another search already uses a newer deriver."""
        entry = deriver.entry(document)
        with self._lock:
            if deriver is not self._deriver:
                return entry
            self._entries[scope, document.id, document.version] = entry
            if len(self._entries) > REMEMBERED:
                self._entries.popitem(last=False)
        return entry
