"""Open the memory of a project, for one caller and one call. Every memory tool works with it."""

import os
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec.structs import replace as altered

from almanac.families.memory.core.documents import memory_document, turn_document
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, Turn, is_superseded
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.events import Event, new_event
from almanac.kernel.ids import ulid
from almanac.kernel.instants import instant_at
from almanac.kernel.owners import Families
from almanac.platform.bus.outbox import outbox
from almanac.platform.project import SYSTEM_ACTOR, ProjectWork, patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Change, Store
from almanac.platform.store.records import replace
from almanac.search.engine.document_writes import document_change, removal_change
from almanac.search.port import Document

if TYPE_CHECKING:
    from almanac.platform.declaration.rule_actions import Firing


class MemoryProject(ProjectWork, frozen=True):
    """The memory of a project, as one caller may use it.

    `zone` and `week_start` come from the caller; `zone` is None if the caller has none. `shares` says whether the
    caller may use the memory that the tenant's projects share. In the shared memory, `calling_scope` is the caller's
    own project. `families` are the families of the caller's API key.
    """

    zone: str | None = None
    week_start: str = "monday"
    shares: bool = False
    calling_scope: Scope | None = None
    families: Families = None

    contended = "the memory of this project"

    @property
    def shared(self) -> "MemoryProject | None":
        """Return the memory that the tenant's projects share, for this caller; None if the caller may not use it."""
        return altered(self, scope=self.scope.shared, shares=False, calling_scope=self.scope) if self.shares else None

    @property
    def is_shared(self) -> bool:
        """Return whether this is the memory that the projects of the tenant share."""
        return self.scope == self.scope.shared

    @property
    def reach(self) -> "tuple[MemoryProject, ...]":
        """Return the projects in which to look up an id: this one, and the shared one if the caller may use it."""
        shared = self.shared
        return (self,) if shared is None else (self, shared)

    @property
    def searched_projects(self) -> "tuple[MemoryProject, ...]":
        """Return the projects to search: this one, and the shared one if it has any memories."""
        return tuple(
            project for project in self.reach if project is self or project.rows(MEMORIES).query(limit=1).records
        )

    def new_id(self, at: int) -> str:
        """Return a new ULID. It sorts by `at`, the instant of recording."""
        return ulid(at, self.random_bytes)

    def find(self, remembered_id: str) -> Turn | Memory | None:
        """Return a turn or memory by its id, forgotten or not; None for an unknown id."""
        return self.rows(TURNS).get(remembered_id) or self.rows(MEMORIES).get(remembered_id)

    def put(self, record: Turn | Memory, *, is_new: bool, events: Sequence[Event] = ()) -> list[Change]:
        """Return the changes that write `record` and its `events`, and that update the search index.

        A forgotten or superseded record leaves the index. Unless the record is new, it must be an altered copy of the
        stored one; see `records.replace`."""
        stored = self._insert(record) if is_new else self._replace(record)
        version = record.version if is_new else record.version + 1
        at = self.now()
        document = document_of(record, version)
        if record.forgotten_at is None and not is_superseded(record):
            index_change = document_change(
                document, self.scope, actor=self.actor, at=at, random_bytes=self.random_bytes, also=events
            )
        else:
            last = document_of(record, version - 1)
            index_change = removal_change(
                last, self.scope, actor=self.actor, at=at, random_bytes=self.random_bytes, also=events
            )
        return [stored, index_change, *self._copies_for_caller(events)]

    def _copies_for_caller(self, events: Sequence[Event]) -> list[Change]:
        """Return changes that repeat `events` in the caller's own project.

        Rules and listeners belong to a project, so they would not notice a change in the shared one."""
        if self.calling_scope is None:
            return []
        copies = [
            new_event(
                event.kind,
                self.calling_scope,
                key=event.key,
                actor=event.actor,
                at=event.at,
                random_bytes=self.random_bytes,
                payload={**event.payload, "shared": True},
            )
            for event in events
        ]
        return outbox(copies)

    def _insert(self, record: Turn | Memory) -> Change:
        return self.rows(TURNS).insert(record) if isinstance(record, Turn) else self.rows(MEMORIES).insert(record)

    def _replace(self, record: Turn | Memory) -> Change:
        if isinstance(record, Turn):
            return replace(self.rows(TURNS), record)
        return replace(self.rows(MEMORIES), record)


def document_of(record: Turn | Memory, version: int) -> Document:
    return turn_document(record, version) if isinstance(record, Turn) else memory_document(record, version)


def open_memory(services: Services, caller: Caller, clock: Clock) -> MemoryProject:
    """Return the memory of the caller's project, for one call."""
    return MemoryProject(
        services.get(Store),
        caller.scope,
        caller.actor,
        clock,
        os.urandom,
        patient_backoff(),
        caller.default_timezone,
        caller.week_start,
        caller.shares_memory and caller.scope != caller.scope.shared,
        families=caller.families,
    )


def system_memory(services: Services, scope: Scope) -> MemoryProject:
    """Return the memory of a project for reactions and scheduled jobs."""
    clock = services.get(Clock)
    return MemoryProject(services.get(Store), scope, SYSTEM_ACTOR, clock, os.urandom, patient_backoff())


def memory_of_rule(firing: "Firing") -> MemoryProject:
    """Return the memory that a rule's action works with, at the instant of the event that fired the rule."""
    clock = FixedClock(instant_at(firing.at))
    return MemoryProject(firing.store, firing.scope, firing.actor, clock, firing.random_bytes, patient_backoff())


def digest_of(*parts: str) -> str:
    """Return one digest for several texts. It includes their lengths, so texts split differently get another digest."""
    return sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()
