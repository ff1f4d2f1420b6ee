"""Edges of a thing and the things at their ends, as list_edges shows them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from almanac.families.knowledge.core.records import FACTS, PREDICATES, SLOTS, Fact
from almanac.families.knowledge.core.timeline import HoldingInterval, timeline
from almanac.families.knowledge.graph.ends import SUBJECT, End, Ends, display_id
from almanac.families.memory.core.records import Memory, Turn
from almanac.families.memory.edges.records import EdgeKind
from almanac.families.memory.edges.sources import data_of, state_of
from almanac.families.memory.edges.walk import Direction, Hub, Link, links_of, walk_links
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.kernel.errors import NotFound
from almanac.kernel.owners import left_out_by_key

State = Literal["remembered", "superseded", "forgotten", "active", "ended", "unknown", "present", "gone"]
TITLE_CHARACTERS = 160
MAX_FACTS_READ = 5_000
_SEPARATOR = "\x1f"


class EdgeQuery(Struct, frozen=True):
    """A request for edges. `start` is a canonical id, and `limit` the number of edges per page."""

    start: str
    kinds: tuple[EdgeKind, ...]
    direction: Direction
    hops: int
    limit: int
    cursor: str | None = None


class EdgeView(Struct, frozen=True, omit_defaults=True):
    """An edge from `src_id` to `dst_id`, `hop` steps from the start. `how`: stated by `actor` with create_edge, or
    made_of if a memory was made of the other end. `created_at` is in milliseconds since 1970. `notes` name parts of its
    metadata that look like instructions."""

    src_id: str
    dst_id: str
    kind: EdgeKind
    how: Literal["stated", "made_of"]
    hop: int
    edge_id: str | None = None
    confidence: float | None = None
    actor: str | None = None
    created_at: int | None = None
    metadata: dict[str, Any] = {}
    redacted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Node(Struct, frozen=True, omit_defaults=True):
    """A thing at the end of an edge. `title`: the beginning of its text, absent if it is forgotten or gone. `state` of
    turns and memories: remembered, superseded or forgotten. Of facts: active, ended, or unknown if finding out takes
    too many reads. Of other things: present. gone: deleted for good."""

    id: str
    what: str
    state: State
    title: str | None = None
    notes: tuple[str, ...] = ()


class EdgePage(Struct, frozen=True):
    """A page of edges. `cursor` is None on the last page. `cut`: the walk reached a limit. `notes` say what the
    caller's key may not see."""

    edges: tuple[EdgeView, ...]
    nodes: tuple[Node, ...]
    hubs: tuple[Hub, ...]
    cut: bool
    cursor: str | None
    notes: tuple[str, ...] = ()


class _Page(Struct, frozen=True):
    links: tuple[Link, ...]
    hubs: tuple[Hub, ...] = ()
    cut: bool = False
    next_position: str | None = None


def list_connected(ends: Ends, query: EdgeQuery) -> EdgePage:
    """Return a page of edges of which the caller's key may see both ends. Raises NotFound if the start is unknown and
    has no edges, or the key may not see it, and InvalidInput for a cursor of another list."""
    knowledge = ends.knowledge
    cursors = knowledge.cursors
    listing = ("edges", query.start, *sorted(query.kinds), query.direction, str(query.hops))
    position = cursors.start_of(listing, query.cursor, "") or None
    page = _direct_page(ends, query, position) if query.hops == 1 else _walk_page(ends, query, position)
    ids = dict.fromkeys([query.start, *(end for link in page.links for end in (link.src, link.dst))])
    found = ends.find(ids)
    shown = _NodeViews(ends, found, page.links)
    hidden = {id_ for id_ in ids if not ends.may_see(shown.what(id_), id_)}
    if query.start in hidden or (query.start not in found and not page.links and position is None):
        raise NotFound(
            f"There is nothing with the id {query.start[:80]!r} in this project, and no edge of it.",
            "Use the id of a turn, memory, fact, note, journal entry, event, task or card, or a name of facts.",
        )
    links = [link for link in page.links if link.src not in hidden and link.dst not in hidden]
    nodes = dict.fromkeys([query.start, *(end for link in links for end in (link.src, link.dst))])
    return EdgePage(
        tuple(_edge_view(link, found) for link in links),
        tuple(shown.node(node) for node in nodes),
        tuple(hub for hub in page.hubs if hub.id not in hidden),
        page.cut,
        cursors.seal(listing, page.next_position),
        left_out_by_key(knowledge.memory.families, [data_of(shown.what(one), one) for one in hidden]),
    )


def _direct_page(ends: Ends, query: EdgeQuery, position: str | None) -> _Page:
    """Return a page of direct edges, read page by page from the store, so that a list of any length can be
    completed."""
    page = links_of(
        ends.knowledge.memory.searched_projects,
        query.start,
        query.kinds,
        query.direction,
        limit=query.limit,
        position=position,
    )
    return _Page(page.links, next_position=page.next_position)


def _walk_page(ends: Ends, query: EdgeQuery, position: str | None) -> _Page:
    """Return a page of a walk over several hops. The walk is repeated for each page; edges added or removed meanwhile
    do not move others to another page."""
    walked = walk_links(ends.knowledge.memory.searched_projects, query.start, query.kinds, query.direction, query.hops)
    after = tuple(position.split(_SEPARATOR)) if position else ()
    left = [link for link in walked.links if link.place > after]
    shown = tuple(left[: query.limit])
    following = _SEPARATOR.join(shown[-1].place) if len(left) > query.limit else None
    return _Page(shown, walked.hubs, walked.cut, following)


def _edge_view(link: Link, found: Mapping[str, End]) -> EdgeView:
    edge = link.edge
    quoting = TextQuoter()
    return EdgeView(
        src_id=display_id(link.src, found.get(link.src)),
        dst_id=display_id(link.dst, found.get(link.dst)),
        kind=link.kind,
        how="stated" if edge else "made_of",
        hop=link.hop,
        edge_id=edge.id if edge else None,
        confidence=edge.confidence if edge else None,
        actor=edge.actor if edge else None,
        created_at=edge.created_at if edge else None,
        metadata=quoting.json("metadata", edge.metadata) if edge else {},
        redacted=edge.redacted if edge else (),
        notes=quoting.notes,
    )


class _NodeViews:
    """The things of one page, with their states."""

    def __init__(self, ends: Ends, found: Mapping[str, End], links: Sequence[Link]) -> None:
        self._ends = ends
        self._found = found
        self._whats = dict(_whats(links))
        self._now = ends.knowledge.now()
        self._holdings: dict[tuple[str, str], Mapping[str, HoldingInterval] | None] = {}
        self._may_read = MAX_FACTS_READ

    def what(self, end_id: str) -> str:
        """Return the kind of a thing, now or when an edge to it was made."""
        end = self._found.get(end_id)
        if end is not None:
            return end.what
        return "subject" if end_id.startswith(SUBJECT) else self._whats.get(end_id, "unknown")

    def node(self, end_id: str) -> Node:
        end = self._found.get(end_id)
        if end is None:
            return Node(display_id(end_id, None), self.what(end_id), "gone")
        state = self._state(end)
        if state == "forgotten":
            return Node(end.id, end.what, state)
        quoting = TextQuoter()
        title = quoting.text("title", end.title[:TITLE_CHARACTERS])
        return Node(display_id(end.id, end), end.what, state, title, quoting.notes)

    def _state(self, end: End) -> State:
        match end.record:
            case Turn() | Memory() as record:
                return state_of(record, self._now)
            case Fact() as fact:
                return self._state_of_fact(fact)
            case None:
                return "present"

    def _state_of_fact(self, fact: Fact) -> State:
        slot = (fact.subject_key, fact.predicate_key)
        if slot not in self._holdings:
            self._holdings[slot] = self._read(*slot)
        holdings = self._holdings[slot]
        if holdings is None or fact.id not in holdings:
            return "unknown"
        holding = holdings[fact.id]
        has_ended = holding.never or (holding.end is not None and holding.end <= self._now)
        return "ended" if has_ended else "active"

    def _read(self, subject_key: str, predicate_key: str) -> Mapping[str, HoldingInterval] | None:
        """Return when each fact of a slot holds; None if that is too much to read for one page."""
        knowledge = self._ends.knowledge
        slot = knowledge.rows(SLOTS).get(subject_key, predicate_key)
        facts = slot.facts if slot else 1
        if facts > self._may_read:
            return None
        self._may_read -= facts
        predicate = knowledge.rows(PREDICATES).get(predicate_key)
        of_slot = list(knowledge.rows(FACTS).every(subject_key, predicate_key, page=500))
        return timeline(of_slot, predicate.cardinality() if predicate else None)


def _whats(links: Iterable[Link]) -> Iterable[tuple[str, str]]:
    """Yield the kinds of things at the time their edges were made."""
    for link in links:
        if link.edge is not None:
            yield link.src, link.edge.src_kind
            yield link.dst, link.edge.dst_kind
