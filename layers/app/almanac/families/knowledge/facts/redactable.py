"""Facts that may hold secrets stored before redaction existed."""

from collections.abc import Iterator
from typing import Any, cast

from msgspec.structs import replace as altered

from almanac.content.redaction import RedactedValue
from almanac.families.knowledge.core.knowledge import Knowledge, open_knowledge
from almanac.families.knowledge.core.names import fold, name_key, tidy_name
from almanac.families.knowledge.core.records import (
    FACTS,
    PREDICATES,
    SLOTS,
    SUBJECTS,
    Ending,
    Fact,
    FactPredicate,
    FactSubject,
)
from almanac.families.knowledge.facts.fact_changes import fact_changes, slot_change
from almanac.families.knowledge.facts.fact_input import redact_fact
from almanac.families.knowledge.facts.slot_snapshot import SlotSnapshot, slot_snapshot, with_neighbours
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.redactions.scan import AT_ONCE, Redactable, StoredTexts
from almanac.platform.services import Services
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, ConditionFailed


def _facts(services: Services, caller: Caller) -> Iterator[StoredTexts]:
    knowledge = open_knowledge(services, caller, services.get(Clock))
    return (_texts(knowledge, each) for each in knowledge.rows(FACTS).every(page=AT_ONCE))


def _texts(knowledge: Knowledge, fact: Fact) -> StoredTexts:
    texts = {
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "metadata": fact.metadata,
        "reasons": [ending.reason or "" for ending in fact.endings],
    }
    return StoredTexts(
        texts, lambda redacted: knowledge.store.write(_rewrite_changes(knowledge, fact, redacted)), redact_fact
    )


def _rewrite_changes(knowledge: Knowledge, fact: Fact, redacted: RedactedValue) -> list[Change]:
    """Return the changes that write the redacted fact. If its names had secrets, it moves to the slot of the new
    names."""
    found = with_neighbours(knowledge, slot_snapshot(knowledge, (fact.subject_key, fact.predicate_key)), fact)
    if found.facts.get(fact.id) != fact:
        raise ConditionFailed(0, None)
    kinds = dict.fromkeys([*fact.redacted, *(each.kind for each in redacted.findings)])
    new = altered(_rewrite(fact, cast("dict[str, Any]", redacted.value)), redacted=tuple(kinds))
    redaction_events = redaction_changes(knowledge, fact.id, "fact", redacted.findings, found.at, tool=fact.tool)
    if (new.subject_key, new.predicate_key) == found.key:
        holding = found.held[fact.id]
        changes = fact_changes(knowledge, new, holding, before=fact, at=found.at, events=())
        return [*changes, slot_change(knowledge, found), *redaction_events]
    return [*_move_changes(knowledge, fact, new, found), *redaction_events]


def _rewrite(fact: Fact, kept: dict[str, Any]) -> Fact:
    subject, predicate = tidy_name(kept["subject"]), tidy_name(kept["predicate"])
    endings = zip(fact.endings, kept["reasons"], strict=True)
    return altered(
        fact,
        subject=subject,
        predicate=predicate,
        object=kept["object"],
        subject_key=name_key(subject),
        predicate_key=name_key(predicate),
        object_key=name_key(tidy_name(kept["object"])),
        metadata=kept["metadata"],
        endings=tuple(Ending(one.known_at, one.at, one.actor, reason or None) for one, reason in endings),
    )


def _move_changes(knowledge: Knowledge, old: Fact, new: Fact, found: SlotSnapshot) -> list[Change]:
    """Return the changes that move a fact to another slot, so that nothing remains under the old names."""
    new_slot = with_neighbours(knowledge, slot_snapshot(knowledge, (new.subject_key, new.predicate_key)), new)
    predicate = new_slot.predicate or found.predicate
    held = new_slot.after(new, predicate.cardinality() if predicate else None)
    deletion = knowledge.rows(FACTS).delete(old.subject_key, old.predicate_key, old.valid_from, old.id)
    put, *others = fact_changes(knowledge, new, held[new.id], before=old, at=new_slot.at, events=())
    stays = found.slot is not None and found.slot.facts > 1
    rows = knowledge.rows(SLOTS)
    left = slot_change(knowledge, found, added=-1) if stays else rows.delete(*found.key, condition=_as_read(found))
    return [
        altered(deletion, condition=Equals("version", old.version)),
        altered(put, condition=None),
        *others,
        left,
        slot_change(knowledge, new_slot, added=1),
        *_name_changes(knowledge, old, new, found, new_slot),
    ]


def _as_read(found: SlotSnapshot) -> Equals:
    return Equals("version", found.slot.version if found.slot else 0)


def _name_changes(
    knowledge: Knowledge, old: Fact, new: Fact, found: SlotSnapshot, new_slot: SlotSnapshot
) -> Iterator[Change]:
    """Yield the changes of the rows for subject and predicate. Add the new ones if they are missing, and delete the old
    ones if no fact is left."""
    subjects, predicates, facts = knowledge.rows(SUBJECTS), knowledge.rows(PREDICATES), knowledge.rows(FACTS)
    if new.subject_key != old.subject_key:
        yield subjects.put(FactSubject(subject_key=new.subject_key, subject=new.subject, folded=fold(new.subject)))
        if len(facts.query(old.subject_key, limit=2).records) < 2:
            yield subjects.delete(old.subject_key)
    if new.predicate_key != old.predicate_key:
        stated = found.predicate.stated if found.predicate else ()
        row = FactPredicate(predicate_key=new.predicate_key, predicate=new.predicate, stated=stated)
        if new_slot.predicate is None:
            yield predicates.insert(row)
        if len(facts.query(old.predicate_key, index="gsi1", limit=2).records) < 2:
            yield predicates.delete(old.predicate_key)


REDACTABLE = (Redactable("fact", _facts),)
