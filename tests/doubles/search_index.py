"""A search index in memory that looks at every document. Other indexes must return the same results."""

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.search.fields import statistics_of
from almanac.search.filters import passes
from almanac.search.frame import Frame, Vector
from almanac.search.frames import Row, frame_of, take
from almanac.search.port import (
    Context,
    DocumentState,
    Entry,
    Filters,
    Leg,
    Lookup,
    Place,
    Profile,
    Question,
    RebuildPlace,
    Removal,
    Status,
)
from almanac.search.ranking.sessions import neighbours
from almanac.search.ranking.similarity import pool_similarity
from almanac.search.ranking.words import bm25, kernel_bm25, saturation_of

NEIGHBOURS = 6


class _StoredDocument(Struct, frozen=True):
    """A document, or the tombstone of a removed document, which has no row."""

    version: int
    row: Row | None
    removed_at: int = 0


class MemoryIndex:
    visible_after_ms = 0

    def __init__(self) -> None:
        self._documents: dict[tuple[Scope, Profile, str], _StoredDocument] = {}
        self._next: dict[tuple[Scope, Profile, str], _StoredDocument] | None = None
        self._places: dict[tuple[Scope, str], RebuildPlace] = {}
        self.is_whole = False

    def index(self, scope: Scope, entries: Sequence[Entry]) -> None:
        for each in entries:
            self._write((scope, each.profile, each.id), _StoredDocument(each.version, Row(each)))

    def remove(self, scope: Scope, removals: Sequence[Removal]) -> None:
        for each in removals:
            self._write((scope, each.profile, each.id), _StoredDocument(each.version, None, each.at))

    def enrich(self, scope: Scope, contexts: Sequence[Context]) -> None:
        for documents in self._written_tables():
            for each in contexts:
                key = (scope, each.profile, each.id)
                kept = documents.get(key)
                if kept and kept.row and kept.version == each.version:
                    documents[key] = _StoredDocument(each.version, Row(kept.row.entry, each))

    def candidates(
        self, scope: Scope, profile: Profile, question: Question, filters: Filters, legs: Sequence[Leg], size: int
    ) -> Frame:
        rows = [kept.row for _, kept in self._documents_of(scope, profile) if kept.row]
        passing = {row.entry.id for row in rows if passes(row.entry, filters)}
        whole = frame_of(
            rows,
            question,
            found=passing,
            documents=len(rows),
            title_statistics=statistics_of([row.entry.title for row in rows], question),
            text_statistics=statistics_of([row.entry.text for row in rows], question),
        )
        return self._narrow(whole, profile, legs, size)

    def find_places(self, scope: Scope, profile: Profile, lookup: Lookup) -> Sequence[Place] | None:
        if not self.is_whole:
            return None
        rows = [kept.row.entry for _, kept in self._documents_of(scope, profile) if kept.row]
        places = [Place(each.at, each.id) for each in rows if passes(each, lookup.filters) and _has_words(each, lookup)]
        places.sort(key=lookup.sort_key, reverse=True)
        return [each for each in places if lookup.is_behind(each)][: lookup.size]

    def enriched_share(self, scope: Scope, profile: Profile) -> float:
        rows = [kept.row for _, kept in self._documents_of(scope, profile) if kept.row]
        return sum(row.context is not None for row in rows) / (len(rows) or 1)

    def status(self, scope: Scope) -> Status:
        kept = [each for (owner, _, _), each in self._documents.items() if owner == scope]
        rows = [each.row for each in kept if each.row]
        return Status(
            documents=len(rows),
            enriched=sum(row.context is not None for row in rows),
            removed=len(kept) - len(rows),
            rebuilding=self._next is not None,
        )

    def list_states(
        self, scope: Scope, profile: Profile, *, after: str = "", limit: int = 1000
    ) -> Sequence[DocumentState]:
        found = sorted(
            (_state_of(key, kept) for key, kept in self._documents_of(scope, profile)), key=lambda held: held.id
        )
        return [each for each in found if each.id > after][:limit]

    def states_of(self, scope: Scope, profile: Profile, ids: Sequence[str]) -> Sequence[DocumentState]:
        return [_state_of(name, kept) for name, kept in self._documents_of(scope, profile) if name in ids]

    def list_unenriched(self, scope: Scope, limit: int) -> Sequence[DocumentState]:
        rows = [
            (kept.row.entry.at, _state_of(name, kept))
            for (owner, _, name), kept in self._documents.items()
            if owner == scope and kept.row and kept.row.context is None
        ]
        return [state for _, state in sorted(rows, key=lambda each: each[0], reverse=True)][:limit]

    def forget(self, scope: Scope) -> None:
        for documents in self._written_tables():
            for key in [key for key in documents if key[0] == scope]:
                del documents[key]

    def drop_removed(self, before: int) -> int:
        old = [key for key, kept in self._documents.items() if kept.row is None and kept.removed_at < before]
        for key in old:
            del self._documents[key]
        return len(old)

    def start_rebuild(self, gone_since: int = 0) -> None:
        self._next, self._places = {}, {}

    def resume_rebuild(self) -> bool:
        return self._next is not None

    def rebuild_place(self, scope: Scope, kind: str) -> RebuildPlace:
        return self._places.get((scope, kind), RebuildPlace())

    def keep_rebuild_place(self, scope: Scope, kind: str, place: RebuildPlace) -> None:
        self._places[scope, kind] = place

    def finish_rebuild(self, gone_since: int = 0) -> None:
        if self._next is None:
            raise Unavailable("No index is being rebuilt.", "Start the rebuild again.")
        former, self._documents, self._next = self._documents, self._next, None
        self.is_whole = True
        for key, kept in former.items():
            if kept.row is None and kept.removed_at >= gone_since:
                self._write(key, kept)

    def _narrow(self, whole: Frame, profile: Profile, legs: Sequence[Leg], size: int) -> Frame:
        chosen = np.zeros(len(whole.ids), dtype=np.bool_)
        for scores in _scores_of_legs(whole, profile, legs):
            found = np.where(whole.candidates, scores, -np.inf)
            best = np.argsort(-found, kind="stable")[:size]
            chosen[best[found[best] > -np.inf]] = True
        near = neighbours(whole, chosen, NEIGHBOURS)
        return take(replace(whole, candidates=chosen), np.flatnonzero(near))

    def _documents_of(self, scope: Scope, profile: Profile) -> Iterator[tuple[str, _StoredDocument]]:
        return ((name, kept) for (owner, of, name), kept in self._documents.items() if (owner, of) == (scope, profile))

    def _write(self, key: tuple[Scope, Profile, str], kept: _StoredDocument) -> None:
        for documents in self._written_tables():
            former = documents.get(key)
            if former is None or former.version < kept.version:
                documents[key] = kept

    def _written_tables(self) -> list[dict[tuple[Scope, Profile, str], _StoredDocument]]:
        return [self._documents] if self._next is None else [self._documents, self._next]


def _scores_of_legs(frame: Frame, profile: Profile, legs: Sequence[Leg]) -> Iterator[Vector]:
    """Yield the scores of all rows for each leg, -inf where the leg does not find the row."""
    if "words" in legs:
        scores = _word_scores(frame, profile)
        yield np.where(scores > 0, scores, -np.inf)
    if "meaning" in legs and (similarity := pool_similarity(frame.text)) is not None:
        without_vectors = np.isnan(frame.text.similarity) & np.isnan(frame.text.context)
        yield np.where(without_vectors, -np.inf, similarity)


def _word_scores(frame: Frame, profile: Profile) -> Vector:
    """Return a score per row. It is 0 if neither the row nor, in talk, a neighbour has a word of the question."""
    if profile == "talk":
        return kernel_bm25(frame)
    saturation = saturation_of(profile)
    title = bm25(frame.title, frame.title_statistics, frame.documents, saturation)
    return title + bm25(frame.text, frame.text_statistics, frame.documents, saturation)


def _has_words(entry: Entry, lookup: Lookup) -> bool:
    return set(lookup.words) <= set(entry.words) and all(
        any(word.startswith(prefix) for word in entry.words) for prefix in lookup.prefixes
    )


def _state_of(name: str, kept: _StoredDocument) -> DocumentState:
    if kept.row is None:
        return DocumentState(name, kept.version, removed=True)
    return DocumentState(name, kept.version, enriched=kept.row.context is not None)
