"""Correcting: in the write that records the right fact, the wrong one is said never to have held."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import PLACES, Ending, Fact
from almanac.families.knowledge.core.slots import is_retracted
from almanac.families.knowledge.core.timeline import Holding
from almanac.families.knowledge.facts.repeating import ended
from almanac.families.knowledge.facts.telling import invalidated_event
from almanac.families.knowledge.facts.writing import Standing, fact_changes, slot_change, standing
from almanac.kernel.errors import NotFound
from almanac.kernel.events import Event
from almanac.platform.store.port import Change


class Correction(Struct, frozen=True):
    """`fact`: the one that never held, as it is by now; None where nothing is corrected, or it was said before.
    `elsewhere` is its slot where it is about another subject or predicate. `default_from` is where the right fact
    begins unless the caller says."""

    fact: Fact | None = None
    elsewhere: Standing | None = None
    default_from: int | None = None

    def without(self, found: Standing) -> Standing:
        """The slot of the right fact with the wrong one ended. `held` stays: events tell of the difference."""
        if self.fact is None or self.elsewhere is not None:
            return found
        return altered(found, facts={**found.facts, self.fact.id: self.fact})

    def events(self, knowledge: Knowledge, held: Mapping[str, Holding]) -> Sequence[Event]:
        """What tells of it, where its own slot does not."""
        if self.fact is None or self.elsewhere is not None:
            return ()
        at = self.fact.endings[-1].known_at
        return [invalidated_event(knowledge, self.fact, held[self.fact.id], at, undone=False)]


def find_correction(knowledge: Knowledge, fact_id: str | None, found: Standing) -> Correction:
    """Raises NotFound where there is no fact of this id."""
    if fact_id is None:
        return Correction()
    place = knowledge.rows(PLACES).get(fact_id)
    key = (place.subject_key, place.predicate_key) if place else None
    slot = found if key is None or key == found.key else standing(knowledge, key)
    fact = slot.facts.get(fact_id)
    if fact is None:
        raise NotFound(f"There is no fact {fact_id[:80]!r} to correct.", "Use a fact_id from query_facts.")
    elsewhere = None if slot is found else slot
    if is_retracted(fact):
        return Correction(None, None, fact.valid_from)
    wrong = ended(fact, Ending(slot.at, fact.valid_from, knowledge.actor, "corrected"))
    return Correction(wrong, elsewhere, fact.valid_from)


def correction_changes(
    knowledge: Knowledge, correction: Correction, held: Mapping[str, Holding], found: Standing
) -> list[Change]:
    """What to write beside the right fact, whose slot is `found` and is replaced with it."""
    fact = correction.fact
    if fact is None:
        return []
    elsewhere = correction.elsewhere
    if elsewhere is None:
        return fact_changes(knowledge, fact, held[fact.id], is_new=False, at=found.at, events=())
    predicate = elsewhere.predicate
    holding = elsewhere.after(fact, predicate.cardinality() if predicate else None)[fact.id]
    events = [invalidated_event(knowledge, fact, holding, elsewhere.at, undone=False)]
    changes = fact_changes(knowledge, fact, holding, is_new=False, at=elsewhere.at, events=events)
    return [*changes, slot_change(knowledge, elsewhere)]
