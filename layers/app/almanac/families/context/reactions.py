"""Reactions that keep summaries consistent with the memories they were made of."""

from collections.abc import Sequence

from almanac.families.context.summaries.originals import SUMMARY
from almanac.families.context.summaries.restoration import restore_originals
from almanac.families.context.summaries.writer import SUMMARISED, rebuild, settle
from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN, MEMORY_RESTORED
from almanac.families.memory.core.memory import system_memory
from almanac.families.memory.core.records import MEMORIES, Memory
from almanac.families.memory.edges.records import SOURCES
from almanac.kernel.events import Event
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.port import Change


def end_summarising(event: Event, services: Services) -> Sequence[Change]:
    """Hide the originals of a summary from search and lists, if the call that wrote it was interrupted. This reaction
    writes by itself; if the call completed, it finds nothing to do."""
    settle(system_memory(services, event.scope), str(event.payload["memory_id"]))
    return ()


def follow(event: Event, services: Services) -> Sequence[Change]:
    """Restore the originals of a forgotten summary, and hide them again when it is restored. Rebuild the summaries of a
    forgotten or restored memory. This reaction writes by itself too."""
    project = system_memory(services, event.scope)
    # For an event about a shared memory, originals from before its promotion are still in this project.
    home = system_memory(services, event.scope.shared) if event.payload.get("shared") else project
    memory = home.rows(MEMORIES).get(str(event.payload.get("memory_id")))
    if memory is None:
        return ()
    if memory.type == SUMMARY:
        if memory.forgotten_at is None:
            settle(home, memory.id, anew=True)
        elif not _was_unused(memory):
            restore_originals(project, memory)
    for made in project.rows(SOURCES).every(memory.id):
        rebuild(project, made.memory)
    return ()


def _was_unused(memory: Memory) -> bool:
    """Return whether the memory was forgotten for lack of use. Its originals are older still."""
    steps = [step.what for step in memory.history if step.what in ("forgotten", "faded")]
    return bool(steps) and steps[-1] == "faded"


REACTIONS = (
    Reaction("context.end_summarising", frozenset([SUMMARISED]), end_summarising),
    Reaction("context.follow_summaries", frozenset([MEMORY_FORGOTTEN, MEMORY_RESTORED]), follow),
)
