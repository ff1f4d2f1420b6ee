"""Many records at once."""

from collections.abc import Sequence
from typing import TypeVar

from almanac.kernel.caller import Scope
from almanac.platform.store.port import MAX_KEYS, Store
from almanac.platform.store.records import Record, Table

R = TypeVar("R", bound=Record)


def read_many(store: Store, table: Table[R], scope: Scope, ids: Sequence[str]) -> list[R | None]:
    """The records of these ids, in the order asked for; None where none stands."""
    different = list(dict.fromkeys(ids))
    found: dict[str, R] = {}
    for start in range(0, len(different), MAX_KEYS):
        some = different[start : start + MAX_KEYS]
        items = store.snapshot([table.key(scope, table.own, (one,)) for one in some])
        found.update((one, table.read(item)) for one, item in zip(some, items, strict=True) if item is not None)
    return [found.get(one) for one in ids]
