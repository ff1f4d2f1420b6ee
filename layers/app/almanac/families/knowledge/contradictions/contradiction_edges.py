"""Contradictions that an actor stated, as edges of kind contradicts between two facts. The facts may have different
subjects."""

from collections.abc import Iterator, Sequence

from almanac.families.knowledge.contradictions.pairs import Pair
from almanac.families.knowledge.contradictions.rules import (
    ContradictionFinding,
    DatedStatement,
    dated_statement,
    find_contradiction,
)
from almanac.families.knowledge.core.records import FACTS, PLACES
from almanac.families.knowledge.core.slots import Cardinalities, intervals_of
from almanac.families.memory.edges.records import EDGES, Edge
from almanac.kernel.caller import Scope
from almanac.platform.store.port import Store

MOST_FACTS = 100
"""Facts whose edges are read for one answer."""
_OF_A_FACT = 10


def find_stated_pairs(store: Store, scope: Scope, fact_ids: Sequence[str], most: int) -> list[Pair]:
    """Return up to `most` stated pairs that contain one of `fact_ids` and whose facts hold together at some instant.
    Pairs that the rules find are left out."""
    edges: dict[str, Edge] = {}
    for fact_id in fact_ids[:MOST_FACTS]:
        edges |= {edge.id: edge for edge in _against(store, scope, fact_id)}
    readings = _statements(store, scope, [end for edge in edges.values() for end in (edge.src, edge.dst)])
    pairs: list[Pair] = []
    for edge in sorted(edges.values(), key=lambda one: (one.created_at, one.id)):
        if len(pairs) < most and edge.src in readings and edge.dst in readings:
            pairs += _pair(readings[edge.src], readings[edge.dst], edge)
    return pairs


def _against(store: Store, scope: Scope, fact_id: str) -> Iterator[Edge]:
    rows = EDGES.within(store, scope)
    yield from rows.query(fact_id, "contradicts", limit=_OF_A_FACT).records
    yield from rows.query(fact_id, "contradicts", index="gsi1", limit=_OF_A_FACT).records


def _pair(one: DatedStatement, other: DatedStatement, edge: Edge) -> Iterator[Pair]:
    is_found = one.fact.subject_key == other.fact.subject_key and find_contradiction(one, other) is not None
    if not is_found and one.holding.overlaps(other.holding):
        first, second = sorted((one, other), key=lambda each: (each.fact.recorded_at, each.fact.id))
        yield Pair(first, second, ContradictionFinding("high", "stated", by=edge.actor))


def _statements(store: Store, scope: Scope, ids: Sequence[str]) -> dict[str, DatedStatement]:
    """Return statements for the ids that are facts and held at some time."""
    if not ids:
        return {}
    places = PLACES.within(store, scope).by_id(list(dict.fromkeys(ids)))
    keys = [(place.subject_key, place.predicate_key, place.valid_from, place.id) for place in places.values()]
    facts = [one for one in FACTS.within(store, scope).get_many(keys) if one is not None]
    held = intervals_of(store, scope, facts)
    cardinalities = Cardinalities(store, scope)
    return {
        fact.id: dated_statement(fact, held[fact.id], cardinalities.of(fact.predicate_key))
        for fact in facts
        if not held[fact.id].never
    }
