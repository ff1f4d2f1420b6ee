"""Recording of a fact. One write stores the fact and everything it ends, corrects or repeats."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.names import fold
from almanac.families.knowledge.core.records import FACTS, SUBJECTS, Cardinality, Fact, FactPredicate, FactSubject
from almanac.families.knowledge.core.timeline import HoldingInterval, is_retracted
from almanac.families.knowledge.facts.cardinality import Use, is_by_words, predicate_after, predicate_changes, use_after
from almanac.families.knowledge.facts.corrections import Correction, correction_changes, find_correction
from almanac.families.knowledge.facts.event_payloads import (
    SupersededFact,
    newly_superseded,
    recorded_event,
    superseded_events,
)
from almanac.families.knowledge.facts.fact_changes import fact_changes, slot_change
from almanac.families.knowledge.facts.fact_input import NewFact
from almanac.families.knowledge.facts.reaffirmation import find_repeated, refresh
from almanac.families.knowledge.facts.slot_snapshot import SlotSnapshot, slot_snapshot, with_all_facts, with_neighbours
from almanac.families.knowledge.facts.sources import FactSources
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import Event
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.port import Change


class RecordingResult(Struct, frozen=True, kw_only=True):
    """The recorded fact. `superseded` are facts that it newly ended, and `contradicts` those with another object that
    start at the same instant. `subject_is_new` and `predicate_is_new`: no fact had the name before."""

    fact: Fact
    holding: HoldingInterval
    active: bool
    deduped: bool
    superseded: tuple[SupersededFact, ...]
    contradicts: tuple[str, ...]
    dropped: tuple[str, ...]
    subject_is_new: bool
    predicate_is_new: bool
    cardinality: Cardinality | None = None
    cardinality_by_words: bool = False
    cardinality_by_use: bool = False


class _Plan(Struct, frozen=True):
    recorded: RecordingResult
    changes: list[Change]


def record(knowledge: Knowledge, new: NewFact, sources: FactSources) -> RecordingResult:
    """Record a fact. Raises InvalidInput for an end that is not after the start, NotFound for an unknown fact to
    correct, and Conflict for a cardinality other than the stated one."""

    def attempt() -> RecordingResult:
        plan = _plan(knowledge, new, sources)
        knowledge.store.write(plan.changes)
        return plan.recorded

    return knowledge.retry_on_conflict(attempt)


def _plan(knowledge: Knowledge, new: NewFact, sources: FactSources) -> _Plan:
    subject_key, predicate_key, _ = new.keys
    found = slot_snapshot(knowledge, (subject_key, predicate_key))
    predicate = predicate_after(knowledge, found.predicate, new, predicate_key, found.at)
    correction = find_correction(knowledge, new.corrects, found)
    if new.valid_from is None and correction.default_from is not None:
        new = altered(new, valid_from=correction.default_from)
    before = _find_repeated_fact(knowledge, new, found, correction)
    fact = refresh(knowledge, before, new, sources.found, found.at) if before else None
    fact = fact or _new_fact(knowledge, new, sources, found)
    if predicate.cardinality() == found.cardinality:
        found = with_neighbours(knowledge, found, fact, *([correction.here] if correction.here else []))
    else:
        found = with_all_facts(knowledge, found)
    without = correction.without(found)
    held = without.after(fact, predicate.cardinality())
    ended = newly_superseded(found.held, held, but=fact.id)
    events = [
        *correction.events(knowledge, held),
        recorded_event(knowledge, fact, held[fact.id], found.at, deduped=before is not None, ended=len(ended)),
        *superseded_events(knowledge, ended, without.facts, held, found.at),
    ]
    present = without.present_after(fact, *([correction.here] if correction.here else []))
    subject_is_new = found.slot is None and knowledge.rows(SUBJECTS).get(subject_key) is None
    contradicted = _contradicting_ids(fact, without, predicate)
    several = bool(contradicted) or _holds_beside(fact, held, without)
    use = use_after(knowledge, found.slot, predicate, found.at, several=several, replaced=bool(ended))
    recorded = RecordingResult(
        fact=fact,
        holding=held[fact.id],
        active=held[fact.id].at(present),
        deduped=before is not None,
        superseded=tuple(ended),
        contradicts=contradicted if use.predicate is predicate else (),
        dropped=sources.dropped,
        subject_is_new=subject_is_new,
        predicate_is_new=found.predicate is None,
        cardinality=use.predicate.cardinality(),
        cardinality_by_words=is_by_words(use.predicate),
        cardinality_by_use=use.predicate is not predicate,
    )
    changes = [
        *_changes(knowledge, recorded, before, found, events, present, use),
        *predicate_changes(knowledge, found.predicate, use.predicate),
        *use.changes,
        *correction_changes(knowledge, correction, held, found),
        *redaction_changes(knowledge, fact.id, "fact", new.findings, found.at, tool=new.tool),
    ]
    return _Plan(recorded, changes)


def _find_repeated_fact(knowledge: Knowledge, new: NewFact, found: SlotSnapshot, correction: Correction) -> Fact | None:
    mark = find_repeated(new, found, correction.here)
    if mark is None:
        return None
    return knowledge.rows(FACTS).get(mark.subject_key, mark.predicate_key, mark.valid_from, mark.id)


def _changes(
    knowledge: Knowledge,
    recorded: RecordingResult,
    before: Fact | None,
    found: SlotSnapshot,
    events: Sequence[Event],
    present: int,
    use: Use,
) -> list[Change]:
    fact = recorded.fact
    changes = fact_changes(knowledge, fact, recorded.holding, before=before, at=found.at, events=events)
    added = 0 if before else 1
    slot = slot_change(knowledge, found, added=added, present=present, several=use.several, replaced=use.replaced)
    changes.append(slot)
    if recorded.subject_is_new:
        row = FactSubject(subject_key=fact.subject_key, subject=fact.subject, folded=fold(fact.subject))
        changes.append(knowledge.rows(SUBJECTS).insert(row))
    return changes


def _new_fact(knowledge: Knowledge, new: NewFact, sources: FactSources, found: SlotSnapshot) -> Fact:
    valid_from = _start_of(new, found)
    if new.valid_to is not None and new.valid_to <= valid_from:
        raise InvalidInput(
            "valid_to is not after valid_from" + (", which is now." if new.valid_from is None else "."),
            "Say with valid_from when it began; valid_to is the first instant at which it no longer holds.",
            path="valid_to",
        )
    subject_key, predicate_key, object_key = new.keys
    return Fact(
        id=knowledge.new_id(found.at),
        subject_key=subject_key,
        predicate_key=predicate_key,
        object_key=object_key,
        subject=new.subject,
        predicate=new.predicate,
        object=new.object,
        valid_from=valid_from,
        stated_to=new.valid_to,
        recorded_at=found.at,
        confirmed_at=found.at,
        confidence=1.0 if new.confidence is None else new.confidence,
        actor=knowledge.actor,
        tool=new.tool,
        sources=sources.found,
        metadata=dict(new.metadata),
        redacted=tuple(dict.fromkeys(each.kind for each in new.findings)),
    )


def _start_of(new: NewFact, found: SlotSnapshot) -> int:
    """Return the start of the fact: as stated, or now. If another fact starts now, start after it, so that the later of
    two facts without a time counts."""
    if new.valid_from is not None:
        return new.valid_from
    is_taken = found.slot is not None and found.index.begins_at(found.present)
    return found.present + 1 if is_taken else found.present


def _holds_beside(fact: Fact, held: Mapping[str, HoldingInterval], found: SlotSnapshot) -> bool:
    """Return whether a fact with another object overlaps with `fact`, as far as its neighbours tell."""
    own = held[fact.id]
    others = (one for one in found.facts.values() if one.object_key != fact.object_key and one.id in held)
    return not own.never and any(held[other.id].overlaps(own) and not held[other.id].never for other in others)


def _contradicting_ids(fact: Fact, found: SlotSnapshot, predicate: FactPredicate) -> tuple[str, ...]:
    if predicate.cardinality() == "many":
        return ()
    return tuple(
        one.id
        for one in found.facts.values()
        if one.valid_from == fact.valid_from and one.object_key != fact.object_key and not is_retracted(one)
    )
