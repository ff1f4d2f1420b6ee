"""Writes that every change of a fact needs: the fact, its place, its search document and its slot."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace as altered

from almanac.families.knowledge.core.documents import fact_document
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import (
    FACTS,
    MARKS,
    MAX_IN_SLOT,
    PLACES,
    SLOTS,
    Fact,
    FactMark,
    FactPlace,
    FactSlot,
)
from almanac.families.knowledge.core.slot_index import marks_of
from almanac.families.knowledge.core.timeline import HoldingInterval, is_retracted
from almanac.families.knowledge.facts.slot_snapshot import SlotSnapshot
from almanac.kernel.errors import LimitExceeded
from almanac.kernel.events import Event
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace
from almanac.search.engine.document_writes import document_change, removal_change


def slot_change(
    knowledge: Knowledge,
    found: SlotSnapshot,
    *,
    added: int = 0,
    present: int | None = None,
    several: bool = False,
    replaced: bool = False,
) -> Change:
    """Return the change that replaces the slot record. `present` is the instant that counts as now after it, if known;
    `several` and `replaced` are as in FactSlot. Raises LimitExceeded if the slot has no room for `added` facts."""
    rows = knowledge.rows(SLOTS)
    later = present if present is not None and present > found.at else None
    if found.slot is None:
        subject, predicate = found.key
        new = FactSlot(
            subject_key=subject,
            predicate_key=predicate,
            facts=added,
            last_at=found.at,
            present=later,
            indexed=added,
            several=several,
            replaced=replaced,
        )
        return rows.insert(new)
    if found.slot.facts + added > MAX_IN_SLOT:
        raise LimitExceeded(
            f"{MAX_IN_SLOT} facts are recorded about this subject and predicate. No more fit.",
            "For measurements use one subject per day or version, or another predicate.",
        )
    facts = found.slot.facts + added
    counts = {"several": found.slot.several or several, "replaced": found.slot.replaced or replaced}
    return replace(rows, altered(found.slot, facts=facts, indexed=facts, last_at=found.at, present=later, **counts))


def fact_changes(
    knowledge: Knowledge, fact: Fact, holding: HoldingInterval, *, before: Fact | None, at: int, events: Sequence[Event]
) -> list[Change]:
    """Return the changes that write `fact` and its `events`, and that update the search index. A fact that never held
    leaves the index. `before` is the fact as it was read; None for a new one."""
    is_new = before is None
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
        document_changes = removal_change(
            fact_document(fact, version - 1, holding),
            knowledge.scope,
            actor=knowledge.actor,
            at=at,
            random_bytes=knowledge.random_bytes,
            also=events,
        )
    else:
        document_changes = document_change(
            fact_document(fact, version, holding),
            knowledge.scope,
            actor=knowledge.actor,
            at=at,
            random_bytes=knowledge.random_bytes,
            also=events,
        )
    changes = [
        rows.insert(fact) if is_new else replace(rows, fact),
        knowledge.rows(PLACES).put(place),
        document_changes,
    ]
    return [*changes, *_mark_changes(knowledge, fact, before)]


def _mark_changes(knowledge: Knowledge, fact: Fact, before: Fact | None) -> Iterator[Change]:
    """Yield the changes that turn the former entries of a fact in the index of its slot into the current ones."""
    rows = knowledge.rows(MARKS)
    new = marks_of(fact)
    old = marks_of(before) if before is not None else []
    kept_keys = {_key_of(one) for one in new}
    yield from (rows.delete(*_key_of(one)) for one in old if _key_of(one) not in kept_keys)
    yield from (rows.put(one) for one in new if one not in old)


def _key_of(mark: FactMark) -> tuple[str, str, str, int, str]:
    return mark.subject_key, mark.predicate_key, mark.mark, mark.at, mark.id
