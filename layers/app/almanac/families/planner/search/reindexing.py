"""Writing something together with its places in lists.

A place too many is harmless, since search reads what stands there; a place missing would hide it. So everything goes
into one atomic write where it fits. Where it does not, new places are written before, each batch only while the record
at `head` still has the version that they were computed from, and old ones are removed after, but for those that a later
revision has written, or is about to.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from almanac.families.planner.search.postings import Postings, Shelf, list_key
from almanac.kernel.caller import Scope
from almanac.platform.store.conditions import Absent, Equals, Less
from almanac.platform.store.keys import Key
from almanac.platform.store.port import MAX_CHANGES, Change, Check, ConditionFailed, Delete, Put, Store


class Reindexing(Struct, frozen=True):
    """From `before` to `after`, either None for what is new or goes. `version` is that of the record at `head` as it
    was read, 0 for what is new."""

    shelf: Shelf
    head: Key
    version: int
    before: Postings | None = None
    after: Postings | None = None


def write_indexed(store: Store, scope: Scope, changes: Sequence[Change], refiling: Reindexing) -> None:
    """Makes the changes, which alter the record at `head` under a condition on its version, and files it anew.

    Raises ConditionFailed where one of `changes` does, its position being that among `changes`.
    """
    before, after = _keys(scope, refiling, refiling.before), _keys(scope, refiling, refiling.after)
    revision = refiling.version + 1
    added: list[Change] = [Put(key, {"revision": revision}) for key in after if key not in before]
    dropped = [key for key in before if key not in after]
    if len(changes) + len(added) > MAX_CHANGES:
        _write_ahead(store, added, refiling)
        added = []
    room = MAX_CHANGES - len(changes) - len(added)
    store.write([*changes, *added, *map(Delete, dropped[:room])])
    _remove_behind(store, dropped[room:], refiling)


def _write_ahead(store: Store, added: Sequence[Change], refiling: Reindexing) -> None:
    unchanged = [Check(refiling.head, Equals("version", refiling.version))] if refiling.version else []
    for batch in _batches(added, MAX_CHANGES - 1):
        store.write([*unchanged, *batch])


def _remove_behind(store: Store, dropped: Sequence[Key], refiling: Reindexing) -> None:
    revision = refiling.version + 1
    removals: list[Change] = [Delete(key, Absent() | Less("revision", revision + 1)) for key in dropped]
    try:
        for batch in _batches(removals, MAX_CHANGES):
            store.write(batch)
    except ConditionFailed:
        return  # it is being edited again: what is left over hides nothing


def _keys(scope: Scope, refiling: Reindexing, filed: Postings | None) -> dict[Key, None]:
    if filed is None:
        return {}
    # In a fixed order, so that the same write is the same everywhere.
    headings = sorted(filed.headings, key=lambda heading: (heading.kind, heading.value))
    return {list_key(scope, refiling.shelf, heading, filed.position): None for heading in headings}


def _batches(changes: Sequence[Change], size: int) -> Iterator[Sequence[Change]]:
    return (changes[start : start + size] for start in range(0, len(changes), size))
