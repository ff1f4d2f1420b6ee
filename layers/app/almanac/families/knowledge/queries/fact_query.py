"""The parsed query for facts, and its page of results."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.knowledge.core.records import Fact
from almanac.families.knowledge.core.slots import Slot
from almanac.families.knowledge.core.timeline import HoldingInterval


class FactQuery(Struct, frozen=True, kw_only=True):
    """A query by keys of names; empty or None allows all. There are several `subjects` if aliases are included.
    `point_in_time` selects facts that held then. Otherwise `active_only` selects those that hold now. Only facts known
    at `known_at` count."""

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
    """A fact of the result, and when it holds."""

    fact: Fact
    holding: HoldingInterval
    active: bool


class OmittedCounts(Struct, frozen=True):
    """The number of facts that matched but were left out: not known by then, or not true then."""

    unknown: int = 0
    not_then: int = 0


class FactPage(Struct, frozen=True, kw_only=True):
    """A page of facts. `next_position` is the start of the next page. `notes` and `empty` come from search."""

    rows: Sequence[Row] = ()
    next_position: str | None = None
    more: bool = False
    omitted: OmittedCounts = OmittedCounts()
    notes: tuple[str, ...] = ()
    empty: str | None = None


def row_of(slot: Slot, fact: Fact) -> Row:
    return Row(fact, slot.held[fact.id], slot.is_active(fact.id))


def count_omitted(passed: OmittedCounts, slot: Slot, fact: Fact) -> OmittedCounts:
    """Return the counts with one more omitted fact."""
    if fact.id not in slot.held:
        return OmittedCounts(passed.unknown + 1, passed.not_then)
    return OmittedCounts(passed.unknown, passed.not_then + 1)
