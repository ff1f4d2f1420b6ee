"""Rewrite summaries after one of their sources was forgotten or restored.

No summary keeps the words of a forgotten turn. That goes for forgotten summaries too, because they can be restored. A
summary of which nothing is left is emptied and forgotten. It is remembered again once a turn is restored.
"""

from collections.abc import Sequence

from msgspec.structs import replace as altered

from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN, MEMORY_RESTORED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import (
    KEPT_FORGOTTEN_MS,
    MEMORIES,
    Memory,
    Step,
    Turn,
    is_remembered,
    with_step,
)
from almanac.families.memory.edges.sources import MAX_SOURCES, source_changes
from almanac.families.memory.memories.event_payloads import hidden_payload, readable_payload
from almanac.families.memory.memories.records import PURGES, MemoryPurge
from almanac.families.memory.sessions.consolidation import consolidated_memory, summary_of, unchanged
from almanac.families.memory.sessions.records import WINDOWS, Window
from almanac.families.memory.sessions.reflections import reflection_of
from almanac.families.memory.sessions.summary import Summary
from almanac.families.memory.sessions.windows import spoken, turns_between, window_around
from almanac.kernel.events import Event
from almanac.platform.project import SYSTEM_ACTOR
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, Check
from almanac.platform.store.records import replace


def after_turn(project: MemoryProject, turn: Turn) -> list[Change]:
    """Return the changes that rewrite the summary of a turn and the reflection made from it; none if both stay."""
    if turn.session is None or turn.position is None:
        return []
    window = window_around(project, turn.session, turn.position)
    if window is None:
        return []
    memory = project.rows(MEMORIES).get(window.memory)
    if memory is None:
        return [] if window.written else _first_made(project, window)
    if turn.forgotten_at is not None and turn.id not in memory.derived_from:
        return []
    return _made_again(project, window, memory)


def after_summary(project: MemoryProject, memory: Memory) -> list[Change]:
    """Return the changes that rewrite the reflection of a summary after an actor forgot or restored the summary.

    A restored summary without content is rewritten as well."""
    first, _ = memory.metadata.get("positions", (None, None))
    if memory.session is None or not isinstance(first, int):
        return []
    window = project.rows(WINDOWS).get(memory.session, first)
    if window is None or window.memory != memory.id:
        return []
    if not memory.content and memory.forgotten_at is None:
        return _made_again(project, window, memory)
    return _reflection_again(project, window, memory)


def _first_made(project: MemoryProject, window: Window) -> list[Change]:
    """Return the changes that write the memory of a window in which nothing was worth saying before."""
    turns = spoken(turns_between(project, window.session, window.first, window.last), project.now())
    summary = summary_of(project, turns, window)
    if not summary.text:
        return []
    memory = consolidated_memory(project, window, turns, summary)
    written = altered(window, written=True, open_at=memory.to_at)
    return [
        *project.put(memory, is_new=True),
        *source_changes(project, memory),
        replace(project.rows(WINDOWS), written),
        *unchanged(project, turns, memory.derived_from),
    ]


def _made_again(project: MemoryProject, window: Window, memory: Memory) -> list[Change]:
    turns = spoken(turns_between(project, window.session, window.first, window.last), project.now())
    summary = summary_of(project, turns, window)
    rewritten = _rewritten(project, memory, summary, {**memory.metadata, "turns": len(turns)})
    if rewritten is None:
        return []
    return [
        *_put(project, memory, rewritten),
        *unchanged(project, turns, rewritten.derived_from),
        *_reflection_again(project, window, rewritten),
    ]


def _reflection_again(project: MemoryProject, window: Window, source: Memory) -> list[Change]:
    """Return the changes that rewrite the reflection into which `source` was merged, from the current sources."""
    reflection = project.rows(MEMORIES).get(window.reflection) if window.reflection else None
    if reflection is None:
        return []
    stored = project.rows(MEMORIES)
    found = {**stored.by_id(reflection.derived_from), source.id: source}
    sources = [found[one] for one in reflection.derived_from if one in found]
    left = [one for one in sources if is_remembered(one, project.now())]
    rewritten = _rewritten(project, reflection, reflection_of(project, left), reflection.metadata)
    if rewritten is None:
        return []
    others = [one for one in left if one.id != source.id]
    as_read = [Check(stored.key(one.id), Equals("version", one.version)) for one in others]
    rewritten = altered(rewritten, derived_from=reflection.derived_from)
    return [*_put(project, reflection, rewritten), *as_read]


def _rewritten(project: MemoryProject, memory: Memory, summary: Summary, metadata: dict[str, object]) -> Memory | None:
    """Return `memory` with the new summary, forgotten if that is empty; None if nothing changes."""
    now = project.now()
    by_us = memory.forgotten_at is not None and _forgotten_by_us(memory)
    stays = not by_us if summary.text else memory.forgotten_at is not None
    if memory.content == summary.text and stays:
        return None
    history = with_step(memory.history, Step(now, "rewritten", SYSTEM_ACTOR))
    changed = altered(memory, content=summary.text, derived_from=summary.sources, metadata=metadata, history=history)
    if not summary.text and memory.forgotten_at is None:
        forgotten = with_step(history, Step(now, "forgotten", SYSTEM_ACTOR))
        return altered(changed, forgotten_at=now, purge_at=now + KEPT_FORGOTTEN_MS, history=forgotten)
    if summary.text and by_us:
        restored = with_step(history, Step(now, "restored", SYSTEM_ACTOR))
        return altered(changed, forgotten_at=None, purge_at=None, history=restored)
    return changed


def _forgotten_by_us(memory: Memory) -> bool:
    """Return whether Almanac forgot the summary because nothing was left of it, rather than an actor."""
    steps = [step for step in memory.history if step.what in {"forgotten", "lapsed", "superseded"}]
    return bool(steps) and steps[-1].what == "forgotten" and steps[-1].actor == SYSTEM_ACTOR


def _put(project: MemoryProject, before: Memory, memory: Memory) -> list[Change]:
    told: Sequence[Event] = ()
    if (before.forgotten_at is None) != (memory.forgotten_at is None):
        told = [_told(project, memory)]
    changes = [*project.put(memory, is_new=False, events=told), *source_changes(project, memory, before.derived_from)]
    return [*changes, *_purging(project, before, memory)]


def _purging(project: MemoryProject, before: Memory, memory: Memory) -> list[Change]:
    """Return the changes that schedule the deletion of a forgotten summary, or cancel it."""
    rows = project.rows(PURGES)
    if before.purge_at is not None and memory.purge_at is None:
        return [rows.delete(before.purge_at, memory.id)]
    if before.purge_at is None and memory.purge_at is not None:
        sources = before.derived_from[:MAX_SOURCES]
        return [rows.put(MemoryPurge(id=memory.id, kind=memory.kind, purge_at=memory.purge_at, sources=sources))]
    return []


def _told(project: MemoryProject, memory: Memory) -> Event:
    if memory.forgotten_at is None:
        return project.event(MEMORY_RESTORED, memory.id, readable_payload(memory), at=project.now())
    return project.event(MEMORY_FORGOTTEN, memory.id, hidden_payload(memory), at=project.now())
