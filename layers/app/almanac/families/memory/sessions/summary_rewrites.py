"""Rewrite summaries after a caller forgot or restored one of their sources.

No summary keeps the words of a forgotten turn, not even a forgotten summary, because a caller can restore it. Almanac
empties and forgets a summary of which nothing is left. It restores the summary once a turn is restored.
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
from almanac.families.memory.sessions.consolidation import memory_of_window, summary_of, version_checks
from almanac.families.memory.sessions.records import WINDOWS, Window
from almanac.families.memory.sessions.reflections import reflection_of
from almanac.families.memory.sessions.summary import Summary
from almanac.families.memory.sessions.windows import quotable_turns, turns_between, window_around
from almanac.kernel.events import Event
from almanac.platform.project import SYSTEM_ACTOR
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, Check
from almanac.platform.store.records import replace


def rewrites_after_turn(project: MemoryProject, turn: Turn) -> list[Change]:
    """Return the changes that rewrite the summary of a turn, and the reflection made from it, without that turn.

    The list is empty if both stay as they are."""
    if turn.session is None or turn.position is None:
        return []
    window = window_around(project, turn.session, turn.position)
    if window is None:
        return []
    memory = project.rows(MEMORIES).get(window.memory)
    if memory is None:
        return [] if window.written else _first_summary_changes(project, window)
    if turn.forgotten_at is not None and turn.id not in memory.derived_from:
        return []
    return _summary_changes(project, window, memory)


def rewrites_after_summary(project: MemoryProject, memory: Memory) -> list[Change]:
    """Return the changes that rewrite the reflection made from a summary that an actor forgot or restored.

    They rewrite a restored summary without content as well."""
    first, _ = memory.metadata.get("positions", (None, None))
    if memory.session is None or not isinstance(first, int):
        return []
    window = project.rows(WINDOWS).get(memory.session, first)
    if window is None or window.memory != memory.id:
        return []
    if not memory.content and memory.forgotten_at is None:
        return _summary_changes(project, window, memory)
    return _reflection_changes(project, window, memory)


def _first_summary_changes(project: MemoryProject, window: Window) -> list[Change]:
    """Return the changes that write the memory of a window that had no text worth a summary before."""
    turns = quotable_turns(turns_between(project, window.session, window.first, window.last), project.now())
    summary = summary_of(project, turns, window)
    if not summary.text:
        return []
    memory = memory_of_window(project, window, turns, summary)
    written_window = altered(window, written=True, open_at=memory.to_at)
    return [
        *project.put(memory, is_new=True),
        *source_changes(project, memory),
        replace(project.rows(WINDOWS), written_window),
        *version_checks(project, turns, memory.derived_from),
    ]


def _summary_changes(project: MemoryProject, window: Window, memory: Memory) -> list[Change]:
    turns = quotable_turns(turns_between(project, window.session, window.first, window.last), project.now())
    summary = summary_of(project, turns, window)
    rewritten = _with_summary(project, memory, summary, {**memory.metadata, "turns": len(turns)})
    if rewritten is None:
        return []
    return [
        *_memory_changes(project, memory, rewritten),
        *version_checks(project, turns, rewritten.derived_from),
        *_reflection_changes(project, window, rewritten),
    ]


def _reflection_changes(project: MemoryProject, window: Window, source: Memory) -> list[Change]:
    """Return the changes that make the reflection into which `source` was merged again, from its current sources."""
    reflection = project.rows(MEMORIES).get(window.reflection) if window.reflection else None
    if reflection is None:
        return []
    stored = project.rows(MEMORIES)
    memories = {**stored.by_id(reflection.derived_from), source.id: source}
    sources = [memories[one] for one in reflection.derived_from if one in memories]
    remembered = [one for one in sources if is_remembered(one, project.now())]
    rewritten = _with_summary(project, reflection, reflection_of(project, remembered), reflection.metadata)
    if rewritten is None:
        return []
    others = [one for one in remembered if one.id != source.id]
    unchanged = [Check(stored.key(one.id), Equals("version", one.version)) for one in others]
    rewritten = altered(rewritten, derived_from=reflection.derived_from)
    return [*_memory_changes(project, reflection, rewritten), *unchanged]


def _with_summary(
    project: MemoryProject, memory: Memory, summary: Summary, metadata: dict[str, object]
) -> Memory | None:
    """Return `memory` with the new summary, or None if nothing changes. An empty summary makes it forgotten."""
    now = project.now()
    by_system = memory.forgotten_at is not None and _is_forgotten_by_system(memory)
    stays = not by_system if summary.text else memory.forgotten_at is not None
    if memory.content == summary.text and stays:
        return None
    history = with_step(memory.history, Step(now, "rewritten", SYSTEM_ACTOR))
    changed = altered(memory, content=summary.text, derived_from=summary.sources, metadata=metadata, history=history)
    if not summary.text and memory.forgotten_at is None:
        forgotten = with_step(history, Step(now, "forgotten", SYSTEM_ACTOR))
        return altered(changed, forgotten_at=now, purge_at=now + KEPT_FORGOTTEN_MS, history=forgotten)
    if summary.text and by_system:
        restored = with_step(history, Step(now, "restored", SYSTEM_ACTOR))
        return altered(changed, forgotten_at=None, purge_at=None, history=restored)
    return changed


def _is_forgotten_by_system(memory: Memory) -> bool:
    """Return whether Almanac itself forgot the summary, because nothing was left of it."""
    steps = [step for step in memory.history if step.what in {"forgotten", "lapsed", "superseded"}]
    return bool(steps) and steps[-1].what == "forgotten" and steps[-1].actor == SYSTEM_ACTOR


def _memory_changes(project: MemoryProject, before: Memory, memory: Memory) -> list[Change]:
    events: Sequence[Event] = ()
    if (before.forgotten_at is None) != (memory.forgotten_at is None):
        events = [_visibility_event(project, memory)]
    changes = [*project.put(memory, is_new=False, events=events), *source_changes(project, memory, before.derived_from)]
    return [*changes, *_purge_changes(project, before, memory)]


def _purge_changes(project: MemoryProject, before: Memory, memory: Memory) -> list[Change]:
    """Return the changes that schedule the deletion of a forgotten summary, or cancel it."""
    rows = project.rows(PURGES)
    if before.purge_at is not None and memory.purge_at is None:
        return [rows.delete(before.purge_at, memory.id)]
    if before.purge_at is None and memory.purge_at is not None:
        sources = before.derived_from[:MAX_SOURCES]
        return [rows.put(MemoryPurge(id=memory.id, kind=memory.kind, purge_at=memory.purge_at, sources=sources))]
    return []


def _visibility_event(project: MemoryProject, memory: Memory) -> Event:
    if memory.forgotten_at is None:
        return project.event(MEMORY_RESTORED, memory.id, readable_payload(memory), at=project.now())
    return project.event(MEMORY_FORGOTTEN, memory.id, hidden_payload(memory), at=project.now())
