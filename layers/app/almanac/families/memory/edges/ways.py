"""Detect cycles: find out whether a node is reachable from another along edges of one kind."""

from collections.abc import Callable, Iterable

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES
from almanac.families.memory.edges.records import EDGES, SOURCES, EdgeKind
from almanac.families.memory.edges.sources import may_be_id

MOST_PASSED = 500
"""Most nodes that a search visits, in each direction."""


def is_reachable(project: MemoryProject, start: str, goal: str, kind: EdgeKind) -> bool | None:
    """Return whether `goal` is reachable from `start`, also through the sources of memories.

    None if this is still open after 500 nodes forward from `start` and 500 back from `goal`."""
    places = project.searched_projects
    ahead = _reaches(start, goal, lambda node: _neighbours(places, node, kind, _ahead))
    # Search backwards only when needed: a DynamoDB index lags behind writes.
    return ahead if ahead is not None else _reaches(goal, start, lambda node: _neighbours(places, node, kind, _behind))


def _reaches(start: str, goal: str, neighbours: Callable[[str], Iterable[str]]) -> bool | None:
    visited, unvisited = {start}, [start]
    while unvisited:
        node = unvisited.pop()
        if node == goal:
            return True
        for other in neighbours(node):
            if other not in visited:
                if len(visited) == MOST_PASSED:
                    return None
                visited.add(other)
                unvisited.append(other)
    return False


def _neighbours(
    places: Iterable[MemoryProject],
    node: str,
    kind: EdgeKind,
    list_neighbours: Callable[[MemoryProject, str, EdgeKind], Iterable[str]],
) -> Iterable[str]:
    for place in places:
        yield from list_neighbours(place, node, kind)


def _ahead(project: MemoryProject, node: str, kind: EdgeKind) -> Iterable[str]:
    yield from (edge.dst for edge in project.rows(EDGES).every(node, kind))
    if kind == "derives_from" and may_be_id(node):
        memory = project.rows(MEMORIES).get(node)
        yield from memory.derived_from if memory else ()


def _behind(project: MemoryProject, node: str, kind: EdgeKind) -> Iterable[str]:
    yield from (edge.src for edge in project.rows(EDGES).every(node, kind, index="gsi1"))
    if kind == "derives_from":
        yield from (source.memory for source in project.rows(SOURCES).every(node))
