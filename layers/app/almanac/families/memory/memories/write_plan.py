"""Plan and write a memory that a caller or a rule wants kept."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.content.redaction import SecretFinding
from almanac.families.memory.core.event_kinds import MEMORY_PINNED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory, Step, Turn
from almanac.families.memory.edges.sources import resolve_sources, source_changes
from almanac.families.memory.memories.digests import ImportOmission, digest_change, dismissed, existing_for
from almanac.families.memory.memories.event_payloads import readable_payload
from almanac.families.memory.memories.new_memory import NewMemory
from almanac.families.memory.memories.salience import FIRST
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.port import Change


class WritePlan(Struct, frozen=True):
    """A memory and the changes that write it; no changes if the stored one already is as requested. `is_new` is false
    if the same memory was stored already. `dropped` are sources that the project does not remember. `dismissed` says
    why the memory is not made."""

    memory: Memory
    changes: tuple[Change, ...]
    is_new: bool
    dropped: tuple[str, ...]
    dismissed: ImportOmission | None = None


class MemoryDraft(Struct, frozen=True):
    """A memory that is not written yet. `findings` tell of the secrets that its texts had; `dropped` as in
    WritePlan."""

    memory: Memory
    findings: tuple[SecretFinding, ...]
    dropped: tuple[str, ...]


def make(project: MemoryProject, wanted: NewMemory, *, unless_dismissed: bool = False) -> WritePlan:
    """The memory, written; with `unless_dismissed` not what an actor forgot or rewrote before."""

    def attempt() -> WritePlan:
        making = plan(project, wanted, unless_dismissed=unless_dismissed)
        if making.changes:
            project.store.write(making.changes)
        return making

    return project.retrying(attempt)


def plan(
    project: MemoryProject, wanted: NewMemory, told: Mapping[str, Any] | None = None, *, unless_dismissed: bool = False
) -> WritePlan:
    """The memory with the changes that are left to write; `told` is added to the payload of their event."""
    draft = drafted(project, wanted)
    memory, now = draft.memory, project.now()
    standing = existing_for(project, memory)
    if standing.same is not None:
        same, changes = extend_life(project, standing.same, memory.lapses_at)
        return WritePlan(same, tuple(changes), is_new=False, dropped=draft.dropped)
    if unless_dismissed and (why := dismissed(project, standing)) is not None:
        return WritePlan(memory, (), is_new=False, dropped=draft.dropped, dismissed=why)
    payload = {**readable_payload(memory), **(told or {})}
    event = project.event(MEMORY_PINNED, memory.id, payload, at=now)
    changes = [
        *project.put(memory, is_new=True, events=[event]),
        digest_change(project, standing, memory.id),
        *source_changes(project, memory),
        *redaction_rows(project, memory, draft.findings),
    ]
    return WritePlan(memory, tuple(changes), is_new=True, dropped=draft.dropped)


def drafted(project: MemoryProject, wanted: NewMemory) -> MemoryDraft:
    sources = resolve_sources(project, wanted.derived_from)
    return MemoryDraft(_memory(project, wanted, sources.found, project.now()), wanted.findings, sources.dropped)


def extend_life(project: MemoryProject, memory: Memory, lapses_at: int | None) -> tuple[Memory, list[Change]]:
    """Return a memory that is wanted once more until `lapses_at`, with the changes that write it: a longer life is
    given, a shorter one takes nothing from others."""
    longer = None if memory.lapses_at is None or lapses_at is None else max(memory.lapses_at, lapses_at)
    if longer == memory.lapses_at:
        return memory, []
    lasting = altered(memory, lapses_at=longer)
    return lasting, project.put(lasting, is_new=False)


def redaction_rows(project: MemoryProject, memory: Memory, findings: Sequence[SecretFinding]) -> list[Change]:
    """Return the changes that list what was taken out of a memory."""
    at = project.now()
    return redaction_changes(project, memory.id, "memory", findings, at, tool=memory.tool, session=memory.session)


def _memory(project: MemoryProject, wanted: NewMemory, sources: Sequence[Turn | Memory], now: int) -> Memory:
    sessions = {source.session for source in sources}
    return Memory(
        id=project.new_id(now),
        kind=wanted.kind,
        content=wanted.content,
        at=now,
        recorded_at=now,
        actor=project.actor,
        tool=wanted.tool,
        session=wanted.session or (sessions.pop() if len(sessions) == 1 else None),
        tags=wanted.tags,
        metadata=wanted.metadata,
        redacted=wanted.redacted,
        history=(Step(now, "recorded", project.actor),),
        derived_from=tuple(source.id for source in sources),
        salience=FIRST[wanted.kind],
        used_at=now,
        lapses_at=None if wanted.ttl_ms is None else now + wanted.ttl_ms,
        from_at=min((source.at for source in sources), default=None),
        to_at=max((source.at for source in sources), default=None),
        type=wanted.type,
        weight=wanted.weight,
        place=wanted.place,
    )
