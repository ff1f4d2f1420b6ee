"""The timeline of one subject and predicate: which facts hold when, computed from all that was stated.

A fact begins at its `valid_from` and ends, excluded, at the earliest of
- the end that was stated with it,
- the end that somebody said of it afterwards, as it was known,
- the beginning of the next fact with another object. By cardinality `one` it always ends there; where nobody stated a
  cardinality, only a fact without a stated end does; by `many` none does.

Facts that begin at the same instant do not end each other: both hold, which is a contradiction that somebody has to
resolve. A fact that ends where it begins never held, and ends no other.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from almanac.families.knowledge.core.records import Cardinality, Fact

Because = Literal["stated", "invalidated", "superseded"]


class HoldingInterval(Struct, frozen=True):
    """From `start` on, before `end`; `end` None: until something else is known. `because` says what ended it, `by` the
    facts that begin there and superseded it."""

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
    """Return when each fact holds, by id, as known at an instant; None means now. `facts` are all of one subject and
    predicate. Facts that were not known by then are left out."""
    known = sorted(
        (one for one in facts if known_at is None or one.recorded_at <= known_at),
        key=lambda one: (one.valid_from, one.id),
    )
    said = {one.id: as_said(one, known_at) for one in known}
    if cardinality == "many":
        return said
    held = [one for one in known if not said[one.id].never]
    return said | dict(_superseded(held, said, cardinality))


def may_be_superseded(stated: bool, cardinality: Cardinality | None) -> bool:
    """Tell whether the next fact with another object ends one that was `stated` with an end, or without."""
    return cardinality == "one" or (cardinality is None and not stated)


def own_end(fact: Fact) -> int | None:
    """The end that was said of it: when it was recorded, or later. None while nobody said one."""
    said = fact.endings[-1].at if fact.endings else None
    ends = [one for one in (fact.stated_to, said) if one is not None]
    return min(ends) if ends else None


def is_retracted(fact: Fact) -> bool:
    """Tell whether somebody said that it never held."""
    end = own_end(fact)
    return end is not None and end <= fact.valid_from


def as_said(fact: Fact, known_at: int | None = None) -> HoldingInterval:
    """Return when the fact holds unless another fact ends it."""
    endings = [one for one in fact.endings if known_at is None or one.known_at <= known_at]
    ended = endings[-1].at if endings else None
    if ended is not None and (fact.stated_to is None or ended < fact.stated_to):
        return HoldingInterval(fact.valid_from, max(ended, fact.valid_from), "invalidated")
    return HoldingInterval(fact.valid_from, fact.stated_to, None if fact.stated_to is None else "stated")


def _superseded(
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
    """The ids of the facts that begin at `start`, by their objects. `alike` counts the beginnings from here on that
    have no object but the only one of this."""

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
    """The first from `number` on with another object than `own`."""
    if number < len(beginnings) and beginnings[number].facts.keys() == {own}:
        number += beginnings[number].alike
    return beginnings[number] if number < len(beginnings) else None
