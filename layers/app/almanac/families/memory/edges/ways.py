"""Reachability along edges of one kind, to detect cycles."""

from collections.abc import Callable, Iterable

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES
from almanac.families.memory.edges.records import EDGES, SOURCES, EdgeKind
from almanac.families.memory.edges.sources import may_be_id

MOST_PASSED = 500
"""Nodes visited at most, in each direction."""


def is_reachable(project: MemoryProject, start: str, goal: str, kind: EdgeKind) -> bool | None:
    """Return whether `goal` is reachable from `start`, including through the sources of memories. None if 500 nodes
    forward from `start` and 500 back from `goal` do not settle it."""
    places = project.searched_projects
    ahead = _reaches(start, goal, lambda node: _each(places, node, kind, _ahead))
    # Search backwards only when needed: a DynamoDB index lags behind writes.
    return ahead if ahead is not None else _reaches(goal, start, lambda node: _each(places, node, kind, _behind))


def _reaches(start: str, goal: str, following: Callable[[str], Iterable[str]]) -> bool | None:
    seen, waiting = {start}, [start]
    while waiting:
        node = waiting.pop()
        if node == goal:
            return True
        for other in following(node):
            if other not in seen:
                if len(seen) == MOST_PASSED:
                    return None
                seen.add(other)
                waiting.append(other)
    return False


def _each(
    places: Iterable[MemoryProject],
    node: str,
    kind: EdgeKind,
    following: Callable[[MemoryProject, str, EdgeKind], Iterable[str]],
) -> Iterable[str]:
    for place in places:
        yield from following(place, node, kind)


def _ahead(project: MemoryProject, node: str, kind: EdgeKind) -> Iterable[str]:
    yield from (edge.dst for edge in project.rows(EDGES).every(node, kind))
    if kind == "derives_from" and may_be_id(node):
        memory = project.rows(MEMORIES).get(node)
        yield from memory.derived_from if memory else ()


def _behind(project: MemoryProject, node: str, kind: EdgeKind) -> Iterable[str]:
    yield from (edge.src for edge in project.rows(EDGES).every(node, kind, index="gsi1"))
    if kind == "derives_from":
        yield from (made.memory for made in project.rows(SOURCES).every(node))
