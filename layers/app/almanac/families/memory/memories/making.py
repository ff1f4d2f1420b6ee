"""Making a memory on purpose: by a tool, or by a rule."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.core.event_kinds import MEMORY_PINNED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, Step, Turn, is_remembered
from almanac.families.memory.core.redacting import Kept, without_secrets
from almanac.families.memory.edges.sources import resolve_sources, source_changes
from almanac.families.memory.memories.digests import digest_of_memory
from almanac.families.memory.memories.records import DIGESTS, MemoryDigest
from almanac.families.memory.memories.salience import FIRST
from almanac.families.memory.memories.telling import what_is_remembered
from almanac.families.memory.memories.wanted import Wanted
from almanac.platform.redactions.keeping import redaction_changes
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Change
from almanac.platform.store.values import checked_value


class Making(Struct, frozen=True):
    """A memory and the changes that make it so; no changes where it stands as wanted. `is_new` false: the same was
    remembered already. `dropped` are the sources that the project does not remember."""

    memory: Memory
    changes: tuple[Change, ...]
    is_new: bool
    dropped: tuple[str, ...]


def make(project: MemoryProject, wanted: Wanted) -> Making:
    """The memory, written. Raises InvalidInput for metadata that cannot be stored."""

    def attempt() -> Making:
        making = plan(project, wanted)
        if making.changes:
            project.store.write(making.changes)
        return making

    return project.retrying(attempt)


def plan(project: MemoryProject, wanted: Wanted, told: Mapping[str, Any] | None = None) -> Making:
    """The memory with the changes that are left to write; `told` is added to the payload of their event."""
    kept = _kept(wanted)
    sources = resolve_sources(project, wanted.derived_from)
    now = project.now()
    memory = _memory(project, wanted, kept, sources.found, now)
    digest = digest_of_memory(memory)
    standing = project.rows(DIGESTS).get(digest)
    same = project.rows(MEMORIES).get(standing.memory) if standing else None
    # A memory that was rewritten since no longer says what the digest is of.
    if same is not None and is_remembered(same, now) and digest_of_memory(same) == digest:
        longer = _lapses_later(same.lapses_at, memory.lapses_at)
        changes = project.put(altered(same, lapses_at=longer), is_new=False) if longer != same.lapses_at else []
        return Making(altered(same, lapses_at=longer), tuple(changes), is_new=False, dropped=sources.dropped)
    payload = {**what_is_remembered(memory), **(told or {})}
    event = project.event(MEMORY_PINNED, memory.id, payload, at=now)
    changes = [
        *project.put(memory, is_new=True, events=[event]),
        _digest_change(project, digest, memory.id, standing),
        *source_changes(project, memory),
        *redaction_changes(project, memory.id, "memory", kept.findings, now, tool=memory.tool, session=memory.session),
    ]
    return Making(memory, tuple(changes), is_new=True, dropped=sources.dropped)


def _kept(wanted: Wanted) -> Kept:
    kept = without_secrets(wanted.content, wanted.tags, wanted.metadata)
    # As it reads back: 2.0 is stored as 2, and the digest of what is stored has to be that of what came.
    value, _ = checked_value("metadata", kept.metadata)
    return altered(kept, metadata=cast("dict[str, Any]", value))


def _memory(project: MemoryProject, wanted: Wanted, kept: Kept, sources: Sequence[Turn | Memory], now: int) -> Memory:
    sessions = {source.session for source in sources}
    return Memory(
        id=project.new_id(now),
        kind=wanted.kind,
        content=kept.content,
        at=now,
        recorded_at=now,
        actor=project.actor,
        tool=wanted.tool,
        session=sessions.pop() if len(sessions) == 1 else None,
        tags=kept.tags,
        metadata=kept.metadata,
        redacted=kept.kinds,
        history=(Step(now, "recorded", project.actor),),
        derived_from=tuple(source.id for source in sources),
        salience=FIRST[wanted.kind],
        used_at=now,
        lapses_at=None if wanted.ttl_ms is None else now + wanted.ttl_ms,
        from_at=min((source.at for source in sources), default=None),
        to_at=max((source.at for source in sources), default=None),
    )


def _lapses_later(one: int | None, other: int | None) -> int | None:
    """Whoever asks for a longer life gets it; who asks for a shorter one takes nothing from others."""
    return None if one is None or other is None else max(one, other)


def _digest_change(project: MemoryProject, digest: str, memory: str, standing: MemoryDigest | None) -> Change:
    condition = Absent() if standing is None else Equals("memory", standing.memory)
    return project.rows(DIGESTS).put(MemoryDigest(digest=digest, memory=memory), condition)
