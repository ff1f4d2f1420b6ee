"""What is said of one predicate of one subject, read together: nothing less says when a fact of it holds."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from almanac.families.knowledge.core.records import FACTS, PREDICATES, Cardinality, Fact
from almanac.families.knowledge.core.timeline import Holding, timeline
from almanac.kernel.caller import Scope
from almanac.platform.store.port import Store

SlotKey = tuple[str, str]
"""The keys of a subject and a predicate."""

_AT_ONCE = 1000


class Slot(Struct, frozen=True):
    """All `facts` of a subject and predicate, in the order of their beginnings; of them, `held` has those that were
    known, with when they hold. `present` is the instant that counts as now here, see `present_of`."""

    facts: tuple[Fact, ...]
    held: Mapping[str, Holding]
    present: int

    def is_active(self, fact_id: str) -> bool:
        return self.held[fact_id].at(self.present)


def facts_of(store: Store, scope: Scope, key: SlotKey) -> tuple[Fact, ...]:
    """In the order of their beginnings."""
    return tuple(FACTS.within(store, scope).every(*key, page=_AT_ONCE))


def slot_of(facts: Sequence[Fact], cardinality: Cardinality | None, now: int, known_at: int | None = None) -> Slot:
    """`facts` are all of a subject and predicate. `known_at`: as it was known then; None: as it is known now."""
    held = timeline(facts, cardinality, known_at)
    return Slot(tuple(facts), held, present_of((one for one in facts if one.id in held), now))


def present_of(facts: Iterable[Fact], now: int) -> int:
    """The instant that counts as now among these facts. What is said in the same millisecond without a time takes place
    one after another, each a millisecond later: all of that is over, not to come."""
    said = list(facts)
    edges = {one.valid_from for one in said} | {end.at for one in said for end in one.endings[-1:]}
    while now in edges and now + 1 in edges:
        now += 1
    return now


class Cardinalities:
    """The cardinalities of predicates, each read once. `known_at`: as they were known then."""

    def __init__(self, store: Store, scope: Scope, known_at: int | None = None) -> None:
        self._rows = PREDICATES.within(store, scope)
        self._known_at = known_at
        self._read: dict[str, Cardinality | None] = {}

    def of(self, predicate_key: str) -> Cardinality | None:
        if predicate_key not in self._read:
            row = self._rows.get(predicate_key)
            self._read[predicate_key] = row.cardinality(self._known_at) if row else None
        return self._read[predicate_key]


def own_end(fact: Fact) -> int | None:
    """The end that was said of it: when it was recorded, or later. None while nobody said one."""
    said = fact.endings[-1].at if fact.endings else None
    ends = [one for one in (fact.stated_to, said) if one is not None]
    return min(ends) if ends else None


def is_retracted(fact: Fact) -> bool:
    """Whether somebody said that it never held."""
    end = own_end(fact)
    return end is not None and end <= fact.valid_from


def holding_of(store: Store, scope: Scope, fact: Fact) -> Holding:
    """When a fact holds, as it is known now."""
    facts = facts_of(store, scope, (fact.subject_key, fact.predicate_key))
    return timeline(facts, Cardinalities(store, scope).of(fact.predicate_key))[fact.id]
