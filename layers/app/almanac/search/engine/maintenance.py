"""Maintenance of the index: rebuild it, compare it with the store, repair it, and count its documents.

Calls may write meanwhile, and several processes may do this at once, because versions decide which document counts.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import islice
from threading import Event, Lock
from typing import TypeVar

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.platform.store.records import Rows
from almanac.search.engine.parts import IndexParts
from almanac.search.engine.records import FRESH, FreshDocument
from almanac.search.port import (
    GONE_KEPT_MS,
    Document,
    DocumentState,
    Profile,
    RebuildPlace,
    Removal,
    SearchIndex,
    Status,
)
from almanac.search.source import Source

BATCH = 100
KEPT_BATCHES = 10
"""Number of batches after which a rebuild stores its progress."""
_PAGE = 1000
PROFILES: tuple[Profile, ...] = ("talk", "documents", "code")

T = TypeVar("T")
Progress = Callable[[int], object]
"""Called with the number of documents so far."""


class VerificationResult(Struct, frozen=True, kw_only=True):
    """Result of comparing and repairing a project's index.

    `documents` is the number in the store, and `fresh` the number on their way to the index. `stuck` documents are
    removed in the index, or have a later version there than in the store, as after restoring a backup of the store.
    """

    documents: int = 0
    missing: int = 0
    outdated: int = 0
    superfluous: int = 0
    stuck: int = 0
    fresh: int = 0

    def __add__(self, other: "VerificationResult") -> "VerificationResult":
        fields = self.__struct_fields__
        return VerificationResult(**{name: getattr(self, name) + getattr(other, name) for name in fields})


class _Total:
    """The number of documents that the workers of a rebuild have indexed, and whether they should stop."""

    def __init__(self, progress: Progress, *, is_resumed: bool) -> None:
        self._progress = progress
        self.is_resumed = is_resumed
        self._lock = Lock()
        self.count = 0
        self.stopping = Event()

    def add(self, documents: int) -> None:
        with self._lock:
            self.count += documents
            self._progress(self.count)


class Upkeep:
    """Maintains `index`, which is the index of `indexing`."""

    def __init__(self, index: SearchIndex, indexing: IndexParts, services: Services) -> None:
        self._index = index
        self._indexing = indexing
        self._services = services

    def status(self, scope: Scope) -> tuple[Status, int]:
        """Return the status of the index and the number of fresh documents."""
        return self._index.status(scope), sum(1 for _ in self._fresh(scope).every(page=_PAGE))

    def rebuild(self, scopes: Iterable[Scope], progress: Progress, *, workers: int = 1, resume: bool = False) -> int:
        """Rebuild the index from the store while the old one answers. Return the number of documents.

        With `resume`, an interrupted rebuild continues without reading indexed documents again, if the index supports
        that. `workers` is the number of threads.
        """
        gone_since = self._removal_horizon()
        is_resumed = resume and self._index.resume_rebuild()
        if not is_resumed:
            self._index.start_rebuild(gone_since)
        total = _Total(progress, is_resumed=is_resumed)
        parts = [(scope, source) for scope in scopes for source in self._indexing.sources.values()]
        if workers == 1:
            for scope, source in parts:
                self._rebuild(scope, source, total)
        else:
            with ThreadPoolExecutor(workers, "rebuild") as pool:
                waiting = [pool.submit(self._rebuild, scope, source, total) for scope, source in parts]
                try:
                    for each in as_completed(waiting):
                        each.result()
                except BaseException:
                    total.stopping.set()
                    pool.shutdown(cancel_futures=True)
                    raise
        self._index.finish_rebuild(gone_since)
        return total.count

    def _rebuild(self, scope: Scope, source: Source, total: "_Total") -> None:
        """Write the documents of a kind to the new index, starting where an earlier attempt stopped."""
        place = self._index.rebuild_place(scope, source.kind) if total.is_resumed else RebuildPlace()
        if place.done:
            return
        number = 0
        for number, batch in enumerate(_batches(source.every(self._services, scope, place.after), BATCH), 1):
            if total.stopping.is_set():
                return
            self._bring(scope, batch)
            total.add(len(batch))
            if number % KEPT_BATCHES == 0:
                self._index.keep_rebuild_place(scope, source.kind, RebuildPlace(batch[-1].id))
        # Progress is not stored for an empty kind, which is quickly read again.
        if number:
            self._index.keep_rebuild_place(scope, source.kind, RebuildPlace(done=True))

    def verify(self, scope: Scope, progress: Progress) -> VerificationResult:
        """Compare the index with the store, document by document, and repair it."""
        before: dict[Profile, dict[str, DocumentState]] = {
            profile: self._index_states(scope, profile) for profile in PROFILES
        }
        found = VerificationResult()
        for batch in _batches(self._documents(scope), BATCH):
            found += self._compare(scope, batch, before)
            progress(found.documents)
        found += VerificationResult(
            superfluous=sum(self._drop(scope, profile, held) for profile, held in before.items())
        )
        if found.stuck:
            self._begin_anew(scope, progress)
        self._index.drop_removed(self._removal_horizon())
        return found + VerificationResult(fresh=self._let_go(scope))

    def _begin_anew(self, scope: Scope, progress: Progress) -> None:
        """Clear and index a project again, because its index has later versions than the store."""
        self._index.forget(scope)
        done = 0
        for batch in _batches(self._documents(scope), BATCH):
            self._bring(scope, batch)
            progress(done := done + len(batch))

    def _compare(
        self, scope: Scope, batch: Sequence[Document], before: dict[Profile, dict[str, DocumentState]]
    ) -> VerificationResult:
        """Compare a batch with the index and repair it. Removes the compared documents from `before`."""
        pairs = [(each, before[each.profile].pop(each.id, None)) for each in batch]
        missing = [document for document, held in pairs if held is None]
        outdated = [document for document, held in pairs if held is not None and held.version < document.version]
        stuck = sum(1 for document, held in pairs if held is not None and _is_stuck(document, held))
        self._bring(scope, [*missing, *outdated])
        return VerificationResult(documents=len(batch), missing=len(missing), outdated=len(outdated), stuck=stuck)

    def _drop(self, scope: Scope, profile: Profile, unseen: dict[str, DocumentState]) -> int:
        """Remove documents that the index has but no source.

        Reads the sources again, in case they were just written.
        """
        left = [held for held in unseen.values() if not held.removed]
        dropped, now = 0, now_ms(self._services.get(Clock))
        for batch in _batches(iter(left), BATCH):
            exist = self._source_ids(scope, profile, [each.id for each in batch])
            gone = [each for each in batch if each.id not in exist]
            removals = [Removal(id=each.id, profile=profile, version=each.version + 1, at=now) for each in gone]
            if removals:
                self._index.remove(scope, removals)
            dropped += len(removals)
        return dropped

    def _source_ids(self, scope: Scope, profile: Profile, ids: Sequence[str]) -> set[str]:
        sources = [source for source in self._indexing.sources.values() if source.profile == profile]
        return {each.id for source in sources for each in source.read(self._services, scope, ids)}

    def _let_go(self, scope: Scope) -> int:
        """Delete the fresh documents that searches of the index see. Return the number of those that are left."""
        held: dict[tuple[Profile, str], DocumentState] = {
            (profile, one.id): one for profile in PROFILES for one in self._index_states(scope, profile).values()
        }
        rows, left = self._fresh(scope), 0
        for fresh in list(rows.every(page=_PAGE)):
            if all(_is_held(each.document, held) for each in fresh.writes):
                self._services.get(Store).write([rows.delete(fresh.id)])
            else:
                left += 1
        return left

    def _removal_horizon(self) -> int:
        """Return the instant since which removals must be remembered, in milliseconds since 1970."""
        return now_ms(self._services.get(Clock)) - GONE_KEPT_MS

    def _index_states(self, scope: Scope, profile: Profile) -> dict[str, DocumentState]:
        held: dict[str, DocumentState] = {}
        after = ""
        while page := self._index.list_states(scope, profile, after=after, limit=_PAGE):
            held |= {each.id: each for each in page}
            after = page[-1].id
        return held

    def _documents(self, scope: Scope) -> Iterator[Document]:
        for source in self._indexing.sources.values():
            yield from source.every(self._services, scope, "")

    def _bring(self, scope: Scope, documents: Sequence[Document]) -> None:
        deriver = self._indexing.deriver()
        if documents:
            self._index.index(scope, [deriver.entry(each) for each in documents])

    def _fresh(self, scope: Scope) -> Rows[FreshDocument]:
        return FRESH.within(self._services.get(Store), scope)


def _is_held(document: Document, states: Mapping[tuple[Profile, str], DocumentState]) -> bool:
    known = states.get((document.profile, document.id))
    return known is not None and known.version >= document.version


def _is_stuck(document: Document, state: DocumentState) -> bool:
    return state.version > document.version or (state.removed and state.version == document.version)


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
