"""Forget and restore memories and turns.

A forgotten memory is hidden at once, can be restored for 30 days, and is then deleted.
"""

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
    with_step,
)
from almanac.families.memory.edges.sources import MAX_SOURCES, kind_of, records_of
from almanac.families.memory.memories.digests import digest_of_memory, was_forgotten_by_choice
from almanac.families.memory.memories.event_payloads import hidden_payload, readable_payload
from almanac.families.memory.memories.records import PURGES, MemoryPurge
from almanac.families.memory.memories.versions import change_note
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import iso
from almanac.platform.project import SYSTEM_ACTOR
from almanac.platform.store.port import Change

HowHidden = Literal["forgotten", "faded"]


class VisibilityChange(Struct, frozen=True):
    """The record after it was forgotten or restored. `already`: it was in that state before."""

    record: Turn | Memory
    already: bool


def forget(project: MemoryProject, memory_id: str) -> VisibilityChange:
    """Forget a memory or turn. Raises NotFound for an unknown id."""

    def attempt() -> VisibilityChange:
        record = _get_record(project, memory_id)
        if record.forgotten_at is not None:
            return VisibilityChange(record, already=True)
        hidden = _hide(project, record)
        project.store.write(_hide_changes(project, record, hidden))
        return VisibilityChange(hidden, already=_lapse_time(record, project.now()) is not None)

    return project.retry_on_conflict(attempt)


def lapse_changes(project: MemoryProject, memory: Memory) -> Sequence[Change]:
    """Return the changes that forget a lapsed memory."""
    return forget_changes(project, memory)


def fade_changes(project: MemoryProject, memory: Memory) -> Sequence[Change]:
    """Return the changes that forget an unused memory. Its history records that it faded."""
    return _hide_changes(project, memory, _hide(project, memory, "faded"))


def restore(project: MemoryProject, memory_id: str) -> VisibilityChange:
    """Restore a forgotten memory. If it was also superseded, a second call is needed to show it again.

    Raises NotFound if the id is unknown or the 30 days are over."""

    def attempt() -> VisibilityChange:
        record = _get_record(project, memory_id)
        now = project.now()
        if is_remembered(record, now):
            return VisibilityChange(record, already=True)
        visible = _unhide(project, record, now)
        project.store.write(_unhide_changes(project, record, visible))
        return VisibilityChange(visible, already=False)

    return project.retry_on_conflict(attempt)


def forget_changes(project: MemoryProject, memory: Memory) -> Sequence[Change]:
    """Return the changes that forget a memory, for use in a larger write."""
    return _hide_changes(project, memory, _hide(project, memory))


def restore_changes(project: MemoryProject, memory: Memory) -> Sequence[Change]:
    """Return the changes that restore a forgotten memory, for use in a larger write."""
    return _unhide_changes(project, memory, _unhide(project, memory, project.now()))


def home_of(project: MemoryProject, memory_id: str) -> MemoryProject:
    """Return the project that stores the id, this one or the shared one; this one for an unknown id."""
    shared = project.shared
    if shared is None or records_of(project, [memory_id]) or not records_of(shared, [memory_id]):
        return project
    return shared


def get_readable(project: MemoryProject, memory_id: str) -> Turn | Memory:
    """Return a turn or memory by its id, even if it is superseded.

    Raises NotFound if it is unknown or forgotten; the hint says how to restore a forgotten one."""
    record = _get_record(project, memory_id)
    if is_readable(record, project.now()):
        return record
    forgotten_at, restorable_until = hidden_period(record, project.now())
    raise NotFound(
        f"{record.id} was forgotten at {iso(forgotten_at)}.",
        f"Until {iso(restorable_until)} forget_memory with restore=true brings it back.",
    )


def hidden_period(record: Turn | Memory, now: int) -> tuple[int, int]:
    """Return the instant at which a hidden record was hidden, and the last instant at which it can be restored.

    This also works for a lapsed record that the job has not found yet."""
    since = record.forgotten_at or _lapse_time(record, now) or now
    return since, record.purge_at or since + KEPT_FORGOTTEN_MS


def _hide_changes(project: MemoryProject, record: Turn | Memory, hidden: Turn | Memory) -> list[Change]:
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


def _get_record(project: MemoryProject, memory_id: str) -> Turn | Memory:
    record = records_of(project, [memory_id]).get(memory_id)
    if record is None:
        raise NotFound(
            f"No memory or turn has the id {memory_id[:80]!r}.",
            "Use an id from search_memory, list_recent_turns or get_snapshot. What was forgotten more than 30 days ago "
            "is gone for good.",
        )
    return record


def _lapse_time(record: Turn | Memory, now: int) -> int | None:
    lapses_at = record.lapses_at if isinstance(record, Memory) else None
    return lapses_at if lapses_at is not None and lapses_at <= now else None


def _hide(project: MemoryProject, record: Turn | Memory, how: HowHidden = "forgotten") -> Turn | Memory:
    now = project.now()
    lapsed_at = _lapse_time(record, now)
    at = now if lapsed_at is None else lapsed_at
    step = Step(at, how, project.actor) if lapsed_at is None else Step(at, "lapsed", SYSTEM_ACTOR)
    # Count 30 days from now, not from the lapse: a laptop that slept may notice it late.
    hidden = altered(record, forgotten_at=at, purge_at=now + KEPT_FORGOTTEN_MS, history=with_step(record.history, step))
    return altered(hidden, lapses_at=None) if lapsed_at is not None else hidden


def _unhide(project: MemoryProject, record: Turn | Memory, now: int) -> Turn | Memory:
    step = Step(now, "restored", project.actor)
    visible = altered(record, forgotten_at=None, purge_at=None, history=with_step(record.history, step))
    if is_readable(record, now) and isinstance(visible, Memory):
        return altered(visible, superseded_at=None, superseded_by=None)
    return altered(visible, lapses_at=None) if _lapse_time(record, now) is not None else visible


def _unhide_changes(project: MemoryProject, record: Turn | Memory, visible: Turn | Memory) -> list[Change]:
    event = project.event(MEMORY_RESTORED, record.id, readable_payload(visible), at=project.now())
    changes = project.put(visible, is_new=False, events=[event])
    if isinstance(record, Memory):
        changes.append(change_note(project, record.id))
    if record.purge_at is not None:
        changes.append(project.rows(PURGES).delete(record.purge_at, record.id))
    return changes
