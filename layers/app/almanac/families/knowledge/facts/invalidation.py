"""Ending a fact that is no longer true, and undoing that."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.content.redaction import SecretFinding
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import PLACES, Ending, Fact
from almanac.families.knowledge.core.timeline import HoldingInterval, own_end
from almanac.families.knowledge.facts.event_payloads import (
    SupersededFact,
    invalidated_event,
    newly_holding,
    newly_superseded,
    superseded_events,
)
from almanac.families.knowledge.facts.fact_changes import fact_changes, slot_change
from almanac.families.knowledge.facts.reaffirmation import with_ending
from almanac.families.knowledge.facts.slot_snapshot import SlotSnapshot, slot_snapshot, stored_fact, with_neighbours
from almanac.kernel.errors import NotFound
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.port import Change


class InvalidationResult(Struct, frozen=True, kw_only=True):
    """The outcome of ending a fact. `already`: it was so before, and nothing was written. `holds_again` and
    `stays_ended` are facts that this one had ended. After an undo, `superseded` are the facts that it ends again."""

    fact: Fact
    holding: HoldingInterval
    active: bool
    already: bool
    holds_again: tuple[str, ...] = ()
    stays_ended: tuple[str, ...] = ()
    superseded: tuple[SupersededFact, ...] = ()


class Invalidation(Struct, frozen=True, kw_only=True):
    """A request to end a fact; `at` None means now. `undo` withdraws all ends that were stated after the fact was
    recorded."""

    at: int | None = None
    reason: str | None = None
    undo: bool = False
    findings: Sequence[SecretFinding] = ()


def invalidate(knowledge: Knowledge, fact_id: str, request: Invalidation) -> InvalidationResult:
    """End a fact, or undo that. Raises NotFound for an unknown fact, and Conflict for an end after the one it was
    recorded with."""

    def attempt() -> InvalidationResult:
        place = knowledge.rows(PLACES).get(fact_id)
        found = slot_snapshot(knowledge, (place.subject_key, place.predicate_key)) if place else None
        fact = stored_fact(knowledge, place)
        if found is None or fact is None:
            raise NotFound(f"There is no fact {fact_id[:80]!r}.", "Use a fact_id from query_facts.")
        found = with_neighbours(knowledge, found, fact)
        end = None if request.undo else _end(fact, found, request.at)
        if _is_so(fact, found, request, end):
            return InvalidationResult(
                fact=fact, holding=found.held[fact.id], active=found.held[fact.id].at(found.present), already=True
            )
        return _write(
            knowledge, found, with_ending(fact, Ending(found.at, end, knowledge.actor, request.reason)), request
        )

    return knowledge.retry_on_conflict(attempt)


def _end(fact: Fact, found: SlotSnapshot, at: int | None) -> int:
    """Return the end of the fact: `at` or now. The default is after its start, even if it was recorded in this
    millisecond."""
    if at is not None:
        return at
    return max(found.present, fact.valid_from + 1) if fact.valid_from <= found.present else found.present


def _is_so(fact: Fact, found: SlotSnapshot, request: Invalidation, end: int | None) -> bool:
    if end is None:
        return not fact.endings or fact.endings[-1].at is None
    if request.at is None:
        held_until = found.held[fact.id].end
        return held_until is not None and held_until <= found.present
    return end == own_end(fact)


def end_changes(knowledge: Knowledge, fact: Fact, at: int | None, reason: str) -> list[Change]:
    """Return the changes that end a fact at `at`, or withdraw its stated end with None. Raises LimitExceeded after too
    many changes of the end."""
    found = with_neighbours(knowledge, slot_snapshot(knowledge, (fact.subject_key, fact.predicate_key)), fact)
    ended_fact = with_ending(fact, Ending(found.at, at, knowledge.actor, reason))
    return _plan_end(knowledge, found, ended_fact, Invalidation(undo=at is None))[0]


def _write(knowledge: Knowledge, found: SlotSnapshot, fact: Fact, request: Invalidation) -> InvalidationResult:
    changes, result = _plan_end(knowledge, found, fact, request)
    knowledge.store.write([*changes, *redaction_changes(knowledge, fact.id, "fact", request.findings, found.at)])
    return result


def _plan_end(
    knowledge: Knowledge, found: SlotSnapshot, fact: Fact, request: Invalidation
) -> tuple[list[Change], InvalidationResult]:
    held = found.after(fact, found.cardinality)
    again = newly_holding(found.held, held, but=fact.id)
    newly = newly_superseded(found.held, held, but=fact.id)
    events = [
        invalidated_event(knowledge, fact, held[fact.id], found.at, undone=request.undo, again=again),
        *superseded_events(knowledge, newly, found.facts, held, found.at),
    ]
    changes = [
        *fact_changes(knowledge, fact, held[fact.id], before=found.facts[fact.id], at=found.at, events=events),
        slot_change(knowledge, found),
    ]
    result = InvalidationResult(
        fact=fact,
        holding=held[fact.id],
        active=held[fact.id].at(found.present_after(fact)),
        already=False,
        holds_again=again,
        stays_ended=() if request.undo else tuple(one for one, each in held.items() if fact.id in each.by),
        superseded=tuple(newly),
    )
    return changes, result
