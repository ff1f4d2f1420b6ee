"""Sources of facts: turns and memories, and notes, events and cards of the planner."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from almanac.families.knowledge.core.knowledge import Knowledge, PlannerOpener
from almanac.families.knowledge.core.records import Source
from almanac.families.memory.core.records import is_remembered
from almanac.families.memory.edges.sources import kind_of, records_of
from almanac.families.planner.links.items import find_items
from almanac.kernel.owners import Data, may_see

State = Literal["remembered", "forgotten", "gone"]
PLANNED: Mapping[str, str] = {"event": "event", "task": "card", "note": "note", "log": "journal"}
"""Planner item kinds and the kinds of sources that callers know. A task may be an event of that type."""


_DATA: Mapping[str, Data] = {
    "turn": "turns",
    "memory": "memories",
    "note": "notes",
    "event": "events",
    "card": "cards",
    "journal": "journal",
}


class FactSources(Struct, frozen=True):
    """The existing sources in the order of the request, and the ids of missing ones."""

    found: tuple[Source, ...] = ()
    dropped: tuple[str, ...] = ()


class SourceState(Struct, frozen=True):
    """`kind`: turn, memory, note, event, card or journal. `state` forgotten: hidden, but restorable for 30 days; gone:
    deleted for good."""

    id: str
    kind: str
    state: State


def resolve(knowledge: Knowledge, planner: PlannerOpener, ids: Sequence[str]) -> FactSources:
    """Return the sources among these ids that the project has and the caller's key may see."""
    if not ids:
        return FactSources()
    known = _states(knowledge, planner, ids)
    found = {id_: known[id_] for id_ in ids if id_ in known and known[id_].state == "remembered"}
    return FactSources(
        tuple(Source(one.id, one.kind) for one in found.values()), tuple(id_ for id_ in ids if id_ not in found)
    )


def states_of(knowledge: Knowledge, planner: PlannerOpener, sources: Iterable[Source]) -> dict[str, SourceState]:
    """Return the current state of the sources, by id, without those that the caller's key may not see."""
    kinds = {source.id: source.kind for source in sources if _may_see(knowledge, source.kind)}
    known = _states(knowledge, planner, list(kinds)) if kinds else {}
    return {one: known.get(one) or SourceState(one, kind, "gone") for one, kind in kinds.items()}


def _states(knowledge: Knowledge, planner: PlannerOpener, ids: Sequence[str]) -> dict[str, SourceState]:
    now = knowledge.now()
    found: dict[str, SourceState] = {}
    for one, record in records_of(knowledge.memory, ids).items():
        state: State = "remembered" if is_remembered(record, now) else "forgotten"
        found[one] = SourceState(one, "turn" if kind_of(record) == "turn" else "memory", state)
    left = [id_ for id_ in ids if id_ not in found]
    items = find_items(planner.open(), left) if left else {}
    for one, item in items.items():
        kind = "event" if item.type == "task" and not one.startswith("card_") else PLANNED[item.type]
        found[one] = SourceState(one, kind, "remembered")
    return {one: state for one, state in found.items() if _may_see(knowledge, state.kind)}


def _may_see(knowledge: Knowledge, kind: str) -> bool:
    return may_see(knowledge.memory.families, _DATA[kind])
