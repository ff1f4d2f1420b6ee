"""The search index in SQLite files beside a store. Threads and processes share it, and it is rebuilt when it is lost.

It answers at once, even if its files are deleted, damaged or written by another program. It then starts anew, empty,
and `needs_rebuild` is true until a rebuild has completed the files (docs/decisions/0030-the-search-index.md).
"""

import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
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
from almanac.search.sqlite.document_listing import count_documents, list_states, list_unenriched, states_of
from almanac.search.sqlite.files.generation import DamagedFile, Generation
from almanac.search.sqlite.files.generations import Generations
from almanac.search.sqlite.tombstones import deletion_change, drop_tombstones, tombstones
from almanac.search.sqlite.writer import Change, enrichment_change, index_change, removal_change

if TYPE_CHECKING:
    from almanac.search.frame import Frame
    from almanac.search.sqlite.reader.query import QueryRunner

_ATTEMPTS = 5
T = TypeVar("T")


def _as_far_as_whole(slices: Iterator[T]) -> Iterator[T]:
    """Yield slices until the file turns out to be damaged. A damaged file has nothing more to offer and is about to be
    dropped."""
    try:
        yield from slices
    except DamagedFile:
        return


def _nobody(reason: str) -> None:
    """Ignore the reason. This is the callback of callers that need no notice."""


class SqliteIndex:
    """The search port with files in `folder`, which is created when it is first used.

    `made_by` names the embedder of the vectors, and the index of another embedder is not read. `lost` is called with
    the reason whenever files start anew. `cached_rows` is the number of documents, of all collections together, whose
    columns stay in memory.
    """

    visible_after_ms = 0

    def __init__(
        self,
        folder: Path,
        *,
        made_by: str = "",
        lost: Callable[[str], None] = _nobody,
        cached_rows: int = 200_000,
    ) -> None:
        self._opened = lambda: Generations(folder, made_by, lost=lost)
        self._cached_rows = cached_rows
        self._ever: list[Generations] = []
        self._start()

    @property
    def needs_rebuild(self) -> bool:
        """Return whether documents may be missing for good, because the files are new and no rebuild has read the whole
        store."""
        return not self._ask(Generation.is_whole)

    def index(self, scope: Scope, entries: Sequence[Entry]) -> None:
        self._change(index_change(scope, entries))

    def remove(self, scope: Scope, removals: Sequence[Removal]) -> None:
        self._change(removal_change(scope, removals))

    def enrich(self, scope: Scope, contexts: Sequence[Context]) -> None:
        self._change(enrichment_change(scope, contexts))

    def candidates(
        self, scope: Scope, profile: Profile, question: Question, filters: Filters, legs: Sequence[Leg], size: int
    ) -> "Frame":
        def read_frame(generation: Generation) -> "Frame":
            return self._query_runner().frame(generation, (scope, profile), question, filters, legs, size)

        return self._ask(read_frame)

    def find_places(self, scope: Scope, profile: Profile, lookup: Lookup) -> Sequence[Place] | None:
        def read_places(generation: Generation) -> Sequence[Place] | None:
            if not generation.is_whole():
                return None
            return self._query_runner().find_places(generation, (scope, profile), lookup)

        return self._ask(read_places)

    def enriched_share(self, scope: Scope, profile: Profile) -> float:
        return self._ask(lambda generation: self._query_runner().enriched_share(generation, (scope, profile)))

    def status(self, scope: Scope) -> Status:
        generations = self._generations()
        counts = self._ask(lambda generation: count_documents(generation, scope))
        rebuilding = len(generations.now()) > 1
        return Status(**counts, rebuilding=rebuilding, bytes=generations.bytes())

    def list_states(
        self, scope: Scope, profile: Profile, *, after: str = "", limit: int = 1000
    ) -> Sequence[DocumentState]:
        return self._ask(lambda generation: list_states(generation, scope, profile, after, limit))

    def states_of(self, scope: Scope, profile: Profile, ids: Sequence[str]) -> Sequence[DocumentState]:
        return self._ask(lambda generation: states_of(generation, scope, profile, ids))

    def list_unenriched(self, scope: Scope, limit: int) -> Sequence[DocumentState]:
        return self._ask(lambda generation: list_unenriched(generation, scope, limit))

    def forget(self, scope: Scope) -> None:
        self._change(deletion_change(scope))

    def drop_removed(self, before: int) -> int:
        """Forget old removals of all projects, and return the freed space in the file to the disk."""

        def drop(generation: Generation) -> int:
            count = drop_tombstones(generation, before)
            generation.shrink()
            return count

        return self._ask(drop)

    def start_rebuild(self, gone_since: int = 0) -> None:  # noqa: ARG002 - `finish_rebuild` copies the removals
        self._generations().start()

    def resume_rebuild(self) -> bool:
        """Return False. A laptop's server rebuilds its index from the start, which takes minutes."""
        return False

    def rebuild_place(self, scope: Scope, kind: str) -> RebuildPlace:  # noqa: ARG002 - never resumed
        return RebuildPlace()

    def keep_rebuild_place(self, scope: Scope, kind: str, place: RebuildPlace) -> None:
        """Do nothing, because a rebuild is never resumed."""

    def finish_rebuild(self, gone_since: int = 0) -> None:
        """Switch to the new index. Raises Unavailable if another rebuild has been started since, or if the new files
        were lost."""
        self._generations().finish(partial(self._hand_over, gone_since))

    def close(self) -> None:
        """Close idle connections. The index opens new ones when it is used again."""
        self._generations().close()

    def _change(self, change: Change) -> None:
        """Apply the change to every current generation, even if the pointer to them moves meanwhile."""
        done: set[int] = set()
        for _ in range(_ATTEMPTS):
            waiting = [each for each in self._generations().now() if each.number not in done]
            if not waiting:
                return
            for generation in waiting:
                try:
                    generation.change(change)
                except DamagedFile as damage:
                    self._generations().renew(generation, str(damage))
                else:
                    done.add(generation.number)
        raise Unavailable("The search index was lost several times in a row.", "Check its folder and the disk.")

    def _ask(self, question: Callable[[Generation], T]) -> T:
        for _ in range(_ATTEMPTS):
            generation = self._generations().now()[0]
            try:
                return question(generation)
            except DamagedFile as damage:
                self._generations().renew(generation, str(damage))
        raise Unavailable("The search index was lost several times in a row.", "Check its folder and the disk.")

    def _hand_over(self, gone_since: int, former: Generation, begun: Generation) -> None:
        """Copy removals to the new generation, so that a late write of an older version meets its tombstone there."""
        try:
            for scope, removals in _as_far_as_whole(tombstones(former, gone_since)):
                begun.change(removal_change(scope, removals))
            begun.call_whole()
        except DamagedFile as damage:
            raise Unavailable("The index that was being rebuilt is damaged.", "Rebuild it again.") from damage

    def _generations(self) -> Generations:
        if self._process != os.getpid():
            self._start()
        return self._ever[-1]

    def _start(self) -> None:
        self._process = os.getpid()
        # Keep those of the parent process unused. Closing its connections after a fork would release its locks.
        self._ever.append(self._opened())
        self._reading: QueryRunner | None = None

    def _query_runner(self) -> "QueryRunner":
        if self._reading is None:
            from almanac.search.sqlite.reader.query import QueryRunner  # noqa: PLC0415 - brings numpy

            self._reading = QueryRunner(self._cached_rows)
        return self._reading
