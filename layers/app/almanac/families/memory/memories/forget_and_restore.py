"""Forget and restore memories: a forgotten one is hidden at once, can be restored for 30 days, and is then deleted."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN, MEMORY_RESTORED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import (
    KEPT_FORGOTTEN_MS,
    Memory,
    Step,
    Turn,
    is_readable,
    is_remembered,
    stepped,
)
from almanac.families.memory.edges.sources import MAX_SOURCES, kind_of, records_of
from almanac.families.memory.memories.digests import digest_of_memory, was_forgotten_by_choice
from almanac.families.memory.memories.event_payloads import hidden_payload, readable_payload
from almanac.families.memory.memories.records import PURGES, MemoryPurge
from almanac.families.memory.memories.versions import changed_now
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import iso
from almanac.platform.project import SYSTEM_ACTOR
from almanac.platform.store.port import Change

HowHidden = Literal["forgotten", "faded"]


class Done(Struct, frozen=True):
    """`already`: it was so before, and nothing was written."""

    record: Turn | Memory
    already: bool


def forget(project: MemoryProject, memory_id: str) -> Done:
    """Raises NotFound for an id under which nothing is kept."""

    def attempt() -> Done:
        record = _kept(project, memory_id)
        if record.forgotten_at is not None:
            return Done(record, already=True)
        hidden = _hidden(project, record)
        project.store.write(_forgetting_changes(project, record, hidden))
        return Done(hidden, already=_lapsed_at(record, project.now()) is not None)

    return project.retrying(attempt)


def lapse_changes(project: MemoryProject, memory: Memory) -> Sequence[Change]:
    """Return the changes that forget a memory whose time is over."""
    return forgetting_changes(project, memory)


def fading_changes(project: MemoryProject, memory: Memory) -> Sequence[Change]:
    """Return the changes that forget an unused memory; its history says that it faded."""
    return _forgetting_changes(project, memory, _hidden(project, memory, "faded"))


def restore(project: MemoryProject, memory_id: str) -> Done:
    """Restore a forgotten memory; one that was also superseded needs a second call to appear again. Raises NotFound for
    an unknown id, or once the 30 days are over."""

    def attempt() -> Done:
        record = _kept(project, memory_id)
        now = project.now()
        if is_remembered(record, now):
            return Done(record, already=True)
        shown = _shown(project, record, now)
        project.store.write(_restoring_changes(project, record, shown))
        return Done(shown, already=False)

    return project.retrying(attempt)


def forgetting_changes(project: MemoryProject, memory: Memory) -> Sequence[Change]:
    """Return what forgets a remembered memory, for a write that does more."""
    return _forgetting_changes(project, memory, _hidden(project, memory))


def restoring_changes(project: MemoryProject, memory: Memory) -> Sequence[Change]:
    """Return what brings a forgotten memory back, for a write that does more."""
    return _restoring_changes(project, memory, _shown(project, memory, project.now()))


def keeper(project: MemoryProject, memory_id: str) -> MemoryProject:
    """Return the project that keeps this id: this one or the shared one; this one for an unknown id."""
    shared = project.shared
    if shared is None or records_of(project, [memory_id]) or not records_of(shared, [memory_id]):
        return project
    return shared


def readable(project: MemoryProject, memory_id: str) -> Turn | Memory:
    """Return the turn or memory under an id, superseded ones included. Raises NotFound, which says how to restore a
    forgotten one."""
    record = _kept(project, memory_id)
    if is_readable(record, project.now()):
        return record
    forgotten_at, restorable_until = forgotten_from(record, project.now())
    raise NotFound(
        f"{record.id} was forgotten at {iso(forgotten_at)}.",
        f"Until {iso(restorable_until)} forget_memory with restore=true brings it back.",
    )


def forgotten_from(record: Turn | Memory, now: int) -> tuple[int, int]:
    """Since when and until when something that is not remembered is hidden; the clock may still have to find it."""
    since = record.forgotten_at or _lapsed_at(record, now) or now
    return since, record.purge_at or since + KEPT_FORGOTTEN_MS


def _forgetting_changes(project: MemoryProject, record: Turn | Memory, hidden: Turn | Memory) -> list[Change]:
    event = project.event(MEMORY_FORGOTTEN, record.id, hidden_payload(record), at=project.now())
    changes = project.put(hidden, is_new=False, events=[event])
    digest = digest_of_memory(record) if isinstance(record, Memory) else None
    purge = MemoryPurge(
        id=record.id,
        kind=kind_of(record),
        purge_at=hidden.purge_at or project.now(),
        digest=digest,
        sources=record.derived_from[:MAX_SOURCES] if isinstance(record, Memory) else (),
        by_choice=was_forgotten_by_choice(hidden),
    )
    return [*changes, project.rows(PURGES).put(purge)]


def _kept(project: MemoryProject, memory_id: str) -> Turn | Memory:
    record = records_of(project, [memory_id]).get(memory_id)
    if record is None:
        raise NotFound(
            f"No memory or turn has the id {memory_id[:80]!r}.",
            "Use an id from search_memory, list_recent_turns or get_snapshot. What was forgotten more than 30 days ago "
            "is gone for good.",
        )
    return record


def _lapsed_at(record: Turn | Memory, now: int) -> int | None:
    lapses_at = record.lapses_at if isinstance(record, Memory) else None
    return lapses_at if lapses_at is not None and lapses_at <= now else None


def _hidden(project: MemoryProject, record: Turn | Memory, what: HowHidden = "forgotten") -> Turn | Memory:
    now = project.now()
    lapsed_at = _lapsed_at(record, now)
    at = now if lapsed_at is None else lapsed_at
    step = Step(at, what, project.actor) if lapsed_at is None else Step(at, "lapsed", SYSTEM_ACTOR)
    # Thirty days from now even where nobody noticed for long that its time was over, as on a laptop that slept.
    hidden = altered(record, forgotten_at=at, purge_at=now + KEPT_FORGOTTEN_MS, history=stepped(record.history, step))
    return altered(hidden, lapses_at=None) if lapsed_at is not None else hidden


def _shown(project: MemoryProject, record: Turn | Memory, now: int) -> Turn | Memory:
    step = Step(now, "restored", project.actor)
    shown = altered(record, forgotten_at=None, purge_at=None, history=stepped(record.history, step))
    if is_readable(record, now) and isinstance(shown, Memory):
        return altered(shown, superseded_at=None, superseded_by=None)
    return altered(shown, lapses_at=None) if _lapsed_at(record, now) is not None else shown


def _restoring_changes(project: MemoryProject, record: Turn | Memory, shown: Turn | Memory) -> list[Change]:
    event = project.event(MEMORY_RESTORED, record.id, readable_payload(shown), at=project.now())
    changes = project.put(shown, is_new=False, events=[event])
    if isinstance(record, Memory):
        changes.append(changed_now(project, record.id))
    if record.purge_at is not None:
        changes.append(project.rows(PURGES).delete(record.purge_at, record.id))
    return changes
