"""The timeline of one subject and predicate: which facts hold when, computed from all statements.

A fact starts at its `valid_from`. It ends (excluded) at the earliest of

- the end stated with it,
- an end stated later, as known at the requested time,
- the start of the next fact with another object. With cardinality `one` it always ends there, with `many` never.
  Without a stated cardinality, only a fact without a stated end does.

Facts that start at the same instant do not end each other. Both hold, which is a contradiction for the users to
resolve. A fact that ends where it starts never held, and ends no other.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from almanac.families.knowledge.core.records import Cardinality, Fact

Because = Literal["stated", "invalidated", "superseded"]


class HoldingInterval(Struct, frozen=True):
    """The time when a fact holds, from `start` to `end` (excluded); `end` None means open. `because` says what ended
    it. `by` are the facts that start there and superseded it."""

    start: int
    end: int | None
    because: Because | None = None
    by: tuple[str, ...] = ()

    @property
    def never(self) -> bool:
        return self.end is not None and self.end <= self.start

    def at(self, instant: int) -> bool:
        return self.start <= instant and (self.end is None or instant < self.end)

    def overlaps(self, other: "HoldingInterval") -> bool:
        """Return whether both hold at some instant."""
        ends = [one.end for one in (self, other) if one.end is not None]
        return not ends or max(self.start, other.start) < min(ends)


def timeline(
    facts: Iterable[Fact], cardinality: Cardinality | None, known_at: int | None = None
) -> Mapping[str, HoldingInterval]:
    """Return when each fact of one subject and predicate holds, by id, as known at `known_at`; None means now. Facts
    that were not known by then are left out."""
    known = sorted(
        (fact for fact in facts if known_at is None or fact.recorded_at <= known_at),
        key=lambda one: (one.valid_from, one.id),
    )
    said = {one.id: as_said(one, known_at) for one in known}
    if cardinality == "many":
        return said
    held = [one for one in known if not said[one.id].never]
    return said | dict(_supersede(held, said, cardinality))


def may_be_superseded(stated: bool, cardinality: Cardinality | None) -> bool:
    """Return whether the next fact with another object ends a fact. `stated`: the fact has a stated end."""
    return cardinality == "one" or (cardinality is None and not stated)


def own_end(fact: Fact) -> int | None:
    """Return the end stated when the fact was recorded or later; None if there is none."""
    stated_end = fact.endings[-1].at if fact.endings else None
    ends = [one for one in (fact.stated_to, stated_end) if one is not None]
    return min(ends) if ends else None


def is_retracted(fact: Fact) -> bool:
    """Return whether the fact was retracted, so that it never held."""
    end = own_end(fact)
    return end is not None and end <= fact.valid_from


def as_said(fact: Fact, known_at: int | None = None) -> HoldingInterval:
    """Return when the fact holds, if no other fact ends it."""
    endings = [ending for ending in fact.endings if known_at is None or ending.known_at <= known_at]
    ended = endings[-1].at if endings else None
    if ended is not None and (fact.stated_to is None or ended < fact.stated_to):
        return HoldingInterval(fact.valid_from, max(ended, fact.valid_from), "invalidated")
    return HoldingInterval(fact.valid_from, fact.stated_to, None if fact.stated_to is None else "stated")


def _supersede(
    held: Sequence[Fact], said: Mapping[str, HoldingInterval], cardinality: Cardinality | None
) -> Iterator[tuple[str, HoldingInterval]]:
    beginnings = _beginnings(held)
    place = {one.start: number for number, one in enumerate(beginnings)}
    for fact in held:
        own = said[fact.id]
        if not may_be_superseded(fact.stated_to is not None, cardinality):
            continue
        following = _first_other(beginnings, place[fact.valid_from] + 1, fact.object_key)
        if following is not None and (own.end is None or following.start < own.end):
            by = (each for name, ids in following.facts.items() if name != fact.object_key for each in ids)
            yield fact.id, HoldingInterval(fact.valid_from, following.start, "superseded", tuple(sorted(by)))


class _Beginning(Struct):
    """The ids of the facts that start at `start`, by their objects. `alike` counts the consecutive starts from here on
    whose facts all have the same single object."""

    start: int
    facts: dict[str, list[str]]
    alike: int = 0


def _beginnings(held: Sequence[Fact]) -> list[_Beginning]:
    found: list[_Beginning] = []
    for fact in held:
        if not found or found[-1].start != fact.valid_from:
            found.append(_Beginning(fact.valid_from, {}))
        found[-1].facts.setdefault(fact.object_key, []).append(fact.id)
    for number in range(len(found) - 1, -1, -1):
        one, following = found[number], found[number + 1] if number + 1 < len(found) else None
        if len(one.facts) == 1:
            one.alike = 1 + (following.alike if following and following.facts.keys() == one.facts.keys() else 0)
    return found


def _first_other(beginnings: Sequence[_Beginning], number: int, own: str) -> _Beginning | None:
    """Return the first start from `number` on with an object other than `own`."""
    if number < len(beginnings) and beginnings[number].facts.keys() == {own}:
        number += beginnings[number].alike
    return beginnings[number] if number < len(beginnings) else None
