"""The search index on OpenSearch, which implements the port with a writer, a candidate reader and a document
listing."""

from collections.abc import Callable, Sequence
from typing import get_args

import numpy as np
from opensearchpy import Transport

from almanac.kernel.caller import Scope
from almanac.search.frame import FieldStatistics, Frame
from almanac.search.frames import frame_of
from almanac.search.opensearch import document_codec, layout
from almanac.search.opensearch.calls import Calls, IndexMissing, Patience
from almanac.search.opensearch.candidate_reader import CandidateReader
from almanac.search.opensearch.document_listing import DocumentListing
from almanac.search.opensearch.generations import Generations, Shape
from almanac.search.opensearch.writer import IndexWriter, Write
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

REFRESH_MS = 1000
PATIENCE = Patience()
USUAL_SHAPE = Shape()


class OpenSearchIndex:
    """The search port behind `transport`, for the installation `name`, which may have lower-case letters, digits and
    hyphens.

    Search finds a write after REFRESH_MS and the time that a refresh takes. `sleep` waits for a number of seconds, and
    is only used by rebuilds and by `forget`.
    """

    def __init__(
        self,
        transport: Transport,
        name: str,
        *,
        sleep: Callable[[float], None],
        patience: Patience = PATIENCE,
        shape: Shape = USUAL_SHAPE,
    ) -> None:
        calls = Calls(transport, patience)
        self.visible_after_ms = 3 * REFRESH_MS
        self._sleep = sleep
        self._calls = calls
        self._generations = Generations(calls, name, REFRESH_MS, shape)
        self._writing = IndexWriter(calls, self._generations)
        self._reading = CandidateReader(calls, self._generations.answering)
        self._listing = DocumentListing(calls, self._generations.answering)
        self._whole = DocumentListing(calls, self._generations.whole)

    def index(self, scope: Scope, entries: Sequence[Entry]) -> None:
        self._writing.write(
            [Write(layout.corpus_key(scope, entry.profile), document_codec.body_of(scope, entry)) for entry in entries]
        )

    def remove(self, scope: Scope, removals: Sequence[Removal]) -> None:
        self._writing.write(
            [
                Write(layout.corpus_key(scope, each.profile), document_codec.tombstone_of(scope, each))
                for each in removals
            ]
        )

    def enrich(self, scope: Scope, contexts: Sequence[Context]) -> None:
        try:
            self._writing.enrich(scope, contexts)
        except IndexMissing:
            return

    def candidates(
        self, scope: Scope, profile: Profile, question: Question, filters: Filters, legs: Sequence[Leg], size: int
    ) -> Frame:
        corpus = layout.corpus_key(scope, profile)
        # Try twice, because a rebuild may replace the index between two requests.
        for _ in range(2):
            try:
                return self._reading.candidates(corpus, profile, question, filters, legs, size)
            except IndexMissing:
                continue
        return _empty_frame(question)

    def find_places(self, scope: Scope, profile: Profile, lookup: Lookup) -> Sequence[Place] | None:
        try:
            return self._whole.find_places(scope, profile, lookup)
        except IndexMissing:
            return None

    def enriched_share(self, scope: Scope, profile: Profile) -> float:  # noqa: ARG002 - counts all profiles together
        try:
            documents, enriched, _ = self._listing.count_documents(scope)
        except IndexMissing:
            return 0.0
        return enriched / (documents or 1)

    def status(self, scope: Scope) -> Status:
        try:
            documents, enriched, removed = self._listing.count_documents(scope)
        except IndexMissing:
            documents = enriched = removed = 0
        return Status(
            documents=documents,
            enriched=enriched,
            removed=removed,
            rebuilding=self._generations.is_rebuilding(),
            bytes=self._generations.bytes(),
        )

    def list_states(
        self, scope: Scope, profile: Profile, *, after: str = "", limit: int = 1000
    ) -> Sequence[DocumentState]:
        try:
            return self._listing.list_states(scope, profile, after, limit)
        except IndexMissing:
            return ()

    def states_of(self, scope: Scope, profile: Profile, ids: Sequence[str]) -> Sequence[DocumentState]:
        try:
            return self._listing.states_of(scope, profile, ids)
        except IndexMissing:
            return ()

    def list_unenriched(self, scope: Scope, limit: int) -> Sequence[DocumentState]:
        try:
            return self._listing.list_unenriched(scope, limit)
        except IndexMissing:
            return ()

    def forget(self, scope: Scope) -> None:
        self._await_visibility()
        for alias in self._generations.writable():
            for profile in get_args(Profile):
                self._forget(alias, scope, profile)

    def _forget(self, alias: str, scope: Scope, profile: Profile) -> None:
        corpus = layout.corpus_key(scope, profile)
        try:
            for some in DocumentListing(self._calls, alias).every(scope, profile):
                self._writing.delete(alias, corpus, [each.id for each in some])
        except IndexMissing:
            return

    def drop_removed(self, before: int) -> int:  # noqa: ARG002 - see below
        """Do nothing. A removal takes a hundred bytes here, and a rebuild leaves older removals behind."""
        return 0

    def start_rebuild(self, gone_since: int = 0) -> None:
        self._generations.begin()
        # Removals until now are copied to the new index. Later ones are written to both.
        self._await_visibility()
        try:
            for writes in self._listing.iterate_tombstones(gone_since):
                self._writing.write(writes)
        except IndexMissing:
            return

    def resume_rebuild(self) -> bool:
        return self._generations.resume()

    def rebuild_place(self, scope: Scope, kind: str) -> RebuildPlace:
        return self._writing.place(scope, kind)

    def keep_rebuild_place(self, scope: Scope, kind: str, place: RebuildPlace) -> None:
        self._writing.keep_place(scope, kind, place)

    def finish_rebuild(self, gone_since: int = 0) -> None:  # noqa: ARG002 - `start_rebuild` copied removals
        """Switch to the new index. Raises Unavailable if another rebuild has been started since."""
        self._await_visibility()
        self._generations.switch()

    def _await_visibility(self) -> None:
        """Wait until searches see all earlier writes."""
        self._sleep(self.visible_after_ms / 1000)


def _empty_frame(question: Question) -> Frame:
    none = FieldStatistics(frequencies=np.zeros(len(question.terms), dtype=np.float32), length=0.0)
    return frame_of([], question, found=(), documents=0, title_statistics=none, text_statistics=none)
