"""Saying again what was said before: it refreshes the fact and makes no second one."""

from collections.abc import Sequence

from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import MAX_ENDINGS, MAX_SOURCES, Ending, Fact, Source
from almanac.families.knowledge.core.slots import is_retracted, own_end
from almanac.families.knowledge.facts.given import Wanted
from almanac.families.knowledge.facts.writing import Standing
from almanac.families.memory.memories.wanted import check_metadata
from almanac.kernel.errors import Conflict, LimitExceeded
from almanac.kernel.instants import iso


def said_before(wanted: Wanted, found: Standing) -> Fact | None:
    """The fact with the same object that begins when the caller says; where he does not say when, the latest that
    holds now. One that never held is no such fact."""
    object_key = wanted.keys[2]
    same = [one for one in found.facts.values() if one.object_key == object_key and not is_retracted(one)]
    if wanted.valid_from is not None:
        return next((one for one in same if one.valid_from == wanted.valid_from), None)
    holding = [one for one in same if found.held[one.id].at(found.present)]
    if wanted.valid_to is not None:
        holding = [one for one in holding if one.valid_from < wanted.valid_to]
    return max(holding, key=lambda one: (one.valid_from, one.id), default=None)


def repeated(knowledge: Knowledge, fact: Fact, wanted: Wanted, sources: Sequence[Source], at: int) -> Fact:
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
            f"This fact was recorded with an end, {iso(fact.stated_to)}, and holds no longer than that.",
            f"To say otherwise record it anew, with corrects={fact.id} and the right valid_to.",
            code="end_stated",
        )
    if len(fact.endings) >= MAX_ENDINGS:
        raise LimitExceeded(
            f"The end of this fact was changed {MAX_ENDINGS} times.", f"Record it anew with corrects={fact.id}."
        )
    return altered(fact, endings=(*fact.endings, ending))


def _joined(kept: Sequence[Source], new: Sequence[Source]) -> tuple[Source, ...]:
    """Each once, the newest first, at most 50."""
    return tuple({one.id: one for one in (*new, *kept)}.values())[:MAX_SOURCES] if new else tuple(kept)
