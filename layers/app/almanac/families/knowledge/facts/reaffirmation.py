"""Repeated statements. They refresh the existing fact instead of adding a second one."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import MAX_ENDINGS, MAX_SOURCES, Ending, Fact, FactMark, Source
from almanac.families.knowledge.core.timeline import may_be_superseded, own_end
from almanac.families.knowledge.facts.fact_input import NewFact
from almanac.families.knowledge.facts.slot_snapshot import SlotSnapshot
from almanac.families.memory.memories.new_memory import check_metadata
from almanac.kernel.errors import Conflict, LimitExceeded
from almanac.kernel.instants import iso


def find_repeated(new: NewFact, found: SlotSnapshot, wrong: Fact | None) -> FactMark | None:
    """Return the existing fact with the same object that `new` repeats. With a stated start, it is the fact that starts
    then, otherwise the latest fact that holds now. Retracted facts do not count, nor does the `wrong` one that the
    caller corrects."""
    if found.slot is None:
        return None
    object_key, begins = new.keys[2], new.valid_from
    but = wrong.id if wrong is not None else None
    if begins is not None:
        same = found.index.with_object(object_key, since=begins, until=begins + 1)
        return min((one for one in same if one.id != but), key=lambda one: one.id, default=None)
    until = found.present + 1 if new.valid_to is None else min(found.present + 1, new.valid_to)
    begun = (one for one in found.index.with_object(object_key, until=until) if one.id != but)
    return next(_facts_holding_now(begun, found), None)


def _facts_holding_now(marks: Iterable[FactMark], found: SlotSnapshot) -> Iterator[FactMark]:
    """Yield the facts of one object that hold now, the latest first."""
    ended = False
    for mark in marks:
        if mark.end is not None and mark.end <= found.present:
            continue
        if may_be_superseded(mark.stated, found.cardinality):
            # The fact that ended a later one ended all earlier ones too.
            ended = ended or found.index.is_followed(mark, found.present)
            if ended and found.cardinality == "one":
                return
            if ended:
                continue
        yield mark


def refresh(knowledge: Knowledge, fact: Fact, new: NewFact, sources: Sequence[Source], at: int) -> Fact:
    """Return the existing fact, refreshed with the confidence, sources, metadata and end that the caller states."""
    metadata = {**fact.metadata, **new.metadata}
    check_metadata(metadata)
    fresh = altered(
        fact,
        confirmed_at=at,
        confidence=fact.confidence if new.confidence is None else new.confidence,
        sources=_join_sources(fact.sources, sources),
        metadata=metadata,
        redacted=tuple(dict.fromkeys([*fact.redacted, *(each.kind for each in new.findings)])),
    )
    end = new.valid_to
    return fresh if end is None or end == own_end(fact) else with_ending(fresh, Ending(at, end, knowledge.actor))


def with_ending(fact: Fact, ending: Ending) -> Fact:
    """Return the fact with a stated end. Raises Conflict if that is after the end it was recorded with, and
    LimitExceeded after 200 ends."""
    if ending.at is not None and fact.stated_to is not None and ending.at > fact.stated_to:
        raise Conflict(
            f"This fact was recorded to end at {iso(fact.stated_to)}, so it cannot hold after that.",
            f"To change the end, record the fact again with corrects={fact.id} and the right valid_to.",
            code="end_stated",
        )
    if len(fact.endings) >= MAX_ENDINGS:
        raise LimitExceeded(
            f"The end of this fact was changed {MAX_ENDINGS} times.", f"Record it again with corrects={fact.id}."
        )
    return altered(fact, endings=(*fact.endings, ending))


def _join_sources(existing: Sequence[Source], new: Sequence[Source]) -> tuple[Source, ...]:
    """Return the sources without duplicates, the newest first, at most 50."""
    return tuple({one.id: one for one in (*new, *existing)}.values())[:MAX_SOURCES] if new else tuple(existing)
