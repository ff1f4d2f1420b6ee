"""Repeated statements, which refresh a fact instead of adding a second one."""

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


def said_before(wanted: NewFact, found: SlotSnapshot, wrong: Fact | None) -> FactMark | None:
    """The fact with the same object that begins when the caller says; where he does not say when, the latest that
    holds now. One that never held is no such fact, nor is the `wrong` one that he corrects."""
    if found.slot is None:
        return None
    object_key, begins = wanted.keys[2], wanted.valid_from
    but = wrong.id if wrong is not None else None
    if begins is not None:
        same = found.index.alike(object_key, since=begins, until=begins + 1)
        return min((one for one in same if one.id != but), key=lambda one: one.id, default=None)
    until = found.present + 1 if wanted.valid_to is None else min(found.present + 1, wanted.valid_to)
    begun = (one for one in found.index.alike(object_key, until=until) if one.id != but)
    return next(_holding(begun, found), None)


def _holding(marks: Iterable[FactMark], found: SlotSnapshot) -> Iterator[FactMark]:
    """Yield the facts of one object that hold now, the latest first."""
    ended = False
    for one in marks:
        if one.end is not None and one.end <= found.present:
            continue
        if may_be_superseded(one.stated, found.cardinality):
            # What ended a later one ended all before it.
            ended = ended or found.index.is_followed(one, found.present)
            if ended and found.cardinality == "one":
                return
            if ended:
                continue
        yield one


def repeated(knowledge: Knowledge, fact: Fact, wanted: NewFact, sources: Sequence[Source], at: int) -> Fact:
    """The fact as it is by now: with what the caller says of it anew, and the end that he gives it."""
    metadata = {**fact.metadata, **wanted.metadata}
    check_metadata(metadata)
    fresh = altered(
        fact,
        confirmed_at=at,
        confidence=fact.confidence if wanted.confidence is None else wanted.confidence,
        sources=_joined(fact.sources, sources),
        metadata=metadata,
        redacted=tuple(dict.fromkeys([*fact.redacted, *(each.kind for each in wanted.findings)])),
    )
    end = wanted.valid_to
    return fresh if end is None or end == own_end(fact) else ended(fresh, Ending(at, end, knowledge.actor))


def ended(fact: Fact, ending: Ending) -> Fact:
    """Raises Conflict for an end behind the one that was recorded with it, LimitExceeded after 200 ends."""
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


def _joined(kept: Sequence[Source], new: Sequence[Source]) -> tuple[Source, ...]:
    """Each once, the newest first, at most 50."""
    return tuple({one.id: one for one in (*new, *kept)}.values())[:MAX_SOURCES] if new else tuple(kept)
