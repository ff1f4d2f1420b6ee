"""Detection of cycles: paths from one thing to another along edges of one kind."""

from collections.abc import Callable, Iterable

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES
from almanac.families.memory.edges.records import EDGES, SOURCES, EdgeKind
from almanac.families.memory.edges.sources import may_be_id

MOST_PASSED = 500
"""Things that are passed on the way, in each direction."""


def leads(project: MemoryProject, start: str, goal: str, kind: EdgeKind) -> bool | None:
    """Return whether `goal` is reachable from `start`, also through the sources of memories; None if that is unknown
    within 500 things forward from `start` and 500 back from `goal`."""
    places = project.remembering
    ahead = _reaches(start, goal, lambda node: _each(places, node, kind, _ahead))
    # Back from the goal only where it is far: on DynamoDB an index shows a write a moment later.
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
