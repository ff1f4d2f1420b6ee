"""Edges of a memory that is promoted: those between two memories that projects share are kept with them."""

from collections.abc import Iterator

from msgspec.structs import replace as altered

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory
from almanac.families.memory.edges.records import EDGES, SYMMETRIC, Edge
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change


def relocated(project: MemoryProject, target: MemoryProject, memory_id: str, now_id: str) -> Iterator[list[Change]]:
    """The changes for each edge of a memory of `project` that is in `target` from now on, under `now_id`: the same id,
    or that of another one there, which says exactly this. An edge whose other end stays in the project stays too."""
    edges = project.rows(EDGES)
    for edge in [*edges.every(memory_id), *edges.every(memory_id, index="gsi1")]:
        other = edge.dst if edge.src == memory_id else edge.src
        is_shared = other == now_id or bool(target.rows(MEMORIES).by_id([other]))
        if is_shared or now_id != memory_id:
            yield [
                edges.delete(edge.src, edge.kind, edge.dst, condition=Equals("version", edge.version)),
                *_written(target if is_shared else project, _renamed(edge, memory_id, now_id)),
                *(_held_by(project, target, edge, now_id) if edge.src == memory_id != now_id else ()),
            ]


def _written(home: MemoryProject, edge: Edge) -> list[Change]:
    """Return the change that stores the edge; none if it would connect a memory with itself, or exists already."""
    rows = home.rows(EDGES)
    if edge.src == edge.dst or rows.get(edge.src, edge.kind, edge.dst) is not None:
        return []
    return [rows.insert(edge)]


def _renamed(edge: Edge, former: str, now_id: str) -> Edge:
    src, dst = (now_id if one == former else one for one in (edge.src, edge.dst))
    if edge.kind in SYMMETRIC:
        lesser, greater = sorted([(src, edge.src_kind), (dst, edge.dst_kind)])
        return altered(edge, src=lesser[0], src_kind=lesser[1], dst=greater[0], dst_kind=greater[1])
    return altered(edge, src=src, dst=dst)


def _held_by(project: MemoryProject, target: MemoryProject, edge: Edge, now_id: str) -> list[Change]:
    """Return the changes that make the superseded memory name its new replacement."""
    if edge.kind != "supersedes":
        return []
    for home in (project, target):
        found: Memory | None = home.rows(MEMORIES).get(edge.dst)
        if found is not None and found.superseded_by == edge.src:
            return home.put(altered(found, superseded_by=now_id), is_new=False)
    return []
