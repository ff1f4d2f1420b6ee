"""Construction of the index of a slot that an earlier version stored, in resumable steps."""

from msgspec.structs import replace as altered

from almanac.families.knowledge.core.records import FACTS, MARKS, SLOTS, Fact, FactSlot
from almanac.families.knowledge.core.slot_index import marks_of
from almanac.kernel.caller import Scope
from almanac.platform.store.keys import past, sort_key, sort_prefix
from almanac.platform.store.port import Change, ConditionFailed, Span, Store
from almanac.platform.store.records import replace

_FACTS_AT_ONCE = 30
"""Each has up to three marks, and a write has up to a hundred changes."""
_MARKS_AT_ONCE = 90


def indexed_slot(store: Store, scope: Scope, slot: FactSlot) -> FactSlot | None:
    """The slot once its index has all of its facts; None where it is gone by then.

    Each step takes a turn in the slot, so that others who index it or write there take theirs before or after it.
    """
    rows, found = SLOTS.within(store, scope), slot
    while not found.is_indexed:
        changes, following = _step(store, scope, found)
        try:
            store.write([*changes, replace(rows, following)])
            found = altered(following, version=found.version + 1)
        except ConditionFailed:
            read = rows.get(slot.subject_key, slot.predicate_key)
            if read is None:
                return None
            found = read
    return found


def _step(store: Store, scope: Scope, slot: FactSlot) -> tuple[list[Change], FactSlot]:
    """Return the next changes to write, and the slot after them."""
    rows = MARKS.within(store, scope)
    if slot.indexed_to is None:
        stale = rows.query(slot.subject_key, slot.predicate_key, limit=_MARKS_AT_ONCE).records
        if stale:
            gone = [rows.delete(one.subject_key, one.predicate_key, one.mark, one.at, one.id) for one in stale]
            return [*gone], altered(slot, indexed=0)
        slot = altered(slot, indexed=0)
    facts = _following(store, scope, slot)
    if not facts:
        return [], altered(slot, facts=slot.indexed, indexed_to=None)
    marks = [rows.put(one) for fact in facts for one in marks_of(fact)]
    indexed, last = slot.indexed + len(facts), facts[-1]
    reached = (last.valid_from, last.id) if indexed != slot.facts else None
    return [*marks], altered(slot, indexed=indexed, indexed_to=reached)


def _following(store: Store, scope: Scope, slot: FactSlot) -> list[Fact]:
    key, last = (slot.subject_key, slot.predicate_key), slot.indexed_to
    prefix = sort_prefix(*key)
    # The first sort key that could follow that of a fact.
    start = prefix if last is None else sort_key(*key, *last) + "!"
    span = Span(start, past(prefix))
    page = store.query(FACTS.partition(scope, FACTS.own, ()), span=span, limit=_FACTS_AT_ONCE)
    return [FACTS.read(item) for item in page.items]
