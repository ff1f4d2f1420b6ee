"""Move the edges of a promoted memory. An edge between two shared memories moves to the shared project."""

from collections.abc import Iterator

from msgspec.structs import replace as altered

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory
from almanac.families.memory.edges.records import EDGES, SYMMETRIC, Edge
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change


def relocation_changes(
    project: MemoryProject, target: MemoryProject, memory_id: str, new_id: str
) -> Iterator[list[Change]]:
    """Yield the changes for each edge of a memory that moves from `project` to `target`.

    `new_id` is its id there, which differs from `memory_id` if `target` already has a memory of the same content. An
    edge whose other end stays in the project stays too.
    """
    edges = project.rows(EDGES)
    for edge in [*edges.every(memory_id), *edges.every(memory_id, index="gsi1")]:
        other = edge.dst if edge.src == memory_id else edge.src
        is_shared = other == new_id or bool(target.rows(MEMORIES).by_id([other]))
        if is_shared or new_id != memory_id:
            yield [
                edges.delete(edge.src, edge.kind, edge.dst, condition=Equals("version", edge.version)),
                *_store_edge(target if is_shared else project, _with_new_id(edge, memory_id, new_id)),
                *(_replacement_changes(project, target, edge, new_id) if edge.src == memory_id != new_id else ()),
            ]


def _store_edge(home: MemoryProject, edge: Edge) -> list[Change]:
    """Return the change that stores the edge; none if the edge exists or would connect a memory with itself."""
    rows = home.rows(EDGES)
    if edge.src == edge.dst or rows.get(edge.src, edge.kind, edge.dst) is not None:
        return []
    return [rows.insert(edge)]


def _with_new_id(edge: Edge, former: str, now_id: str) -> Edge:
    src, dst = (now_id if end == former else end for end in (edge.src, edge.dst))
    if edge.kind in SYMMETRIC:
        lesser, greater = sorted([(src, edge.src_kind), (dst, edge.dst_kind)])
        return altered(edge, src=lesser[0], src_kind=lesser[1], dst=greater[0], dst_kind=greater[1])
    return altered(edge, src=src, dst=dst)


def _replacement_changes(project: MemoryProject, target: MemoryProject, edge: Edge, now_id: str) -> list[Change]:
    """Return the changes by which the superseded memory names the new id of its replacement."""
    if edge.kind != "supersedes":
        return []
    for home in (project, target):
        superseded: Memory | None = home.rows(MEMORIES).get(edge.dst)
        if superseded is not None and superseded.superseded_by == edge.src:
            return home.put(altered(superseded, superseded_by=now_id), is_new=False)
    return []
