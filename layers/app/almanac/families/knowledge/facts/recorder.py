"""The recorder of facts: one write, whatever it ends, corrects or repeats."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.names import folded
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
from almanac.families.knowledge.facts.reaffirmation import repeated, said_before
from almanac.families.knowledge.facts.slot_snapshot import SlotSnapshot, near, slot_snapshot, whole
from almanac.families.knowledge.facts.sources import FactSources
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import Event
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.port import Change


class RecordingResult(Struct, frozen=True, kw_only=True):
    """The fact as it stands. `superseded`: what it newly ended. `contradicts`: facts with another object that begin at
    the same instant. `subject_is_new`, `predicate_is_new`: nobody had named it before."""

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


def record(knowledge: Knowledge, wanted: NewFact, sources: FactSources) -> RecordingResult:
    """The fact, written. Raises InvalidInput for an end that is not after the beginning, NotFound for a fact to correct
    that is not there, Conflict for another cardinality than the stated one."""

    def attempt() -> RecordingResult:
        plan = _plan(knowledge, wanted, sources)
        knowledge.store.write(plan.changes)
        return plan.recorded

    return knowledge.retrying(attempt)


def _plan(knowledge: Knowledge, wanted: NewFact, sources: FactSources) -> _Plan:
    subject_key, predicate_key, _ = wanted.keys
    found = slot_snapshot(knowledge, (subject_key, predicate_key))
    predicate = predicate_after(knowledge, found.predicate, wanted, predicate_key, found.at)
    correction = find_correction(knowledge, wanted.corrects, found)
    if wanted.valid_from is None and correction.default_from is not None:
        wanted = altered(wanted, valid_from=correction.default_from)
    before = _said_before(knowledge, wanted, found, correction)
    fact = repeated(knowledge, before, wanted, sources.found, found.at) if before else None
    fact = fact or _new_fact(knowledge, wanted, sources, found)
    if predicate.cardinality() == found.cardinality:
        found = near(knowledge, found, fact, *([correction.here] if correction.here else []))
    else:
        found = whole(knowledge, found)
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
    contradicted = _contradicted(fact, without, predicate)
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
        *redaction_changes(knowledge, fact.id, "fact", wanted.findings, found.at, tool=wanted.tool),
    ]
    return _Plan(recorded, changes)


def _said_before(knowledge: Knowledge, wanted: NewFact, found: SlotSnapshot, correction: Correction) -> Fact | None:
    mark = said_before(wanted, found, correction.here)
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
        row = FactSubject(subject_key=fact.subject_key, subject=fact.subject, folded=folded(fact.subject))
        changes.append(knowledge.rows(SUBJECTS).insert(row))
    return changes


def _new_fact(knowledge: Knowledge, wanted: NewFact, sources: FactSources, found: SlotSnapshot) -> Fact:
    valid_from = _beginning(wanted, found)
    if wanted.valid_to is not None and wanted.valid_to <= valid_from:
        raise InvalidInput(
            "valid_to is not after valid_from" + (", which is now." if wanted.valid_from is None else "."),
            "Say with valid_from when it began; valid_to is the first instant at which it no longer holds.",
            path="valid_to",
        )
    subject_key, predicate_key, object_key = wanted.keys
    return Fact(
        id=knowledge.new_id(found.at),
        subject_key=subject_key,
        predicate_key=predicate_key,
        object_key=object_key,
        subject=wanted.subject,
        predicate=wanted.predicate,
        object=wanted.object,
        valid_from=valid_from,
        stated_to=wanted.valid_to,
        recorded_at=found.at,
        confirmed_at=found.at,
        confidence=1.0 if wanted.confidence is None else wanted.confidence,
        actor=knowledge.actor,
        tool=wanted.tool,
        sources=sources.found,
        metadata=dict(wanted.metadata),
        redacted=tuple(dict.fromkeys(each.kind for each in wanted.findings)),
    )


def _beginning(wanted: NewFact, found: SlotSnapshot) -> int:
    """Now, unless said otherwise, and after what else began now: of two facts without a time the later one counts."""
    if wanted.valid_from is not None:
        return wanted.valid_from
    is_taken = found.slot is not None and found.index.begins_at(found.present)
    return found.present + 1 if is_taken else found.present


def _holds_beside(fact: Fact, held: Mapping[str, HoldingInterval], found: SlotSnapshot) -> bool:
    """Return whether another object holds at an instant at which `fact` does, as far as its neighbours tell."""
    own = held[fact.id]
    others = (one for one in found.facts.values() if one.object_key != fact.object_key and one.id in held)
    return not own.never and any(held[one.id].overlaps(own) and not held[one.id].never for one in others)


def _contradicted(fact: Fact, found: SlotSnapshot, predicate: FactPredicate) -> tuple[str, ...]:
    if predicate.cardinality() == "many":
        return ()
    return tuple(
        one.id
        for one in found.facts.values()
        if one.valid_from == fact.valid_from and one.object_key != fact.object_key and not is_retracted(one)
    )
