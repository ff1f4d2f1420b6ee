"""Facts by their parts and by time, a page at a time."""

import msgspec

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import Fact
from almanac.families.knowledge.core.slots import Cardinalities, Slot, slot_of
from almanac.families.knowledge.queries.fact_query import FactPage, FactQuery, OmittedCounts, Row, counted, row_of
from almanac.families.knowledge.queries.large_slots import part_of
from almanac.families.knowledge.queries.slots import Position, read_slots

MAX_READ = 4_000
"""Facts that are read for one page; the slot that is begun is read to its end."""
PAGE_BYTES = 128 * 1024


def page_of(knowledge: Knowledge, asked: FactQuery, *, limit: int, after: str | None) -> FactPage:
    """Facts behind the place `after`, in the order of subject, predicate and beginning; also where what was read has
    none that is asked for, the place from which to go on."""
    cardinalities = Cardinalities(knowledge.store, knowledge.scope, asked.known_at)
    last = Position.read(after) if after else None
    page, read, now = _Page(limit), 0, knowledge.now()
    part = part_of(knowledge, asked, cardinalities.of(asked.predicate) if asked.predicate else None, last, limit)
    if part is not None:
        page.passed = OmittedCounts(not_then=part.others)
        last, is_full = page.takes_of(part.slot, asked, last)
        return page.found(last if is_full else None)
    for key, facts in read_slots(knowledge, asked, last):
        if read >= MAX_READ:
            return page.found(last)
        if last is None or last.slot != key:  # the slot in which this page begins was paid for by the one before
            read += 1 + len(facts)
        slot = slot_of(facts, cardinalities.of(key[1]), now, asked.known_at)
        last, is_full = page.takes_of(slot, asked, last)
        if is_full:
            return page.found(last)
    return page.found(None)


class _Page:
    def __init__(self, limit: int) -> None:
        self.passed = OmittedCounts()
        self._rows: list[Row] = []
        self._limit = limit
        self._bytes = 0

    def takes_of(self, slot: Slot, asked: FactQuery, last: Position | None) -> tuple[Position | None, bool]:
        """Take the facts of a slot behind `last`. Returns the last that was looked at, and whether the page is full."""
        for fact in slot.facts:
            if last is not None and last.slot == (fact.subject_key, fact.predicate_key) and not last.is_before(fact):
                continue
            if asked.names(fact):
                if fact.id not in slot.held or not asked.holds(slot, fact):
                    self.passed = counted(self.passed, slot, fact)
                elif not self._takes(row_of(slot, fact)):
                    return last, True
            last = Position.of(fact)
        return last, False

    def _takes(self, row: Row) -> bool:
        """Add a row and return whether it had room; the first always has."""
        self._bytes += _bytes(row.fact)
        if self._rows and (len(self._rows) == self._limit or self._bytes > PAGE_BYTES):
            return False
        self._rows.append(row)
        return True

    def found(self, last: Position | None) -> FactPage:
        following = last.text() if last else None
        return FactPage(rows=self._rows, following=following, more=following is not None, passed=self.passed)


def _bytes(fact: Fact) -> int:
    return len(fact.subject) + len(fact.object.encode()) + len(msgspec.json.encode(fact.metadata))
