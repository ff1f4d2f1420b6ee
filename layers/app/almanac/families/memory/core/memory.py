"""The collaborator of every tool of memory: one project, for one caller and one call."""

import os
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec.structs import replace as altered

from almanac.families.memory.core.documents import searched_memory, searched_turn
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, Turn, is_remembered, is_superseded
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.errors import NotFound
from almanac.kernel.events import Event, new_event
from almanac.kernel.ids import ulid
from almanac.kernel.instants import instant_at
from almanac.kernel.owners import Families
from almanac.platform.bus.outbox import outbox
from almanac.platform.project import SYSTEM_ACTOR, ProjectWork, patient_backoff
from almanac.platform.services import Services
from almanac.platform.store.port import Change, Store
from almanac.platform.store.records import replace
from almanac.search.engine.document_writes import removed, written
from almanac.search.port import Document

if TYPE_CHECKING:
    from almanac.platform.declaration.rule_actions import Firing


class MemoryProject(ProjectWork, frozen=True):
    """A project and the caller on whose behalf memory works. `zone` and `week_start` are the caller's; `zone` is None
    if none is set. `shares`: the caller may use the memory that the projects of the tenant share. `told_in` is the
    calling project, if that is not the one written to. `families` are those of the caller's key."""

    zone: str | None = None
    week_start: str = "monday"
    shares: bool = False
    told_in: Scope | None = None
    families: Families = None

    contended = "the memory of this project"

    @property
    def shared(self) -> "MemoryProject | None":
        """The memory that the projects of the tenant share, for the same caller; None if the caller may not use it."""
        return altered(self, scope=self.scope.shared, shares=False, told_in=self.scope) if self.shares else None

    @property
    def is_shared(self) -> bool:
        """Return whether this is the memory that the projects of the tenant share."""
        return self.scope == self.scope.shared

    @property
    def reach(self) -> "tuple[MemoryProject, ...]":
        """The projects in which an id may be looked up: this one, and the shared one if the caller may use it."""
        shared = self.shared
        return (self,) if shared is None else (self, shared)

    @property
    def remembering(self) -> "tuple[MemoryProject, ...]":
        """The projects to search: this one, and the shared one if it has any memories."""
        return tuple(one for one in self.reach if one is self or one.rows(MEMORIES).query(limit=1).records)

    def new_id(self, at: int) -> str:
        """A ULID, which sorts by `at`, the instant of recording."""
        return ulid(at, self.random_bytes)

    def find(self, remembered_id: str) -> Turn | Memory | None:
        """A turn or memory by its id, forgotten ones too; None where there is none."""
        return self.rows(TURNS).get(remembered_id) or self.rows(MEMORIES).get(remembered_id)

    def remembered(self, remembered_id: str) -> Turn | Memory:
        """The same, but raises NotFound for an unknown or forgotten id."""
        found = self.find(remembered_id)
        if found is None or not is_remembered(found, self.now()):
            raise NotFound(
                f"No memory or turn has the id {remembered_id[:80]!r}.",
                "Use an id from search_memory, list_recent_turns or get_snapshot.",
            )
        return found

    def put(self, record: Turn | Memory, *, is_new: bool, events: Sequence[Event] = ()) -> list[Change]:
        """The changes that write `record` and have search find it, or no longer find it where it was forgotten or
        superseded; with the `events` that tell of it. A record that is not new must be the one read, altered: see
        `records.replace`."""
        stored = self._insert(record) if is_new else self._replace(record)
        version = record.version if is_new else record.version + 1
        at = self.now()
        document = document_of(record, version)
        if record.forgotten_at is None and not is_superseded(record):
            found = written(document, self.scope, actor=self.actor, at=at, random_bytes=self.random_bytes, also=events)
        else:
            last = document_of(record, version - 1)
            found = removed(last, self.scope, actor=self.actor, at=at, random_bytes=self.random_bytes, also=events)
        return [stored, found, *self._told_where_he_calls(events)]

    def _told_where_he_calls(self, events: Sequence[Event]) -> list[Change]:
        """Rules and listeners belong to projects: what one does to what is shared is told in his own as well."""
        if self.told_in is None:
            return []
        copies = [
            new_event(
                event.kind,
                self.told_in,
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
    return searched_turn(record, version) if isinstance(record, Turn) else searched_memory(record, version)


def open_memory(services: Services, caller: Caller, clock: Clock) -> MemoryProject:
    """For one call, over the store of `services`."""
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
    """For reactions and scheduled jobs."""
    clock = services.get(Clock)
    return MemoryProject(services.get(Store), scope, SYSTEM_ACTOR, clock, os.urandom, patient_backoff())


def memory_of_rule(firing: "Firing") -> MemoryProject:
    """For the action of a rule, at the instant of the event that fired it."""
    clock = FixedClock(instant_at(firing.at))
    return MemoryProject(firing.store, firing.scope, firing.actor, clock, firing.random_bytes, patient_backoff())


def digest_of(*parts: str) -> str:
    """One text for several, which no other texts give."""
    return sha256("".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()
