"""Corrections: the write that records the right fact also retracts the wrong one."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import PLACES, Ending, Fact
from almanac.families.knowledge.core.timeline import HoldingInterval, is_retracted
from almanac.families.knowledge.facts.event_payloads import invalidated_event
from almanac.families.knowledge.facts.fact_changes import fact_changes, slot_change
from almanac.families.knowledge.facts.reaffirmation import with_ending
from almanac.families.knowledge.facts.slot_snapshot import SlotSnapshot, slot_snapshot, stored_fact, with_neighbours
from almanac.kernel.errors import NotFound
from almanac.kernel.events import Event
from almanac.platform.store.port import Change


class Correction(Struct, frozen=True):
    """A correction of a wrong fact. `fact` is the retracted one; None if there is nothing to correct, or it was
    retracted before. `before` is that fact as it was read. `elsewhere` is its slot if it has another subject or
    predicate. `default_from` is the default start of the right fact."""

    fact: Fact | None = None
    before: Fact | None = None
    elsewhere: SlotSnapshot | None = None
    default_from: int | None = None

    @property
    def here(self) -> Fact | None:
        """The wrong fact, if it is in the slot of the right one."""
        return self.fact if self.elsewhere is None else None

    def without(self, found: SlotSnapshot) -> SlotSnapshot:
        """Return the slot of the right fact with the wrong one retracted. `held` stays as it was, because events
        describe the difference."""
        if self.here is None:
            return found
        return altered(found, facts={**found.facts, self.here.id: self.here})

    def events(self, knowledge: Knowledge, held: Mapping[str, HoldingInterval]) -> Sequence[Event]:
        """Return the events of the correction that its own slot does not emit."""
        if self.here is None:
            return ()
        at = self.here.endings[-1].known_at
        return [invalidated_event(knowledge, self.here, held[self.here.id], at, undone=False)]


def find_correction(knowledge: Knowledge, fact_id: str | None, found: SlotSnapshot) -> Correction:
    """Return the correction of a fact by its id. Raises NotFound for an unknown id."""
    if fact_id is None:
        return Correction()
    place = knowledge.rows(PLACES).get(fact_id)
    key = (place.subject_key, place.predicate_key) if place else found.key
    slot = found if key == found.key else slot_snapshot(knowledge, key)
    fact = stored_fact(knowledge, place)
    if fact is None:
        raise NotFound(f"There is no fact {fact_id[:80]!r} to correct.", "Use a fact_id from query_facts.")
    if is_retracted(fact):
        return Correction(default_from=fact.valid_from)
    wrong = with_ending(fact, Ending(slot.at, fact.valid_from, knowledge.actor, "corrected"))
    elsewhere = None if slot is found else with_neighbours(knowledge, slot, fact)
    return Correction(wrong, fact, elsewhere, fact.valid_from)


def correction_changes(
    knowledge: Knowledge, correction: Correction, held: Mapping[str, HoldingInterval], found: SlotSnapshot
) -> list[Change]:
    """Return the changes to write beside the right fact, whose slot is `found` and is replaced with it."""
    fact = correction.fact
    if fact is None:
        return []
    elsewhere = correction.elsewhere
    if elsewhere is None:
        return fact_changes(knowledge, fact, held[fact.id], before=correction.before, at=found.at, events=())
    holding = elsewhere.after(fact, elsewhere.cardinality)[fact.id]
    events = [invalidated_event(knowledge, fact, holding, elsewhere.at, undone=False)]
    changes = fact_changes(knowledge, fact, holding, before=correction.before, at=elsewhere.at, events=events)
    return [*changes, slot_change(knowledge, elsewhere)]
