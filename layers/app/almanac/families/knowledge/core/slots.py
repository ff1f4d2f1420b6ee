"""All facts of one subject and predicate. They are read together because each may end another."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from almanac.families.knowledge.core.records import FACTS, FIRST_MS, PREDICATES, SLOTS, Cardinality, Fact, FactMark
from almanac.families.knowledge.core.slot_index import SlotIndex, SlotKey
from almanac.families.knowledge.core.timeline import HoldingInterval, as_said, may_be_superseded, timeline
from almanac.kernel.caller import Scope
from almanac.platform.store.port import Store

_AT_ONCE = 1000


class Slot(Struct, frozen=True):
    """All `facts` of a subject and predicate, ordered by their start. `held` has those known at the requested time,
    each with its interval. `present` is the instant that counts as now here; see `present_of`."""

    facts: tuple[Fact, ...]
    held: Mapping[str, HoldingInterval]
    present: int

    def is_active(self, fact_id: str) -> bool:
        return self.held[fact_id].at(self.present)


def facts_of(store: Store, scope: Scope, key: SlotKey) -> tuple[Fact, ...]:
    """Return the facts of a slot, ordered by their start."""
    return tuple(FACTS.within(store, scope).every(*key, page=_AT_ONCE))


def slot_of(facts: Sequence[Fact], cardinality: Cardinality | None, now: int, known_at: int | None = None) -> Slot:
    """Return the slot made of all facts of a subject and predicate, as known at `known_at`; None means now."""
    held = timeline(facts, cardinality, known_at)
    return Slot(tuple(facts), held, present_of((fact for fact in facts if fact.id in held), now))


def present_of(facts: Iterable[Fact], now: int) -> int:
    """Return the instant that counts as now among these facts. Facts stated without a time in the same millisecond are
    placed one millisecond apart, and all of them count as past."""
    said = list(facts)
    edges = {one.valid_from for one in said} | {end.at for one in said for end in one.endings[-1:]}
    while now in edges and now + 1 in edges:
        now += 1
    return now


class Cardinalities:
    """Cardinalities of predicates as known at `known_at`, each read once."""

    def __init__(self, store: Store, scope: Scope, known_at: int | None = None) -> None:
        self._rows = PREDICATES.within(store, scope)
        self._known_at = known_at
        self._read: dict[str, Cardinality | None] = {}

    def of(self, predicate_key: str) -> Cardinality | None:
        if predicate_key not in self._read:
            row = self._rows.get(predicate_key)
            self._read[predicate_key] = row.cardinality(self._known_at) if row else None
        return self._read[predicate_key]


def interval_of(store: Store, scope: Scope, fact: Fact) -> HoldingInterval:
    """Return when a fact holds, as known now."""
    return intervals_of(store, scope, [fact])[fact.id]


def intervals_of(store: Store, scope: Scope, facts: Iterable[Fact]) -> Mapping[str, HoldingInterval]:
    """Return when each of these facts holds, by id, as known now."""
    slots: dict[SlotKey, list[Fact]] = {}
    for fact in facts:
        slots.setdefault((fact.subject_key, fact.predicate_key), []).append(fact)
    cardinalities, found = Cardinalities(store, scope), dict[str, HoldingInterval]()
    for key, own in slots.items():
        found |= slot_about(store, scope, key, own, cardinalities.of(key[1]), FIRST_MS).held
    return found


def slot_about(
    store: Store, scope: Scope, key: SlotKey, facts: Sequence[Fact], cardinality: Cardinality | None, now: int
) -> Slot:
    """Return `facts` with their intervals, as known now. If the slot has an index, only the facts that end them are
    read as well."""
    row = SLOTS.within(store, scope).get(*key)
    if row is None or not row.is_indexed:
        whole = slot_of(facts_of(store, scope, key), cardinality, now)
        ids = {fact.id for fact in facts}
        of_these = tuple(fact for fact in whole.facts if fact.id in ids)
        return Slot(of_these, {name: one for name, one in whole.held.items() if name in ids}, whole.present)
    index = SlotIndex(store, scope, key)
    held = {fact.id: _interval(fact, index, cardinality) for fact in facts}
    return Slot(tuple(facts), held, index.present(now))


def intervals_behind(
    facts: Sequence[Fact], index: SlotIndex, cardinality: Cardinality | None
) -> Mapping[str, HoldingInterval]:
    """Return the intervals of consecutive facts, including all that start together with the last one. They end each
    other, and later facts end them."""
    held = dict(timeline(facts, cardinality))
    behind: dict[str, tuple[FactMark, ...]] = {}
    for fact in facts:
        own = held[fact.id]
        if own.never or own.because == "superseded" or not may_be_superseded(fact.stated_to is not None, cardinality):
            continue
        if fact.object_key not in behind:
            behind[fact.object_key] = index.next_with_other_object(facts[-1].valid_from, fact.object_key)
        held[fact.id] = _cut_by(own, fact, behind[fact.object_key])
    return held


def _interval(fact: Fact, index: SlotIndex, cardinality: Cardinality | None) -> HoldingInterval:
    stated_interval = as_said(fact)
    if stated_interval.never or not may_be_superseded(fact.stated_to is not None, cardinality):
        return stated_interval
    return _cut_by(stated_interval, fact, index.next_with_other_object(fact.valid_from, fact.object_key))


def _cut_by(stated_interval: HoldingInterval, fact: Fact, ended_by: Sequence[FactMark]) -> HoldingInterval:
    if not ended_by or (stated_interval.end is not None and stated_interval.end <= ended_by[0].at):
        return stated_interval
    by = sorted(one.id for one in ended_by if one.object_key != fact.object_key)
    return HoldingInterval(fact.valid_from, ended_by[0].at, "superseded", tuple(by))
