"""Pages of facts, by their parts and by time."""

import msgspec

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import Fact
from almanac.families.knowledge.core.slots import Cardinalities, Slot, slot_of
from almanac.families.knowledge.queries.fact_query import FactPage, FactQuery, OmittedCounts, Row, count_omitted, row_of
from almanac.families.knowledge.queries.large_slots import part_of
from almanac.families.knowledge.queries.slots import Position, read_slots

MAX_READ = 4_000
"""Facts read for one page. The current slot is still read to its end."""
PAGE_BYTES = 128 * 1024


def page_of(knowledge: Knowledge, query: FactQuery, *, limit: int, after: str | None) -> FactPage:
    """Return the matching facts after the position `after`, ordered by subject, predicate and start. A page without
    matches still has the position of the next one."""
    cardinalities = Cardinalities(knowledge.store, knowledge.scope, query.known_at)
    last = Position.read(after) if after else None
    page, read, now = _Page(limit), 0, knowledge.now()
    part = part_of(knowledge, query, cardinalities.of(query.predicate) if query.predicate else None, last, limit)
    if part is not None:
        page.passed = OmittedCounts(not_then=part.others)
        last, is_full = page.add_matches(part.slot, query, last)
        return page.page(last if is_full else None)
    for key, facts in read_slots(knowledge, query, last):
        if read >= MAX_READ:
            return page.page(last)
        if last is None or last.slot != key:  # the previous page already counted the slot in which this one begins
            read += 1 + len(facts)
        slot = slot_of(facts, cardinalities.of(key[1]), now, query.known_at)
        last, is_full = page.add_matches(slot, query, last)
        if is_full:
            return page.page(last)
    return page.page(None)


class _Page:
    def __init__(self, limit: int) -> None:
        self.passed = OmittedCounts()
        self._rows: list[Row] = []
        self._limit = limit
        self._bytes = 0

    def add_matches(self, slot: Slot, query: FactQuery, last: Position | None) -> tuple[Position | None, bool]:
        """Add the matching facts of a slot after `last`. Return the last fact read, and whether the page is full."""
        for fact in slot.facts:
            if last is not None and last.slot == (fact.subject_key, fact.predicate_key) and not last.is_before(fact):
                continue
            if query.names(fact):
                if fact.id not in slot.held or not query.holds(slot, fact):
                    self.passed = count_omitted(self.passed, slot, fact)
                elif not self._add(row_of(slot, fact)):
                    return last, True
            last = Position.of(fact)
        return last, False

    def _add(self, row: Row) -> bool:
        """Add a row and return whether it had room; the first always has."""
        self._bytes += _bytes(row.fact)
        if self._rows and (len(self._rows) == self._limit or self._bytes > PAGE_BYTES):
            return False
        self._rows.append(row)
        return True

    def page(self, last: Position | None) -> FactPage:
        following = last.text() if last else None
        return FactPage(rows=self._rows, next_position=following, more=following is not None, omitted=self.passed)


def _bytes(fact: Fact) -> int:
    return len(fact.subject) + len(fact.object.encode()) + len(msgspec.json.encode(fact.metadata))
