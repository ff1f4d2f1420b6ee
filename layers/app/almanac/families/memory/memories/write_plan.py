"""Plan and write memories that a caller or a rule adds."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.content.redaction import SecretFinding
from almanac.families.memory.core.event_kinds import MEMORY_PINNED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory, Step, Turn
from almanac.families.memory.edges.sources import resolve_sources, source_changes
from almanac.families.memory.memories.digests import ImportOmission, digest_change, find_existing, find_omission
from almanac.families.memory.memories.event_payloads import readable_payload
from almanac.families.memory.memories.new_memory import NewMemory
from almanac.families.memory.memories.salience import FIRST
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.port import Change


class WritePlan(Struct, frozen=True):
    """A memory and the changes that write it. There are no changes if the stored memory is already as requested.

    `is_new` is false if the same memory exists already. `dropped` are source ids that the project does not remember.
    `dismissed` is the reason if the memory is not made.
    """

    memory: Memory
    changes: tuple[Change, ...]
    is_new: bool
    dropped: tuple[str, ...]
    dismissed: ImportOmission | None = None


class MemoryDraft(Struct, frozen=True):
    """A memory before it is written. `findings` list the secrets that were removed; `dropped` is as in WritePlan."""

    memory: Memory
    findings: tuple[SecretFinding, ...]
    dropped: tuple[str, ...]


def write_memory(project: MemoryProject, new: NewMemory, *, unless_dismissed: bool = False) -> WritePlan:
    """Write a memory. With `unless_dismissed`, skip a memory that an actor forgot or rewrote before."""

    def attempt() -> WritePlan:
        write_plan = plan_memory(project, new, unless_dismissed=unless_dismissed)
        if write_plan.changes:
            project.store.write(write_plan.changes)
        return write_plan

    return project.retry_on_conflict(attempt)


def plan_memory(
    project: MemoryProject,
    new: NewMemory,
    extra_payload: Mapping[str, Any] | None = None,
    *,
    unless_dismissed: bool = False,
) -> WritePlan:
    """Return a memory with the changes that write it. `extra_payload` is added to the payload of their event."""
    draft = draft_memory(project, new)
    memory, now = draft.memory, project.now()
    existing = find_existing(project, memory)
    if existing.same is not None:
        same, changes = extend_life(project, existing.same, memory.lapses_at)
        return WritePlan(same, tuple(changes), is_new=False, dropped=draft.dropped)
    if unless_dismissed and (why := find_omission(project, existing)) is not None:
        return WritePlan(memory, (), is_new=False, dropped=draft.dropped, dismissed=why)
    payload = {**readable_payload(memory), **(extra_payload or {})}
    event = project.event(MEMORY_PINNED, memory.id, payload, at=now)
    changes = [
        *project.put(memory, is_new=True, events=[event]),
        digest_change(project, existing, memory.id),
        *source_changes(project, memory),
        *redaction_rows(project, memory, draft.findings),
    ]
    return WritePlan(memory, tuple(changes), is_new=True, dropped=draft.dropped)


def draft_memory(project: MemoryProject, new: NewMemory) -> MemoryDraft:
    sources = resolve_sources(project, new.derived_from)
    return MemoryDraft(_build_memory(project, new, sources.found, project.now()), new.findings, sources.dropped)


def extend_life(project: MemoryProject, memory: Memory, lapses_at: int | None) -> tuple[Memory, list[Change]]:
    """Return the memory with the later of its own expiry and `lapses_at`, and the changes that write it.

    An earlier expiry is ignored, because other callers may rely on the later one."""
    longer = None if memory.lapses_at is None or lapses_at is None else max(memory.lapses_at, lapses_at)
    if longer == memory.lapses_at:
        return memory, []
    lasting = altered(memory, lapses_at=longer)
    return lasting, project.put(lasting, is_new=False)


def redaction_rows(project: MemoryProject, memory: Memory, findings: Sequence[SecretFinding]) -> list[Change]:
    """Return the changes that list the secrets removed from a memory."""
    at = project.now()
    return redaction_changes(project, memory.id, "memory", findings, at, tool=memory.tool, session=memory.session)


def _build_memory(project: MemoryProject, new: NewMemory, sources: Sequence[Turn | Memory], now: int) -> Memory:
    sessions = {source.session for source in sources}
    return Memory(
        id=project.new_id(now),
        kind=new.kind,
        content=new.content,
        at=now,
        recorded_at=now,
        actor=project.actor,
        tool=new.tool,
        session=new.session or (sessions.pop() if len(sessions) == 1 else None),
        tags=new.tags,
        metadata=new.metadata,
        redacted=new.redacted,
        history=(Step(now, "recorded", project.actor),),
        derived_from=tuple(source.id for source in sources),
        salience=FIRST[new.kind],
        used_at=now,
        lapses_at=None if new.ttl_ms is None else now + new.ttl_ms,
        from_at=min((source.at for source in sources), default=None),
        to_at=max((source.at for source in sources), default=None),
        type=new.type,
        weight=new.weight,
        place=new.place,
    )
