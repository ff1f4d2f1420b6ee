"""Many records read at once."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from almanac.kernel.caller import Scope
from almanac.platform.store.keys import Key
from almanac.platform.store.port import MAX_KEYS, Item, Store
from almanac.platform.store.records import Record, Table

R = TypeVar("R", bound=Record)


def read_all(store: Store, keys: Sequence[Key]) -> list[Item | None]:
    """What stands at each of the keys, a hundred at a time as of one instant."""
    found: list[Item | None] = []
    for start in range(0, len(keys), MAX_KEYS):
        found += store.snapshot(keys[start : start + MAX_KEYS])
    return found


def records_by_id(store: Store, scope: Scope, table: Table[R], ids: Iterable[str]) -> dict[str, R]:
    """Those of the records that stand, of a table whose key is an id."""
    rows = table.within(store, scope)
    wanted = [one for one in dict.fromkeys(ids) if one]
    found = read_all(store, [rows.key(one) for one in wanted])
    return {one: table.read(item) for one, item in zip(wanted, found, strict=True) if item is not None}
