"""Reactions of context to events: a summary and the memories it was made of follow each other."""

from collections.abc import Sequence

from almanac.families.context.summaries.originals import SUMMARY
from almanac.families.context.summaries.restoration import restore_originals
from almanac.families.context.summaries.writer import SUMMARISED, made_again, settle
from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN, MEMORY_RESTORED
from almanac.families.memory.core.memory import system_memory
from almanac.families.memory.core.records import MEMORIES, Memory
from almanac.families.memory.edges.records import SOURCES
from almanac.kernel.events import Event
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.port import Change


def end_summarising(event: Event, services: Services) -> Sequence[Change]:
    """Take the originals of a summary out of search and lists, where whoever wrote it was stopped. It writes by itself:
    who comes second finds nothing to do."""
    settle(system_memory(services, event.scope), str(event.payload["memory_id"]))
    return ()


def follow(event: Event, services: Services) -> Sequence[Change]:
    """Restore the originals of a forgotten summary, and hide them again when it is restored; rebuild the summaries of a
    forgotten or restored memory. Like the reaction above, it writes by itself."""
    project = system_memory(services, event.scope)
    # A copy of what happened to a shared one: what it was made of before it was promoted is still here.
    home = system_memory(services, event.scope.shared) if event.payload.get("shared") else project
    memory = home.rows(MEMORIES).get(str(event.payload.get("memory_id")))
    if memory is None:
        return ()
    if memory.type == SUMMARY:
        if memory.forgotten_at is None:
            settle(home, memory.id, anew=True)
        elif not _faded(memory):
            restore_originals(project, memory)
    for made in project.rows(SOURCES).every(memory.id):
        made_again(project, made.memory)
    return ()


def _faded(memory: Memory) -> bool:
    """Return whether the memory was forgotten for lack of use; its originals are older still."""
    steps = [step.what for step in memory.history if step.what in ("forgotten", "faded")]
    return bool(steps) and steps[-1] == "faded"


REACTIONS = (
    Reaction("context.end_summarising", frozenset([SUMMARISED]), end_summarising),
    Reaction("context.follow_summaries", frozenset([MEMORY_FORGOTTEN, MEMORY_RESTORED]), follow),
)
