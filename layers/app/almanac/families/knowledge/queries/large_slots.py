"""Queries for one subject and predicate with very many facts, which read only the facts they need.

A page of the history reads its own facts. With cardinality one, the facts that hold at an instant are among the last
that started.
"""

from itertools import islice

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import FACTS, SLOTS, Cardinality, Fact
from almanac.families.knowledge.core.slot_index import MOST_NEAR, SlotIndex, SlotKey
from almanac.families.knowledge.core.slots import Slot, intervals_behind, slot_about
from almanac.families.knowledge.queries.fact_query import FactQuery
from almanac.families.knowledge.queries.slots import Position
from almanac.platform.store.keys import past, sort_key, sort_prefix
from almanac.platform.store.port import Span
from almanac.platform.store.queries import every_item

LARGE = 500


class Part(Struct, frozen=True):
    """The part of a slot that was read: everything the answer may contain, or enough to fill a page. `others` counts
    the facts that were not read because they do not hold at the requested time."""

    slot: Slot
    others: int = 0


def part_of(
    knowledge: Knowledge, query: FactQuery, cardinality: Cardinality | None, after: Position | None, limit: int
) -> Part | None:
    """Return the part of a large slot that the query needs. Return None for other queries, and for slots small enough
    to read whole."""
    if query.known_at is not None or query.predicate is None or len(query.subjects) != 1:
        return None
    key = (query.subjects[0], query.predicate)
    row = knowledge.rows(SLOTS).get(*key)
    if row is None or not row.is_indexed or row.facts <= LARGE:
        return None
    index, now = SlotIndex(knowledge.store, knowledge.scope, key), knowledge.now()
    if query.point_in_time is None and not query.active_only:
        if query.object is not None:
            return None
        facts = _next(knowledge, key, after, limit)
        held = intervals_behind(facts, index, cardinality)
        return Part(Slot(facts, held, index.present(now)))
    if cardinality != "one":
        return None
    present = index.present(now)
    at = present if query.point_in_time is None else query.point_in_time
    marks = list(islice(index.may_hold_at(at), MOST_NEAR + 1))
    if len(marks) > MOST_NEAR:
        return None
    found = knowledge.rows(FACTS).get_many([(*key, mark.valid_from, mark.id) for mark in reversed(marks)])
    facts = tuple(sorted((one for one in found if one is not None), key=lambda one: (one.valid_from, one.id)))
    slot = slot_about(knowledge.store, knowledge.scope, key, facts, cardinality, now)
    return Part(altered(slot, present=present), row.facts - len(facts))


def _next(knowledge: Knowledge, key: SlotKey, after: Position | None, limit: int) -> tuple[Fact, ...]:
    """Return the facts after a position, one more than fits on a page, and all facts that start together with the last
    of these."""
    prefix = sort_prefix(*key)
    start = sort_key(*key, after.valid_from, after.id) + "!" if after is not None else prefix
    items = every_item(
        knowledge.store,
        FACTS.partition(knowledge.scope, FACTS.own, ()),
        span=Span(start, past(prefix)),
        page=limit + 2,
    )
    facts: list[Fact] = []
    for fact in map(FACTS.read, items):
        if len(facts) > limit and fact.valid_from != facts[-1].valid_from:
            break
        facts.append(fact)
    return tuple(facts)
