"""Forget memories at the end of their lifetime. They are hidden from that instant on, even before the job runs."""

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace as altered

from almanac.families.memory.core.memory import MemoryProject, document_of, system_memory
from almanac.families.memory.core.records import LAPSED_MEMORIES, MEMORIES, Memory
from almanac.families.memory.memories.forget_and_restore import lapse_changes
from almanac.kernel.caller import Scope
from almanac.platform.declaration.jobs import Job
from almanac.platform.due.next_due import earliest
from almanac.platform.services import Services
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, ConditionFailed
from almanac.platform.store.records import replace
from almanac.search.engine.document_writes import removal_change

_MEMORIES_OF_A_RUN = 50


def forget_lapsed(services: Services, scope: Scope) -> None:
    """Forget up to 50 lapsed memories and send their events. The next run takes the rest."""
    project = system_memory(services, scope)
    due = project.rows(MEMORIES).query(index="gsi2", until=project.now() + 1, limit=_MEMORIES_OF_A_RUN)
    for memory in due.records:
        # Another writer forgot it or extended its life, or the index lags behind.
        with suppress(ConditionFailed):
            project.store.write(_changes(project, memory))


def drop_changes(project: MemoryProject, memory: Memory) -> Sequence[Change]:
    """Return the changes that delete a memory without a trace.

    This is for working memories, of which there are many, and for memories that move elsewhere."""
    document_removal = removal_change(
        document_of(memory, memory.version),
        project.scope,
        actor=project.actor,
        at=project.now(),
        random_bytes=project.random_bytes,
    )
    unchanged = Equals("version", memory.version)
    return [project.rows(MEMORIES).delete(memory.id, condition=unchanged), document_removal]


LAPSE = Job(LAPSED_MEMORIES, 15, forget_lapsed, earliest(MEMORIES, "lapses_at", "gsi2"))


def _changes(project: MemoryProject, memory: Memory) -> Sequence[Change]:
    if memory.kind == "working":
        return drop_changes(project, memory)
    if memory.forgotten_at is None:
        return lapse_changes(project, memory)
    # It was forgotten before it lapsed, so it must leave the index of lapses.
    return [replace(project.rows(MEMORIES), altered(memory, lapses_at=None))]
