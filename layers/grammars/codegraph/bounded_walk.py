"""Walk along edges from some names, nearest names and surest edges first, within bounds."""

from collections.abc import Callable, Collection, Iterator, Sequence
from heapq import heappop, heappush
from typing import Literal

from msgspec import Struct

from codegraph.budget import Budget
from codegraph.edges import Edge, EdgeKind

Direction = Literal["out", "in"]
Way = Literal["out", "in", "both"]
Supplier = Callable[[str, Direction], Sequence[Edge]]
"""Function that returns the edges from a name ("out") or to it ("in")."""

MOST_HOPS = 8
MOST_NODES = 500
MOST_EDGES_OF_A_NODE = 60
STEPS = 200_000


class Node(Struct, frozen=True, kw_only=True):
    """Name that the walk reached. `distance` is in hops. `confidence` is that of the surest shortest way here: the
    product over its edges."""

    name: str
    distance: int
    confidence: float


class Hub(Struct, frozen=True, kw_only=True):
    """Node with so many edges that the walk followed none of them."""

    name: str
    direction: Direction
    edges: int


class WalkResult(Struct, frozen=True, kw_only=True):
    """Nodes and edges that a walk found. `nodes` are ordered by distance, then confidence, then name. `edges` include
    those to leaves, which have no node. `cut` says why there may be more."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    hubs: tuple[Hub, ...] = ()
    cut: tuple[Literal["nodes", "steps", "hubs", "hops"], ...] = ()


def walk(
    supplier: Supplier, starts: Sequence[str], *, hops: int, kinds: Collection[EdgeKind], direction: Way,
    most_nodes: int = MOST_NODES, most_edges: int = MOST_EDGES_OF_A_NODE, steps: int = STEPS,
    known: Supplier | None = None,
) -> WalkResult:  # fmt: skip
    """Follow edges of the kinds from the starts, at most `hops` far (never farther than MOST_HOPS).

    The walk follows only resolved edges, so it never reaches a candidate of an ambiguous edge. From a hub among the
    starts it follows up to `most_edges` of the surest edges. `known` supplies edges without cost. It shows whether more
    lies beyond the last hop. By default it is the supplier itself.
    """
    directions: tuple[Direction, ...] = ("out", "in") if direction == "both" else (direction,)
    each = _Walk(supplier, frozenset(kinds), directions, most_nodes, most_edges, Budget(steps), known or supplier)
    return each.from_all(starts, min(hops, MOST_HOPS))


class _Walk:
    def __init__(
        self, supplier: Supplier, kinds: frozenset[EdgeKind], directions: tuple[Direction, ...],
        most_nodes: int, most_edges: int, budget: Budget, known: Supplier,
    ) -> None:  # fmt: skip
        self._supplier = supplier
        self._kinds = kinds
        self._directions = directions
        self._most_nodes = most_nodes
        self._most_edges = most_edges
        self._budget = budget
        self._known = known
        self._reached: dict[str, Node] = {}
        self._edges: dict[Edge, None] = {}
        self._hubs: list[Hub] = []
        self._cut: set[Literal["nodes", "steps", "hubs", "hops"]] = set()

    def from_all(self, starts: Sequence[str], hops: int) -> WalkResult:
        waiting = [(0, -1.0, name) for name in sorted(set(starts))]
        while waiting:
            distance, confidence, name = heappop(waiting)
            if name in self._reached:
                continue
            if len(self._reached) >= self._most_nodes:
                self._cut.add("nodes")
                break
            self._reached[name] = Node(name=name, distance=distance, confidence=-confidence)
            for edge, other in self._edges_of(name, start=distance == 0, last=distance >= hops):
                if edge.resolved:
                    heappush(waiting, (distance + 1, confidence * edge.confidence, other))
        kept = tuple(edge for edge in self._edges if self._both_ends(edge))
        return WalkResult(
            nodes=tuple(self._reached.values()), edges=kept, hubs=tuple(self._hubs), cut=tuple(sorted(self._cut))
        )

    def _both_ends(self, edge: Edge) -> bool:
        return edge.src in self._reached and (not edge.resolved or edge.dst in self._reached)

    def _edges_of(self, name: str, *, start: bool, last: bool) -> Iterator[tuple[Edge, str]]:
        for direction in self._directions:
            if self._budget.is_spent:
                self._cut.add("steps")
                return
            supplier = self._known if last else self._supplier
            found = [edge for edge in supplier(name, direction) if edge.kind in self._kinds]
            self._budget.take(1 + len(found))
            others = {edge.dst if direction == "out" else edge.src for edge in found}
            if last:
                if others - self._reached.keys():
                    self._cut.add("hops")
                continue
            if len(others) > self._most_edges:
                self._hubs.append(Hub(name=name, direction=direction, edges=len(found)))
                self._cut.add("hubs")
                found = sorted(found, key=_surest)[: self._most_edges] if start else []
            for edge in sorted(found, key=_surest):
                self._edges[edge] = None
                yield edge, edge.dst if direction == "out" else edge.src


def _surest(edge: Edge) -> tuple[float, str, str, str, int]:
    return -edge.confidence, edge.dst, edge.src, edge.path, edge.line
