"""Read the sources and edges of memories and turns, and index memories by their sources."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, get_args

from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, TURNS, Kind, Memory, Turn, is_readable, is_superseded
from almanac.families.memory.edges.records import EDGES, SOURCES, Edge, EdgeKind, MemorySource
from almanac.kernel.owners import Data, may_see
from almanac.platform.store.port import Change

State = Literal["remembered", "superseded", "forgotten", "gone"]
MAX_SOURCES = 50
MAX_SHOWN = 50
MAX_ID = 64
_OF_MEMORY = frozenset(get_args(Kind))
_DATA: Mapping[str, Data] = {
    "turn": "turns",
    "fact": "facts",
    "subject": "facts",
    "event": "events",
    "note": "notes",
    "log": "journal",
}
"""The kind of data that an end of an edge belongs to. Kinds not listed are memories; a task is a card or an event."""


class _End(NamedTuple):
    """An edge, and its other end."""

    edge: Edge
    direction: Literal["out", "in"]
    id: str
    what: str


class MemorySources(Struct, frozen=True):
    """The sources that the project remembers, in the order of the request, and the ids of the others (`dropped`)."""

    found: tuple[Turn | Memory, ...]
    dropped: tuple[str, ...]


class Relative(Struct, frozen=True, omit_defaults=True):
    """A turn or memory from which a memory was made, or a memory made from it. `kind` is absent if it is gone."""

    id: str
    state: State
    kind: Kind | None = None


class StatedEdge(Struct, frozen=True, omit_defaults=True):
    """The edge to (`direction` out) or from (in) the item `id`, whose type is `what`. Only turns and memories have a
    `state`.
    """

    edge_id: str
    kind: EdgeKind
    direction: Literal["out", "in"]
    id: str
    what: str
    confidence: float
    state: State | None = None


class Edges(Struct, frozen=True):
    """`derived_from`: its sources. `derives`: memories made from it. `stated`: edges that create_edge made. At most 50
    each; `derived_from_cut`, `derives_cut` or `stated_cut` is true if there are more. `state` superseded: a newer item
    replaces it; forgotten: hidden, and can be restored for 30 days; gone: deleted for good. `stated_left_out` counts
    the edges that the API key may not see; it needs the family knowledge, and the family of the other end.
    """

    derived_from: tuple[Relative, ...] = ()
    derives: tuple[Relative, ...] = ()
    stated: tuple[StatedEdge, ...] = ()
    derived_from_cut: bool = False
    derives_cut: bool = False
    stated_cut: bool = False
    stated_left_out: int = 0


def resolve_sources(project: MemoryProject, ids: Sequence[str]) -> MemorySources:
    """Return the records that the project remembers under these ids, each once.

    Ids of other projects are dropped. A key without the family memory cannot use turns."""
    unique_ids = tuple(dict.fromkeys(ids))
    stored, now = records_of(project, unique_ids), project.now()
    sees_turns = may_see(project.families, "turns")
    usable = {
        source_id: record
        for source_id, record in stored.items()
        if is_readable(record, now) and (sees_turns or isinstance(record, Memory))
    }
    records = tuple(usable[source_id] for source_id in unique_ids if source_id in usable)
    return MemorySources(records, tuple(source_id for source_id in unique_ids if source_id not in usable))


def source_changes(project: MemoryProject, memory: Memory, former: Sequence[str] = ()) -> list[Change]:
    """Return the changes that index a memory by its first 50 sources. Write them together with the memory.

    `former` lists the sources that the memory had before a rewrite."""
    rows = project.rows(SOURCES)
    sources, before = (dict.fromkeys(ids[:MAX_SOURCES]) for ids in (memory.derived_from, former))
    added = [
        rows.put(MemorySource(source=source_id, memory=memory.id)) for source_id in sources if source_id not in before
    ]
    return [*added, *(rows.delete(source_id, memory.id) for source_id in before if source_id not in sources)]


def edges_of(project: MemoryProject, record: Turn | Memory) -> Edges:
    """Return the edges of a record that the caller can see.

    This searches every project in reach, because an edge stays in its project when one of its ends is promoted."""
    places = project.searched_projects
    source_ids = record.derived_from if isinstance(record, Memory) else ()
    derived_ids = [
        row.memory for place in places for row in place.rows(SOURCES).query(record.id, limit=MAX_SHOWN + 1).records
    ]
    shown_sources, shown_derived = source_ids[:MAX_SHOWN], derived_ids[:MAX_SHOWN]
    records = records_in_reach(places, [*shown_sources, *shown_derived])
    memories = {memory_id: records[memory_id] for memory_id in shown_derived if memory_id in records}
    stated_edges = _list_stated_edges(project, places, record.id)
    visible = tuple(edge for edge in stated_edges if _may_see(project, edge))
    return Edges(
        derived_from=_relatives(shown_sources, records, project.now()),
        # Derived memories that are gone still have index rows until they are purged.
        derives=_relatives(memories, memories, project.now()),
        stated=visible[:MAX_SHOWN],
        derived_from_cut=len(source_ids) > MAX_SHOWN,
        derives_cut=len(derived_ids) > MAX_SHOWN,
        stated_cut=len(stated_edges) > MAX_SHOWN,
        stated_left_out=len(stated_edges) - len(visible),
    )


def _may_see(project: MemoryProject, edge: StatedEdge) -> bool:
    needed: tuple[Data, ...] = ("facts", data_of(edge.what, edge.id))
    return all(may_see(project.families, data) for data in needed)


def _list_stated_edges(project: MemoryProject, places: Sequence[MemoryProject], node: str) -> tuple[StatedEdge, ...]:
    """Return the stated edges, outgoing before incoming. If there are more than the limit, return one more."""
    every, now = [place.rows(EDGES) for place in places], project.now()
    out = [edge for rows in every for edge in rows.query(node, limit=MAX_SHOWN + 1).records]
    into = [edge for rows in every for edge in rows.query(node, index="gsi1", limit=MAX_SHOWN + 1).records]
    ends = [_End(edge, "out", edge.dst, edge.dst_kind) for edge in out]
    ends += [_End(edge, "in", edge.src, edge.src_kind) for edge in into]
    ends = ends[: MAX_SHOWN + 1]
    records = records_in_reach(places, [end.id for end in ends if end.what in _OF_MEMORY])
    return tuple(
        StatedEdge(
            end.edge.id,
            end.edge.kind,
            end.direction,
            end.id,
            end.what,
            end.edge.confidence,
            _state_there(records.get(end.id), now) if end.what in _OF_MEMORY else None,
        )
        for end in ends
    )


def _state_there(record: Turn | Memory | None, now: int) -> State:
    return "gone" if record is None else state_of(record, now)


def data_of(end_kind: str, end_id: str) -> Data:
    """Return the kind of data that an end of an edge is, for access checks. `end_kind` is its kind in edges."""
    if end_kind == "task":
        return "cards" if end_id.startswith("card_") else "events"
    return _DATA.get(end_kind, "memories")


def records_of(project: MemoryProject, ids: Sequence[str]) -> dict[str, Turn | Memory]:
    """Return turns and memories by their ids, including forgotten ones. Texts that cannot be ids are ignored."""
    possible = [record_id for record_id in ids if may_be_id(record_id)]
    turns = project.rows(TURNS).by_id(possible) if possible else {}
    others = [record_id for record_id in possible if record_id not in turns]
    memories = project.rows(MEMORIES).by_id(others) if others else {}
    return {**turns, **memories}


def records_in_reach(places: Iterable[MemoryProject], ids: Sequence[str]) -> dict[str, Turn | Memory]:
    """Return turns and memories by their ids, each from the first of these projects that has it."""
    records: dict[str, Turn | Memory] = {}
    for place in places:
        if missing := [record_id for record_id in dict.fromkeys(ids) if record_id not in records]:
            records |= records_of(place, missing)
    return records


def may_be_id(text: str) -> bool:
    """Return whether the text may be the id of a turn or memory."""
    return 0 < len(text) <= MAX_ID and text.isascii()


def _relatives(ids: Iterable[str], records: Mapping[str, Turn | Memory], now: int) -> tuple[Relative, ...]:
    return tuple(_relative(record_id, records.get(record_id), now) for record_id in ids)


def _relative(record_id: str, record: Turn | Memory | None, now: int) -> Relative:
    return Relative(record_id, _state_there(record, now), kind_of(record) if record else None)


def state_of(record: Turn | Memory, now: int) -> State:
    if not is_readable(record, now):
        return "forgotten"
    return "superseded" if is_superseded(record) else "remembered"


def kind_of(record: Turn | Memory) -> Kind:
    return "turn" if isinstance(record, Turn) else record.kind
