"""Delete memories and turns that were forgotten 30 days ago, with all items that refer to them."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

from almanac.families.memory.core.event_kinds import MEMORY_PURGED
from almanac.families.memory.core.memory import MemoryProject, system_memory
from almanac.families.memory.core.records import DIGESTS as TURN_DIGESTS
from almanac.families.memory.core.records import MEMORIES, REPLAYS, TURNS
from almanac.families.memory.edges.records import EDGES, SOURCES
from almanac.families.memory.memories.digests import dismissal_of_turn
from almanac.families.memory.memories.records import (
    DIGESTS,
    DISMISSALS,
    FORGOTTEN_MEMORIES,
    PURGES,
    Dismissal,
    MemoryPurge,
)
from almanac.kernel.caller import Scope
from almanac.platform.bus.outbox import outbox
from almanac.platform.declaration.jobs import Job
from almanac.platform.due.next_due import earliest
from almanac.platform.services import Services
from almanac.platform.store.conditions import Absent, Equals, Present
from almanac.platform.store.port import Change, ConditionFailed
from almanac.search.engine.cleanup import cleanup_changes

_PURGES_OF_A_RUN = 20
_MOST_CHANGES = 90
"""Most changes of a write, apart from the few that finish a purge."""


def purge_forgotten(services: Services, scope: Scope) -> None:
    """Purge up to 20 turns and memories whose 30 days are over. The next run takes the rest."""
    project = system_memory(services, scope)
    due = project.rows(PURGES).query(until=project.now() + 1, limit=_PURGES_OF_A_RUN).records
    # Search may still hold their texts. Keep the purge records until all of these are deleted.
    if due and (texts := cleanup_changes(project.store, scope, {purge.id for purge in due}, _MOST_CHANGES)):
        project.store.write(texts)
        if len(texts) == _MOST_CHANGES:
            return
    for purge in due:
        # Another process has purged it, or an item is in use again.
        with suppress(ConditionFailed):
            project.store.write(_changes(project, purge))


PURGE = Job(FORGOTTEN_MEMORIES, 300, purge_forgotten, earliest(PURGES, "purge_at"))


def _changes(project: MemoryProject, purge: MemoryPurge) -> list[Change]:
    """Return the next batch of deletions. The purge record stays until no items are left."""
    traces: list[Change] = list(islice(_trace_removals(project, purge), _MOST_CHANGES))
    if len(traces) == _MOST_CHANGES:
        return traces
    rows = project.rows(TURNS) if purge.kind == "turn" else project.rows(MEMORIES)
    event = project.event(MEMORY_PURGED, purge.id, {"memory_id": purge.id, "kind": purge.kind}, at=project.now())
    return [
        *traces,
        # An expired record counts as absent, whether or not the store still has it.
        rows.delete(purge.id, condition=Absent()),
        project.rows(PURGES).delete(purge.purge_at, purge.id, condition=Present()),
        *outbox([event]),
    ]


def _trace_removals(project: MemoryProject, purge: MemoryPurge) -> Iterator[Change]:
    sources = project.rows(SOURCES)
    for row in sources.query(purge.id, limit=_MOST_CHANGES).records:
        yield sources.delete(row.source, row.memory)
    edges = project.rows(EDGES)
    for index in (None, "gsi1"):
        for edge in edges.query(purge.id, index=index, limit=_MOST_CHANGES).records:
            yield edges.delete(edge.src, edge.kind, edge.dst)
    if purge.kind == "turn":
        yield from _trace_removals_of_turn(project, purge)
        return
    for source in purge.sources:
        yield sources.delete(source, purge.id)
    digests = project.rows(DIGESTS)
    stored = digests.get(purge.digest) if purge.digest else None
    if stored is not None and stored.memory == purge.id:
        yield digests.delete(stored.digest, condition=Equals("memory", purge.id))
        if purge.by_choice:
            yield project.rows(DISMISSALS).put(Dismissal(id=stored.digest, why="forgotten"))


def _trace_removals_of_turn(project: MemoryProject, purge: MemoryPurge) -> Iterator[Change]:
    digests, replays, turn = project.rows(TURN_DIGESTS), project.rows(REPLAYS), purge.id
    for digest in digests.query(turn, index="gsi1", limit=_MOST_CHANGES).records:
        yield digests.delete(digest.digest, condition=Equals("turn", turn))
    for replay in replays.query(turn, index="gsi1", limit=_MOST_CHANGES).records:
        yield replays.delete(replay.actor, replay.client_turn_id, condition=Equals("turn", turn))
        if purge.by_choice:
            name = dismissal_of_turn(replay.actor, replay.client_turn_id)
            yield project.rows(DISMISSALS).put(Dismissal(id=name, why="forgotten"))
