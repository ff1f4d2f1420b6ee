"""Supersede a memory, and undo that.

The superseded memory leaves search and lists. It can still be read by its id, and forget_memory with restore=true
brings it back.
"""

from msgspec.structs import replace as altered

from almanac.families.memory.core.event_kinds import MEMORY_RESTORED, MEMORY_SUPERSEDED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, Step, is_remembered, with_step
from almanac.families.memory.memories.event_payloads import hidden_payload, readable_payload
from almanac.families.memory.memories.versions import change_note
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, Update


def supersede(project: MemoryProject, memory: Memory, by: str, salience: float | None) -> list[Change]:
    """Return the changes that replace a memory by the item `by`. `salience` is its new salience; None keeps the old."""
    now = project.now()
    history = with_step(memory.history, Step(now, "superseded", project.actor))
    hidden = altered(memory, superseded_at=now, superseded_by=by, history=history)
    event = project.event(MEMORY_SUPERSEDED, memory.id, {**hidden_payload(memory), "superseded_by": by}, at=now)
    return [
        *project.put(_with_salience(hidden, salience, now), is_new=False, events=[event]),
        change_note(project, memory.id),
    ]


def unsupersede(project: MemoryProject, memory: Memory, by: str | None, salience: float | None) -> list[Change]:
    """Return the changes that show a superseded memory again. With `by`, that item becomes its replacement instead."""
    now = project.now()
    if by is not None:
        return project.put(_with_salience(altered(memory, superseded_by=by), salience, now), is_new=False)
    history = with_step(memory.history, Step(now, "restored", project.actor))
    visible = altered(memory, superseded_at=None, superseded_by=None, history=history)
    # A memory that was forgotten meanwhile stays hidden.
    remembered = is_remembered(visible, now)
    events = [project.event(MEMORY_RESTORED, memory.id, readable_payload(visible), at=now)] if remembered else []
    return [
        *project.put(_with_salience(visible, salience, now), is_new=False, events=events),
        change_note(project, memory.id),
    ]


def set_salience(project: MemoryProject, memory: Memory, salience: float) -> Change:
    """Return the change that sets a memory's salience, unless the memory has changed since it was read.

    The version stays, because search does not index salience."""
    unchanged = Equals("version", memory.version) & Equals("salience", memory.salience)
    values = {"salience": salience, "used_at": project.now()}
    return Update(project.rows(MEMORIES).key(memory.id), set=values, condition=unchanged)


def _with_salience(memory: Memory, salience: float | None, now: int) -> Memory:
    return memory if salience is None else altered(memory, salience=salience, used_at=now)
