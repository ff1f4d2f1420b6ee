"""What every change of a fact writes: the fact, its place, what search knows of it, and the turn in its slot."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.documents import fact_document
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import (
    FACTS,
    MAX_IN_SLOT,
    PLACES,
    PREDICATES,
    SLOTS,
    Cardinality,
    Fact,
    FactPlace,
    FactPredicate,
    FactSlot,
)
from almanac.families.knowledge.core.slots import SlotKey, facts_of, is_retracted, present_of, slot_of
from almanac.families.knowledge.core.timeline import Holding, timeline
from almanac.kernel.errors import LimitExceeded
from almanac.kernel.events import Event
from almanac.platform.search.engine.writing import removed, written
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace


class Standing(Struct, frozen=True):
    """A slot as it was read for a change. `at` is the instant of the change: now, and never before an earlier one
    there. `slot` and `predicate` are None where nobody has said anything of it yet."""

    key: SlotKey
    at: int
    slot: FactSlot | None
    predicate: FactPredicate | None
    facts: Mapping[str, Fact]
    held: Mapping[str, Holding]
    present: int

    def after(self, fact: Fact, cardinality: Cardinality | None) -> Mapping[str, Holding]:
        """When each fact holds once `fact` stands there as given."""
        return timeline({**self.facts, fact.id: fact}.values(), cardinality)

    def present_after(self, fact: Fact) -> int:
        """The instant that counts as now then."""
        return present_of({**self.facts, fact.id: fact}.values(), self.at)


def standing(knowledge: Knowledge, key: SlotKey) -> Standing:
    """The slot is read before its facts: a write fails where somebody changed them in between."""
    slot = knowledge.rows(SLOTS).get(*key)
    predicate = knowledge.rows(PREDICATES).get(key[1])
    facts = facts_of(knowledge.store, knowledge.scope, key) if slot else ()
    at = max(knowledge.now(), slot.last_at if slot else 0)
    read = slot_of(facts, predicate.cardinality() if predicate else None, at)
    return Standing(key, at, slot, predicate, {one.id: one for one in facts}, read.held, read.present)


def slot_change(knowledge: Knowledge, found: Standing, *, added: int = 0) -> Change:
    """The turn that this write takes. Raises LimitExceeded where the slot has no room for `added` facts."""
    rows = knowledge.rows(SLOTS)
    if found.slot is None:
        subject, predicate = found.key
        return rows.insert(FactSlot(subject_key=subject, predicate_key=predicate, facts=added, last_at=found.at))
    if found.slot.facts + added > MAX_IN_SLOT:
        raise LimitExceeded(
            f"{MAX_IN_SLOT} facts are recorded about this subject and predicate, which is the most.",
            "Give what is counted or measured a subject for each day or version, or a predicate of its own.",
        )
    return replace(rows, altered(found.slot, facts=found.slot.facts + added, last_at=found.at))


def fact_changes(
    knowledge: Knowledge, fact: Fact, holding: Holding, *, is_new: bool, at: int, events: Sequence[Event]
) -> list[Change]:
    """The changes that write `fact` and have search find it, or no longer find it where it never held; with the
    `events` that tell of it. A fact that is not new must be the one read, altered."""
    rows = knowledge.rows(FACTS)
    place = FactPlace(
        id=fact.id,
        subject_key=fact.subject_key,
        predicate_key=fact.predicate_key,
        valid_from=fact.valid_from,
        changed_at=at,
    )
    version = fact.version if is_new else fact.version + 1
    if is_retracted(fact):
        told = removed(
            fact_document(fact, version - 1, holding),
            knowledge.scope,
            actor=knowledge.actor,
            at=at,
            random_bytes=knowledge.random_bytes,
            also=events,
        )
    else:
        told = written(
            fact_document(fact, version, holding),
            knowledge.scope,
            actor=knowledge.actor,
            at=at,
            random_bytes=knowledge.random_bytes,
            also=events,
        )
    return [rows.insert(fact) if is_new else replace(rows, fact), knowledge.rows(PLACES).put(place), told]
