"""Payloads of fact events, and the facts that a change newly ended or reinstated."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from almanac.families.knowledge.core.event_kinds import FACT_INVALIDATED, FACT_RECORDED, FACT_SUPERSEDED
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import Fact
from almanac.families.knowledge.core.timeline import HoldingInterval
from almanac.families.memory.memories.event_payloads import preview_of
from almanac.kernel.events import Event

MAX_TOLD = 50
"""Newly ended facts that one write announces. Results list as many."""
_NAMED = 10


class SupersededFact(Struct, frozen=True):
    """A superseded fact and its new end, `valid_to`, in milliseconds since 1970."""

    fact_id: str
    valid_to: int


def newly_superseded(
    before: Mapping[str, HoldingInterval], after: Mapping[str, HoldingInterval], *, but: str | None = None
) -> list[SupersededFact]:
    """Return the facts that end earlier, or by other facts, than before. `but` is the fact that was just recorded."""
    return [
        SupersededFact(one, end)
        for one, holding in after.items()
        if one in before and one != but and (end := _new_end(before[one], holding)) is not None
    ]


def newly_holding(
    before: Mapping[str, HoldingInterval], after: Mapping[str, HoldingInterval], *, but: str
) -> tuple[str, ...]:
    """Return the superseded facts that no longer end, or end later than before."""
    return tuple(
        one
        for one, holding in after.items()
        if one in before and one != but and before[one].because == "superseded" and _is_later(holding, before[one])
    )


def recorded_event(
    knowledge: Knowledge, fact: Fact, holding: HoldingInterval, at: int, *, deduped: bool, ended: int
) -> Event:
    payload = {**fact_payload(fact, holding), "deduped": deduped, "superseded": ended}
    return knowledge.event(FACT_RECORDED, fact.id, payload, at=at)


def invalidated_event(
    knowledge: Knowledge, fact: Fact, holding: HoldingInterval, at: int, *, undone: bool, again: Sequence[str] = ()
) -> Event:
    reason = fact.endings[-1].reason if fact.endings else None
    payload = {**fact_payload(fact, holding), "reason": reason and preview_of(reason), "undone": undone}
    return knowledge.event(FACT_INVALIDATED, fact.id, {**payload, "holds_again": list(again[:_NAMED])}, at=at)


def superseded_events(
    knowledge: Knowledge,
    ended: Iterable[SupersededFact],
    facts: Mapping[str, Fact],
    held: Mapping[str, HoldingInterval],
    at: int,
) -> Iterator[Event]:
    """Yield the events of the first 50 facts in `ended`."""
    for one in list(ended)[:MAX_TOLD]:
        holding = held[one.fact_id]
        payload = {**fact_payload(facts[one.fact_id], holding), "superseded_by": list(holding.by[:_NAMED])}
        yield knowledge.event(FACT_SUPERSEDED, one.fact_id, payload, at=at)


def fact_payload(fact: Fact, holding: HoldingInterval) -> dict[str, Any]:
    """Return the payload that describes a fact. Texts over 200 characters are cut."""
    return {
        "fact_id": fact.id,
        "subject": preview_of(fact.subject),
        "predicate": preview_of(fact.predicate),
        "object": preview_of(fact.object),
        "confidence": fact.confidence,
        "valid_from": fact.valid_from,
        "valid_to": holding.end,
    }


def _new_end(before: HoldingInterval, after: HoldingInterval) -> int | None:
    if after.because != "superseded" or after.end is None:
        return None
    is_earlier = before.end is None or after.end < before.end
    # Other facts end it now, as when one fact corrects another.
    by_others = before.because == "superseded" and not set(after.by) & set(before.by)
    return after.end if is_earlier or (by_others and after.end == before.end) else None


def _is_later(after: HoldingInterval, before: HoldingInterval) -> bool:
    return after.end is None or (before.end is not None and after.end > before.end)
