"""Atomic writes of a record together with its postings.

An extra posting is harmless, because search reads the record. A missing posting would hide the record. If everything
fits, it goes into one atomic write. Otherwise new postings are written first, in batches that require the record at
`head` to have the expected version. Old postings are deleted afterwards, except those that a later revision has
written, or is about to write.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from almanac.families.planner.search.postings import Index, Postings, posting_key
from almanac.kernel.caller import Scope
from almanac.platform.store.conditions import Absent, Equals, Less
from almanac.platform.store.keys import Key
from almanac.platform.store.port import MAX_CHANGES, Change, Check, ConditionFailed, Delete, Put, Store


class IndexedChange(Struct, frozen=True):
    """Postings before and after a change; None before a creation and after a deletion. `version` is that of the record
    at `head` when it was read, 0 for a new one."""

    index: Index
    head: Key
    version: int
    before: Postings | None = None
    after: Postings | None = None


def write_indexed(store: Store, scope: Scope, changes: Sequence[Change], reindexing: IndexedChange) -> None:
    """Write `changes`, including the record at `head` with a condition on its version, and update its postings. Raises
    ConditionFailed with the position of the failed change in `changes`."""
    before, after = _keys(scope, reindexing, reindexing.before), _keys(scope, reindexing, reindexing.after)
    revision = reindexing.version + 1
    added: list[Change] = [Put(key, {"revision": revision}) for key in after if key not in before]
    dropped = [key for key in before if key not in after]
    if len(changes) + len(added) > MAX_CHANGES:
        _write_ahead(store, added, reindexing)
        added = []
    room = MAX_CHANGES - len(changes) - len(added)
    store.write([*changes, *added, *map(Delete, dropped[:room])])
    _remove_behind(store, dropped[room:], reindexing)


def _write_ahead(store: Store, added: Sequence[Change], reindexing: IndexedChange) -> None:
    unchanged = [Check(reindexing.head, Equals("version", reindexing.version))] if reindexing.version else []
    for batch in _batches(added, MAX_CHANGES - 1):
        store.write([*unchanged, *batch])


def _remove_behind(store: Store, dropped: Sequence[Key], reindexing: IndexedChange) -> None:
    revision = reindexing.version + 1
    removals: list[Change] = [Delete(key, Absent() | Less("revision", revision + 1)) for key in dropped]
    try:
        for batch in _batches(removals, MAX_CHANGES):
            store.write(batch)
    except ConditionFailed:
        return  # it is being edited again: leftover postings hide nothing


def _keys(scope: Scope, reindexing: IndexedChange, postings: Postings | None) -> dict[Key, None]:
    if postings is None:
        return {}
    # Keep a fixed order, so that equal writes are equal everywhere.
    terms = sorted(postings.terms, key=lambda term: (term.kind, term.value))
    return {posting_key(scope, reindexing.index, term, postings.position): None for term in terms}


def _batches(changes: Sequence[Change], size: int) -> Iterator[Sequence[Change]]:
    return (changes[start : start + size] for start in range(0, len(changes), size))
