"""The end of a fact that is no longer true, and its undo."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.content.redaction import SecretFinding
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import PLACES, Ending, Fact
from almanac.families.knowledge.core.timeline import HoldingInterval, own_end
from almanac.families.knowledge.facts.event_payloads import (
    SupersededFact,
    holding_again,
    invalidated_event,
    newly_superseded,
    superseded_events,
)
from almanac.families.knowledge.facts.fact_changes import fact_changes, slot_change
from almanac.families.knowledge.facts.reaffirmation import ended
from almanac.families.knowledge.facts.slot_snapshot import SlotSnapshot, near, slot_snapshot, stored
from almanac.kernel.errors import NotFound
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.port import Change


class InvalidationResult(Struct, frozen=True, kw_only=True):
    """`already`: it was so before, and nothing was written. `holds_again`: facts that this one had ended.
    `stays_ended`: facts that this one had ended and that do not hold again. `superseded`: facts that it ends again,
    where its end was taken back."""

    fact: Fact
    holding: HoldingInterval
    active: bool
    already: bool
    holds_again: tuple[str, ...] = ()
    stays_ended: tuple[str, ...] = ()
    superseded: tuple[SupersededFact, ...] = ()


class Invalidation(Struct, frozen=True, kw_only=True):
    """A request to end a fact; `at` None means now. `undo` discards everything that was said of it after it was
    recorded."""

    at: int | None = None
    reason: str | None = None
    undo: bool = False
    findings: Sequence[SecretFinding] = ()


def invalidate(knowledge: Knowledge, fact_id: str, said: Invalidation) -> InvalidationResult:
    """Raises NotFound for an unknown fact, Conflict for an end behind the one it was recorded with."""

    def attempt() -> InvalidationResult:
        place = knowledge.rows(PLACES).get(fact_id)
        found = slot_snapshot(knowledge, (place.subject_key, place.predicate_key)) if place else None
        fact = stored(knowledge, place)
        if found is None or fact is None:
            raise NotFound(f"There is no fact {fact_id[:80]!r}.", "Use a fact_id from query_facts.")
        found = near(knowledge, found, fact)
        end = None if said.undo else _end(fact, found, said.at)
        if _is_so(fact, found, said, end):
            return InvalidationResult(
                fact=fact, holding=found.held[fact.id], active=found.held[fact.id].at(found.present), already=True
            )
        return _written(knowledge, found, ended(fact, Ending(found.at, end, knowledge.actor, said.reason)), said)

    return knowledge.retrying(attempt)


def _end(fact: Fact, found: SlotSnapshot, at: int | None) -> int:
    """By default it held until now, also where it was recorded in this very millisecond."""
    if at is not None:
        return at
    return max(found.present, fact.valid_from + 1) if fact.valid_from <= found.present else found.present


def _is_so(fact: Fact, found: SlotSnapshot, said: Invalidation, end: int | None) -> bool:
    if end is None:
        return not fact.endings or fact.endings[-1].at is None
    if said.at is None:
        held_until = found.held[fact.id].end
        return held_until is not None and held_until <= found.present
    return end == own_end(fact)


def ending_changes(knowledge: Knowledge, fact: Fact, at: int | None, reason: str) -> list[Change]:
    """The changes that say of a fact, as read, that it ended at `at`; None takes back what was said of its end. Raises
    LimitExceeded where that was said too often."""
    found = near(knowledge, slot_snapshot(knowledge, (fact.subject_key, fact.predicate_key)), fact)
    said = ended(fact, Ending(found.at, at, knowledge.actor, reason))
    return _changed(knowledge, found, said, Invalidation(undo=at is None))[0]


def _written(knowledge: Knowledge, found: SlotSnapshot, fact: Fact, said: Invalidation) -> InvalidationResult:
    changes, done = _changed(knowledge, found, fact, said)
    knowledge.store.write([*changes, *redaction_changes(knowledge, fact.id, "fact", said.findings, found.at)])
    return done


def _changed(
    knowledge: Knowledge, found: SlotSnapshot, fact: Fact, said: Invalidation
) -> tuple[list[Change], InvalidationResult]:
    held = found.after(fact, found.cardinality)
    again = holding_again(found.held, held, but=fact.id)
    newly = newly_superseded(found.held, held, but=fact.id)
    events = [
        invalidated_event(knowledge, fact, held[fact.id], found.at, undone=said.undo, again=again),
        *superseded_events(knowledge, newly, found.facts, held, found.at),
    ]
    changes = [
        *fact_changes(knowledge, fact, held[fact.id], before=found.facts[fact.id], at=found.at, events=events),
        slot_change(knowledge, found),
    ]
    done = InvalidationResult(
        fact=fact,
        holding=held[fact.id],
        active=held[fact.id].at(found.present_after(fact)),
        already=False,
        holds_again=again,
        stays_ended=() if said.undo else tuple(one for one, each in held.items() if fact.id in each.by),
        superseded=tuple(newly),
    )
    return changes, done
