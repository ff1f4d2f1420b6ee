"""Construction of the index for a slot that an earlier version stored, in resumable steps."""

from msgspec.structs import replace as altered

from almanac.families.knowledge.core.records import FACTS, MARKS, SLOTS, Fact, FactSlot
from almanac.families.knowledge.core.slot_index import marks_of
from almanac.kernel.caller import Scope
from almanac.platform.store.keys import past, sort_key, sort_prefix
from almanac.platform.store.port import Change, ConditionFailed, Span, Store
from almanac.platform.store.records import replace

_FACTS_AT_ONCE = 30
"""Facts per step. Each has up to three marks, and a write has up to a hundred changes."""
_MARKS_AT_ONCE = 90


def build_index(store: Store, scope: Scope, slot: FactSlot) -> FactSlot | None:
    """Index all facts of a slot and return it; None if the slot was deleted meanwhile.

    Each step replaces the slot record, so other writers and indexers take turns with it.
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
            deletions = [rows.delete(one.subject_key, one.predicate_key, one.mark, one.at, one.id) for one in stale]
            return [*deletions], altered(slot, indexed=0)
        slot = altered(slot, indexed=0)
    facts = _next_facts(store, scope, slot)
    if not facts:
        return [], altered(slot, facts=slot.indexed, indexed_to=None)
    marks = [rows.put(one) for fact in facts for one in marks_of(fact)]
    indexed, last = slot.indexed + len(facts), facts[-1]
    reached = (last.valid_from, last.id) if indexed != slot.facts else None
    return [*marks], altered(slot, indexed=indexed, indexed_to=reached)


def _next_facts(store: Store, scope: Scope, slot: FactSlot) -> list[Fact]:
    key, last = (slot.subject_key, slot.predicate_key), slot.indexed_to
    prefix = sort_prefix(*key)
    # The smallest sort key after that of the last indexed fact.
    start = prefix if last is None else sort_key(*key, *last) + "!"
    span = Span(start, past(prefix))
    page = store.query(FACTS.partition(scope, FACTS.own, ()), span=span, limit=_FACTS_AT_ONCE)
    return [FACTS.read(item) for item in page.items]
