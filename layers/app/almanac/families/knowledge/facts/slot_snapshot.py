"""Slots as a change of facts reads them: the slot record and the facts that the change may affect."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import (
    FACTS,
    PREDICATES,
    SLOTS,
    Cardinality,
    Fact,
    FactPlace,
    FactPredicate,
    FactSlot,
)
from almanac.families.knowledge.core.slot_index import SlotIndex, SlotKey
from almanac.families.knowledge.core.slot_index_build import build_index
from almanac.families.knowledge.core.slots import facts_of
from almanac.families.knowledge.core.timeline import HoldingInterval, timeline


class SlotSnapshot(Struct, frozen=True):
    """A slot as it was read for a change. `at` is the instant of the change: now, but never before an earlier change.
    `slot` and `predicate` are None if the slot has no facts yet.

    `facts` are those that the change may affect; see `with_neighbours`. `held` has the intervals of those among them
    whose end is known. The end of the others depends on facts that were not read.
    """

    key: SlotKey
    at: int
    slot: FactSlot | None
    predicate: FactPredicate | None
    index: SlotIndex
    present: int
    facts: Mapping[str, Fact] = {}
    held: Mapping[str, HoldingInterval] = {}

    @property
    def cardinality(self) -> Cardinality | None:
        return self.predicate.cardinality() if self.predicate else None

    def after(self, fact: Fact, cardinality: Cardinality | None) -> Mapping[str, HoldingInterval]:
        """Return when each fact of `held`, and `fact` itself, holds once `fact` is stored."""
        held = timeline({**self.facts, fact.id: fact}.values(), cardinality)
        return {name: one for name, one in held.items() if name in self.held or name == fact.id}

    def present_after(self, *changed: Fact) -> int:
        """Return the instant that counts as now once these facts are stored."""
        known = {one.id: one for one in changed}
        was_ended = any(fact.id in known and fact.endings for fact in self.facts.values())
        reached = self.present if self.present > self.at and not was_ended else None
        return self.index.present(self.at, reached, known)


def slot_snapshot(knowledge: Knowledge, key: SlotKey) -> SlotSnapshot:
    """Read a slot. The slot record is read before the facts, so that the write fails if another writer changes them in
    between."""
    slot = knowledge.rows(SLOTS).get(*key)
    if slot is not None:
        slot = build_index(knowledge.store, knowledge.scope, slot)
    predicate = knowledge.rows(PREDICATES).get(key[1])
    index = SlotIndex(knowledge.store, knowledge.scope, key)
    if slot is None:
        at = knowledge.now()
        return SlotSnapshot(key, at, None, predicate, index, at)
    at = max(knowledge.now(), slot.last_at)
    is_taken = slot.present is not None and at <= slot.present
    return SlotSnapshot(key, at, slot, predicate, index, index.present(at, slot.present if is_taken else None))


def stored_fact(knowledge: Knowledge, place: FactPlace | None) -> Fact | None:
    """Return the fact of a place; None without a place."""
    if place is None:
        return None
    return knowledge.rows(FACTS).get(place.subject_key, place.predicate_key, place.valid_from, place.id)


def with_neighbours(knowledge: Knowledge, found: SlotSnapshot, *facts: Fact) -> SlotSnapshot:
    """Return the slot with the facts that changes of `facts` may affect: these, if they are stored there, and their
    neighbours in time, at most a hundred on either side."""
    if found.slot is None:
        return found
    if found.cardinality == "many":
        return _read(knowledge, found, [(fact.valid_from, fact.id) for fact in facts])
    nearby = [found.index.neighbours(fact.valid_from, fact.object_key) for fact in facts]
    own = [(fact.valid_from, fact.id) for fact in facts]
    inner = [(one.valid_from, one.id) for each in nearby for one in each.inner]
    outer = [(one.valid_from, one.id) for each in nearby for one in each.outer]
    return _read(knowledge, found, [*own, *inner], outer)


def with_all_facts(knowledge: Knowledge, found: SlotSnapshot) -> SlotSnapshot:
    """Return the slot with all of its facts, for changes of how they end each other."""
    facts = {one.id: one for one in facts_of(knowledge.store, knowledge.scope, found.key)}
    return altered(found, facts=facts, held=timeline(facts.values(), found.cardinality))


def _read(
    knowledge: Knowledge, found: SlotSnapshot, inner: Sequence[tuple[int, str]], outer: Sequence[tuple[int, str]] = ()
) -> SlotSnapshot:
    keys = [(*found.key, *one) for one in dict.fromkeys([*inner, *outer])]
    facts = {one.id: one for one in knowledge.rows(FACTS).get_many(keys) if one is not None}
    wanted = {name for _, name in inner}
    held = timeline(facts.values(), found.cardinality)
    return altered(found, facts=facts, held={name: one for name, one in held.items() if name in wanted})
