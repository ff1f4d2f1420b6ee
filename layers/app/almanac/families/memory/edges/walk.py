"""Walk along connections: stated edges, and the sources of memories.

`places` are the projects to search, a project and the one it shares, because an edge stays in its project when one of
its ends is promoted. The walk reads only ids. Their records may be forgotten, deleted, or belong to another family.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, get_args

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES
from almanac.families.memory.edges.records import EDGES, SOURCES, SYMMETRIC, Edge, EdgeKind
from almanac.families.memory.edges.sources import may_be_id

Direction = Literal["out", "in", "both"]
EVERY: tuple[EdgeKind, ...] = get_args(EdgeKind)
MOST_OF_A_NODE = 100
"""Most edges that a walk follows from a node. A node with more is a hub."""

MOST_NODES = 150
MOST_LINKS = 2_000
MOST_COUNTED = 1_000
_HUBS_COUNTED = 10

_Side = Literal["out", "in", "sources", "made"]
_List = tuple[MemoryProject, _Side, EdgeKind | None]


class Link(Struct, frozen=True):
    """A connection from `src` to `dst`. `edge` is None if the memory `src` was derived from `dst`.

    `hop` is the step of the walk at which the link was found, from 1."""

    src: str
    dst: str
    kind: EdgeKind
    edge: Edge | None = None
    hop: int = 1

    @property
    def place(self) -> tuple[str, ...]:
        """Return the sort key of a link in a walk, which is unique."""
        return (str(self.hop), self.kind, self.src, self.dst, "made_of" if self.edge is None else "stated")

    def other(self, node: str) -> str:
        return self.dst if self.src == node else self.src


class LinkPage(Struct, frozen=True):
    """A page of links. `next_position` is the position of the next page; None on the last one."""

    links: tuple[Link, ...]
    next_position: str | None


class Hub(Struct, frozen=True):
    """A node with more edges than a walk follows. `links` is the number counted; with `more` there are others."""

    id: str
    links: int
    more: bool


class LinkWalk(Struct, frozen=True):
    """The result of a walk, with `links` in the order of their sort keys. `cut`: the walk reached a limit, so there may
    be more."""

    links: tuple[Link, ...]
    hubs: tuple[Hub, ...]
    cut: bool


def links_of(
    places: Sequence[MemoryProject],
    node: str,
    kinds: Sequence[EdgeKind] = EVERY,
    direction: Direction = "both",
    *,
    limit: int = MOST_OF_A_NODE,
    position: str | None = None,
) -> LinkPage:
    """Return a page of the direct connections of a node. Edges of symmetric kinds match any direction.

    `limit` is 1 to 1,000."""
    lists = tuple(link_list for place in places for link_list in _lists(place, kinds, direction))
    number, cursor = _read_position(position)
    links: list[Link] = []
    while number < len(lists):
        room = limit - len(links)
        page, next_cursor = _page(node, lists[number], max(room, 1), cursor)
        if room == 0 and page:
            return LinkPage(tuple(links), f"{number}:{cursor or ''}")
        links += page
        if next_cursor is not None:
            return LinkPage(tuple(links), f"{number}:{next_cursor}")
        number, cursor = number + 1, None
    return LinkPage(tuple(links), None)


def walk_links(
    places: Sequence[MemoryProject], start: str, kinds: Sequence[EdgeKind], direction: Direction, hops: int
) -> LinkWalk:
    """Return all links within a number of hops from `start`, up to the limits of this module."""
    links_by_key: dict[tuple[str, ...], Link] = {}
    hubs: list[Hub] = []
    visited, frontier, nodes, cut = {start}, [start], 0, False
    for hop in range(1, hops + 1):
        next_nodes: list[str] = []
        for node in frontier:
            if nodes == MOST_NODES or len(links_by_key) >= MOST_LINKS:
                cut = True
                break
            nodes += 1
            page = links_of(places, node, kinds, direction)
            if page.next_position is not None:
                hubs.append(_hub(places, node, kinds, direction, counts=len(hubs) < _HUBS_COUNTED))
            for link in page.links:
                links_by_key.setdefault(link.place[1:], altered(link, hop=hop))
                if (other := link.other(node)) not in visited:
                    visited.add(other)
                    next_nodes.append(other)
        frontier = next_nodes
    links = sorted(links_by_key.values(), key=lambda link: link.place)
    return LinkWalk(tuple(links), tuple(hubs), cut or bool(hubs))


def _lists(place: MemoryProject, kinds: Sequence[EdgeKind], direction: Direction) -> Iterator[_List]:
    going: list[EdgeKind] = [kind for kind in EVERY if kind in kinds and (direction != "in" or kind in SYMMETRIC)]
    coming: list[EdgeKind] = [kind for kind in EVERY if kind in kinds and (direction != "out" or kind in SYMMETRIC)]
    yield from _split_by_kind(place, "out", going)
    yield from _split_by_kind(place, "in", coming)
    if "derives_from" in kinds and direction != "in":
        yield place, "sources", None
    if "derives_from" in kinds and direction != "out":
        yield place, "made", None


def _split_by_kind(place: MemoryProject, side: _Side, kinds: Sequence[EdgeKind]) -> Sequence[_List]:
    return [(place, side, None)] if len(kinds) == len(EVERY) else [(place, side, kind) for kind in kinds]


def _page(node: str, link_list: _List, limit: int, cursor: str | None) -> tuple[list[Link], str | None]:
    project, side, kind = link_list
    if side == "sources":
        memory = project.rows(MEMORIES).get(node) if may_be_id(node) else None
        begin = int(cursor or 0)
        ids = memory.derived_from[begin : begin + limit] if memory else ()
        more = memory is not None and len(memory.derived_from) > begin + limit
        return [Link(node, source_id, "derives_from") for source_id in ids], str(begin + limit) if more else None
    if side == "made":
        derived = project.rows(SOURCES).query(node, limit=limit, cursor=cursor)
        return [Link(source.memory, node, "derives_from") for source in derived.records], derived.cursor
    narrowed = (node,) if kind is None else (node, kind)
    index = "gsi1" if side == "in" else None
    page = project.rows(EDGES).query(*narrowed, index=index, limit=limit, cursor=cursor)
    return [Link(edge.src, edge.dst, edge.kind, edge) for edge in page.records], page.cursor


def _hub(
    places: Sequence[MemoryProject], node: str, kinds: Sequence[EdgeKind], direction: Direction, *, counts: bool
) -> Hub:
    if not counts:
        return Hub(node, MOST_OF_A_NODE, more=True)
    page = links_of(places, node, kinds, direction, limit=MOST_COUNTED)
    return Hub(node, len(page.links), page.next_position is not None)


def _read_position(position: str | None) -> tuple[int, str | None]:
    if position is None:
        return 0, None
    number, _, cursor = position.partition(":")
    return int(number), cursor or None
