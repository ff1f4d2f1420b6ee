"""The fresh leg: what was written and may not be in the index yet, read from the store, the newest first."""

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
"""Characters of texts that one search derives; the next one goes on where it stopped."""
ROWS_AT_ONCE = 300
"""Rows of a table of vectors that is still being made which one search waits for; beyond, words alone say what a
document has in common with a question."""
READ_AT_ONCE = 100
"""Long texts that one search reads from their sources."""
REMEMBERED = 4000
REMEMBERED_TOGETHER = 40
"""Events that tell of several documents, 250 at most."""
OLD_MS = 60_000
"""After so long a fresh document is looked up once more before it is a hit."""


class Fresh(Struct, frozen=True):
    """The last version of each document, `gone` those that were removed. `unreached` counts the versions of the kinds
    asked for that there was no room to search, up to 1,000. `old` are documents that should have been indexed by now: a
    later version may have been let go before this one. `of_words` of the entries have no vectors yet."""

    entries: Sequence[Entry]
    gone: frozenset[str]
    unreached: int
    old: frozenset[str] = frozenset()
    of_words: int = 0


class FreshLeg:
    """Reads fresh documents and derives their entries, which it remembers. One object serves all threads."""

    def __init__(
        self, indexing: IndexParts, services: Services, *, remembered: "_Remembered | None" = None, once: bool = False
    ) -> None:
        self._indexing = indexing
        self._services = services
        self._remembered = remembered or _Remembered()
        self._rows: dict[Scope, Iterator[FreshDocument]] | None = {} if once else None

    def once(self) -> "FreshLeg":
        """Return a leg that reads the rows of a scope once, however often it is asked: for one call, on one thread."""
        return FreshLeg(self._indexing, self._services, remembered=self._remembered, once=True)

    def read(self, deriver: Derives, scope: Scope, profile: Profile, kinds: Sequence[str] = ()) -> Fresh:
        """Read the fresh documents of `profile`, derived as the question is. `kinds` are those that the question asks
        for; none allows all."""
        stored, unreached = self._newest(scope, profile, kinds)
        live = [each for _, each in stored.values() if each.state != "removed"]
        gone = frozenset(each.document.id for _, each in stored.values() if each.state == "removed")
        entries, of_words = self._derived(deriver, scope, live)
        before = ulid(max(0, now_ms(self._services.get(Clock)) - OLD_MS), bytes)
        old = frozenset(document_id for document_id, (event_id, _) in stored.items() if event_id < before)
        reached = {each.id for each in entries}
        unreached += sum(_counts(each, profile, kinds) for each in live if each.document.id not in reached)
        return Fresh(entries, gone, min(COUNTED, unreached), old, of_words)

    def matching(self, scope: Scope, profile: Profile, lookup: Lookup) -> tuple[list[Place], int]:
        """Return the places of fresh documents that `lookup` may match, in its order, and the number of documents left
        unread. Texts that are read from their source may match, whatever they say."""
        stored, unreached = self._newest(scope, profile, lookup.filters.kinds)
        parts = (*lookup.words, *lookup.prefixes)
        places = [
            Place(each.document.at, each.document.id)
            for _, each in stored.values()
            if each.state != "removed" and passes(each.document, lookup.filters) and _may_have(each, parts)
        ]
        return sorted(filter(lookup.is_behind, places), key=lookup.sort_key, reverse=True), unreached

    def superseded(self, scope: Scope, entries: Sequence[Entry]) -> set[str]:
        """The ids of those of which the store has a later version, or none."""
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
        """Return the last version of each document among the fresh ones with its event, and the number of versions of
        `kinds` that were left unread."""
        newest: dict[str, tuple[str, DocumentWrite]] = {}
        left, unread = _Room(), 0
        for fresh in self._stored(scope):
            if left.is_over:
                break
            told = self._remembered.parsed(fresh)
            if left.takes(len(told), len(fresh.written)):
                for each in told:
                    _keep_newer(newest, fresh.id, each, profile)
            else:
                unread += sum(_counts(each, profile, kinds) for each in told)
        return newest, unread

    def _stored(self, scope: Scope) -> Iterator[FreshDocument]:
        rows = FRESH.within(self._services.get(Store), scope).every(reverse=True, page=500)
        if self._rows is None:
            return rows
        self._rows[scope], again = tee(self._rows.get(scope, rows))
        return again

    def _derived(self, deriver: Derives, scope: Scope, live: Sequence[DocumentWrite]) -> tuple[list[Entry], int]:
        """The entries of these documents, as many as the bounds of one search allow, and how many are of words alone:
        these are derived again by the next search."""
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
            lacking = deriver.lacking(document)
            rows -= lacking
            if not lacking or rows >= 0:
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
                # A later version has a fresh document of its own, which is read by the next search at the latest.
                yield replace(document, version=max(document.version, versions[document.id]))


def with_others(fresh: Fresh, deriver: Derives, others: Sequence[Document]) -> Fresh:
    """`fresh` with documents that are of one question alone: within the bounds of one search, and not remembered."""
    entries: list[Entry] = []
    characters = of_words = rows = 0
    for document in others:
        characters += len(document.text)
        if characters > DERIVED_AT_ONCE:
            break
        rows += deriver.lacking(document)
        of_words += rows > ROWS_AT_ONCE
        entries.append(deriver.of_words(document) if rows > ROWS_AT_ONCE else deriver.entry(document))
    return replace(fresh, entries=[*fresh.entries, *entries], of_words=fresh.of_words + of_words) if entries else fresh


def _may_have(one: DocumentWrite, parts: Sequence[str]) -> bool:
    """Return whether each of `parts` is in the texts: a word that a text has is a part of it once it is folded."""
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
    """The room of one search: 2,000 fresh documents and 4 MB of them, then the next 1,000, which are counted."""

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
    """Entries that were derived, the last used ones, as long as one deriver makes them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._entries: OrderedDict[tuple[Scope, str, int], Entry] = OrderedDict()
        self._deriver: Derives | None = None
        self._parsed: OrderedDict[str, tuple[DocumentWrite, ...]] = OrderedDict()

    def parsed(self, fresh: FreshDocument) -> tuple[DocumentWrite, ...]:
        """Return the documents of a fresh item, caching those of batches.

        Batches, such as the parts of a file, are slow to parse again for each search. A single document parses as fast
        as a cache lookup.
        """
        with self._lock:
            if fresh.id in self._parsed:
                self._parsed.move_to_end(fresh.id)
                return self._parsed[fresh.id]
        parsed = fresh.parsed
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
        """Derive the entry of a document. Remember it unless another search has a newer deriver by now."""
        entry = deriver.entry(document)
        with self._lock:
            if deriver is not self._deriver:
                return entry
            self._entries[scope, document.id, document.version] = entry
            if len(self._entries) > REMEMBERED:
                self._entries.popitem(last=False)
        return entry
