"""The parsed query for facts, and its page of results."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.knowledge.core.records import Fact
from almanac.families.knowledge.core.slots import Slot
from almanac.families.knowledge.core.timeline import HoldingInterval


class FactQuery(Struct, frozen=True, kw_only=True):
    """Keys of names; empty or None allows all. `subjects` are several where other names of one are followed.

    `point_in_time`: what held then; else, with `active_only`, what holds now. `known_at`: as it was known then.
    """

    subjects: tuple[str, ...] = ()
    predicate: str | None = None
    object: str | None = None
    point_in_time: int | None = None
    known_at: int | None = None
    active_only: bool = True

    def names(self, fact: Fact) -> bool:
        """Return whether the fact has the requested subject, predicate and object."""
        return (
            (not self.subjects or fact.subject_key in self.subjects)
            and self.predicate in (None, fact.predicate_key)
            and self.object in (None, fact.object_key)
        )

    def holds(self, slot: Slot, fact: Fact) -> bool:
        """Return whether the fact holds at the requested time."""
        if self.point_in_time is not None:
            return slot.held[fact.id].at(self.point_in_time)
        return not self.active_only or slot.is_active(fact.id)


class Row(Struct, frozen=True):
    """A fact that was found, with when it holds."""

    fact: Fact
    holding: HoldingInterval
    active: bool


class OmittedCounts(Struct, frozen=True):
    """The number of facts that matched but were left out: not known by then, or not true then."""

    unknown: int = 0
    not_then: int = 0


class FactPage(Struct, frozen=True, kw_only=True):
    """`more`: there are others. `following` is where the next page begins. `notes` and `empty` are those of search."""

    rows: Sequence[Row] = ()
    following: str | None = None
    more: bool = False
    passed: OmittedCounts = OmittedCounts()
    notes: tuple[str, ...] = ()
    empty: str | None = None


def row_of(slot: Slot, fact: Fact) -> Row:
    return Row(fact, slot.held[fact.id], slot.is_active(fact.id))


def counted(passed: OmittedCounts, slot: Slot, fact: Fact) -> OmittedCounts:
    """`passed` and one more, which was left out."""
    if fact.id not in slot.held:
        return OmittedCounts(passed.unknown + 1, passed.not_then)
    return OmittedCounts(passed.unknown, passed.not_then + 1)
