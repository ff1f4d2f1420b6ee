"""Deletion of memories that were forgotten 30 days ago, with all items that refer to them."""

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

_AT_ONCE = 20
_STEP = 90
"""Maximum changes per write, apart from the few that finish a purge."""


def purge_forgotten(services: Services, scope: Scope) -> None:
    """Purge up to 20 turns and memories whose 30 days are over. The next run takes the rest."""
    project = system_memory(services, scope)
    due = project.rows(PURGES).query(until=project.now() + 1, limit=_AT_ONCE).records
    # Search may still hold their texts. Keep the purge records until all of these are deleted.
    if due and (texts := cleanup_changes(project.store, scope, {purge.id for purge in due}, _STEP)):
        project.store.write(texts)
        if len(texts) == _STEP:
            return
    for purge in due:
        # Another process purged it, or an item is in use again.
        with suppress(ConditionFailed):
            project.store.write(_changes(project, purge))


PURGE = Job(FORGOTTEN_MEMORIES, 300, purge_forgotten, earliest(PURGES, "purge_at"))


def _changes(project: MemoryProject, purge: MemoryPurge) -> list[Change]:
    """Return the next batch of deletions. The purge record stays until no items are left."""
    traces: list[Change] = list(islice(_traces(project, purge), _STEP))
    if len(traces) == _STEP:
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


def _traces(project: MemoryProject, purge: MemoryPurge) -> Iterator[Change]:
    sources = project.rows(SOURCES)
    for made in sources.query(purge.id, limit=_STEP).records:
        yield sources.delete(made.source, made.memory)
    edges = project.rows(EDGES)
    for index in (None, "gsi1"):
        for edge in edges.query(purge.id, index=index, limit=_STEP).records:
            yield edges.delete(edge.src, edge.kind, edge.dst)
    if purge.kind == "turn":
        yield from _traces_of_turn(project, purge)
        return
    for source in purge.sources:
        yield sources.delete(source, purge.id)
    digests = project.rows(DIGESTS)
    standing = digests.get(purge.digest) if purge.digest else None
    if standing is not None and standing.memory == purge.id:
        yield digests.delete(standing.digest, condition=Equals("memory", purge.id))
        if purge.by_choice:
            yield project.rows(DISMISSALS).put(Dismissal(id=standing.digest, why="forgotten"))


def _traces_of_turn(project: MemoryProject, purge: MemoryPurge) -> Iterator[Change]:
    digests, replays, turn = project.rows(TURN_DIGESTS), project.rows(REPLAYS), purge.id
    for digest in digests.query(turn, index="gsi1", limit=_STEP).records:
        yield digests.delete(digest.digest, condition=Equals("turn", turn))
    for replay in replays.query(turn, index="gsi1", limit=_STEP).records:
        yield replays.delete(replay.actor, replay.client_turn_id, condition=Equals("turn", turn))
        if purge.by_choice:
            name = dismissal_of_turn(replay.actor, replay.client_turn_id)
            yield project.rows(DISMISSALS).put(Dismissal(id=name, why="forgotten"))
