"""The reaction that looks for contradictions of a fact when it is recorded or ended."""

from collections.abc import Sequence
from itertools import chain, islice

from almanac.families.knowledge.contradictions.events import AT_ONCE, changes_of
from almanac.families.knowledge.contradictions.pairs import Effort, Pair, PairSearch
from almanac.families.knowledge.contradictions.scan import Slots
from almanac.families.knowledge.contradictions.statements import root_of
from almanac.families.knowledge.core.event_kinds import FACT_INVALIDATED, FACT_RECORDED
from almanac.families.knowledge.core.knowledge import Knowledge, system_knowledge
from almanac.families.knowledge.core.records import FACTS, PLACES, SLOTS, Fact, FactPlace
from almanac.families.knowledge.core.slots import Cardinalities
from almanac.kernel.events import Event
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.port import Change

_SLOTS = 500
"""Predicates of the subject that are checked for a denial."""
_OTHER_SLOTS = 4
_MOST_FACTS = 2_000
_MOST_OF_ONE = 200
"""Facts compared per predicate with cardinality one. _MOST_FACTS is the limit for the others."""
_MOST_PAIRS = 4_000


def compare(event: Event, services: Services) -> Sequence[Change]:
    """Announce up to 20 contradictions of the fact in the event. It is compared with facts of its own predicate, and of
    predicates that deny it."""
    fact_id = event.payload.get("fact_id")
    if not isinstance(fact_id, str):
        return ()
    knowledge = system_knowledge(services, event.scope)
    place = knowledge.rows(PLACES).get(fact_id)
    return () if place is None else changes_of(knowledge, pairs_of(knowledge, place))


def pairs_of(knowledge: Knowledge, place: FactPlace) -> list[Pair]:
    """Return the first 20 contradicting pairs that contain a fact, at any instant."""
    predicates = sorted({place.predicate_key, *_opposed_predicates(knowledge, place)})
    facts = chain.from_iterable(_around(knowledge, place, predicate) for predicate in predicates)
    readings = Slots(knowledge).readings(list(facts))
    return list(islice(PairSearch(readings, Effort(_MOST_PAIRS), lambda _: True).of(place.id), AT_ONCE))


def _around(knowledge: Knowledge, place: FactPlace, predicate_key: str) -> list[Fact]:
    """Return the facts of a predicate that start around the start of the given one, in order."""
    rows, begins = knowledge.rows(FACTS), place.valid_from
    # With cardinality one, a fact ends where the next starts, so only close ones can overlap.
    is_one = Cardinalities(knowledge.store, knowledge.scope).of(predicate_key) == "one"
    side = (_MOST_OF_ONE if is_one else _MOST_FACTS) // 2
    before = islice(rows.every(place.subject_key, predicate_key, until=begins, reverse=True), side)
    after = islice(rows.every(place.subject_key, predicate_key, since=begins), side)
    return [*reversed(list(before)), *after]


def _opposed_predicates(knowledge: Knowledge, place: FactPlace) -> list[str]:
    """Return other predicates of the subject that state or deny the same thing."""
    root = root_of(place.predicate_key)
    slots = islice(knowledge.rows(SLOTS).every(place.subject_key), _SLOTS)
    alike = (slot.predicate_key for slot in slots if root_of(slot.predicate_key) == root)
    return list(islice((one for one in alike if one != place.predicate_key), _OTHER_SLOTS))


COMPARE = Reaction("knowledge.tell_contradictions", frozenset([FACT_RECORDED, FACT_INVALIDATED]), compare)
