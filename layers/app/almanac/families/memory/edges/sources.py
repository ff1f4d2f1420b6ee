"""Where memories come from, in both directions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, TURNS, Kind, Memory, Turn, is_remembered
from almanac.families.memory.edges.records import SOURCES, MemorySource
from almanac.platform.store.port import Change

State = Literal["remembered", "forgotten", "gone"]
MAX_SOURCES = 50
MAX_SHOWN = 50
MAX_ID = 64


class Resolved(Struct, frozen=True):
    """The sources that are remembered, as they were named, and the ids of the others."""

    found: tuple[Turn | Memory, ...]
    dropped: tuple[str, ...]


class Edge(Struct, frozen=True, omit_defaults=True):
    """One end of it: a turn or memory. `kind` is left out where it is gone."""

    id: str
    state: State
    kind: Kind | None = None


class Edges(Struct, frozen=True):
    """`derived_from`: what it was made of. `derives`: memories that were made of it, at most 50 each; where there are
    more, `derived_from_cut` or `derives_cut` is true. `state` forgotten: hidden, and can be restored for 30 days;
    gone: for good."""

    derived_from: tuple[Edge, ...] = ()
    derives: tuple[Edge, ...] = ()
    derived_from_cut: bool = False
    derives_cut: bool = False


def resolve_sources(project: MemoryProject, ids: Sequence[str]) -> Resolved:
    """What the project remembers of these ids, each once; those of other projects are unknown here."""
    different = tuple(dict.fromkeys(ids))
    known, now = records_of(project, different), project.now()
    found = {one: record for one, record in known.items() if is_remembered(record, now)}
    kept = tuple(found[one] for one in different if one in found)
    return Resolved(kept, tuple(one for one in different if one not in found))


def source_changes(project: MemoryProject, memory: Memory, former: Sequence[str] = ()) -> list[Change]:
    """To be written together with a memory: by these it is found from each of its first 50 sources. `former` are those
    that it had before it was made anew."""
    rows = project.rows(SOURCES)
    sources, before = (dict.fromkeys(ids[:MAX_SOURCES]) for ids in (memory.derived_from, former))
    added = [rows.put(MemorySource(source=one, memory=memory.id)) for one in sources if one not in before]
    return [*added, *(rows.delete(one, memory.id) for one in before if one not in sources)]


def edges_of(project: MemoryProject, record: Turn | Memory) -> Edges:
    named = record.derived_from if isinstance(record, Memory) else ()
    made = project.rows(SOURCES).query(record.id, limit=MAX_SHOWN + 1).records
    shown, derived = named[:MAX_SHOWN], [one.memory for one in made[:MAX_SHOWN]]
    known = records_of(project, shown)
    memories = project.rows(MEMORIES).by_id(derived)
    return Edges(
        derived_from=_edges(shown, known, project.now()),
        # What was made of it and is gone by now waits for being cleared away.
        derives=_edges([one for one in derived if one in memories], memories, project.now()),
        derived_from_cut=len(named) > MAX_SHOWN,
        derives_cut=len(made) > MAX_SHOWN,
    )


def records_of(project: MemoryProject, ids: Sequence[str]) -> dict[str, Turn | Memory]:
    """Turns and memories by their ids, forgotten ones too. Texts that cannot be ids find nothing."""
    possible = [one for one in ids if _may_be_id(one)]
    turns = project.rows(TURNS).by_id(possible) if possible else {}
    others = [one for one in possible if one not in turns]
    memories = project.rows(MEMORIES).by_id(others) if others else {}
    return {**turns, **memories}


def _may_be_id(text: str) -> bool:
    return 0 < len(text) <= MAX_ID and text.isascii()


def _edges(ids: Iterable[str], known: Mapping[str, Turn | Memory], now: int) -> tuple[Edge, ...]:
    return tuple(_edge(one, known.get(one), now) for one in ids)


def _edge(one: str, record: Turn | Memory | None, now: int) -> Edge:
    if record is None:
        return Edge(one, "gone")
    return Edge(one, "remembered" if is_remembered(record, now) else "forgotten", kind_of(record))


def kind_of(record: Turn | Memory) -> Kind:
    return "turn" if isinstance(record, Turn) else record.kind
