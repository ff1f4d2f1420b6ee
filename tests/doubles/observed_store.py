"""A store whose requests a test observes, to count them or to act between two of them."""

from collections.abc import Callable, Sequence
from typing import Unpack

from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, Index, Item, Page, Paging, Store
from almanac.platform.store.wrapper import StoreWrapper

Request = tuple[str, Sequence[Partition], Index | None]
"""An operation of the store's port, the partitions it reads or writes, and the index it queries."""


class ObservedStore(StoreWrapper):
    """Calls `before` with each request, then passes the request on to `store`."""

    def __init__(self, store: Store, before: Callable[[Request], object]) -> None:
        super().__init__(store)
        self._before = before

    def get(self, key: Key) -> Item | None:
        self._before(("get", [key.partition], None))
        return super().get(key)

    def get_many(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        self._before(("get_many", [key.partition for key in keys], None))
        return super().get_many(keys)

    def snapshot(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        self._before(("snapshot", [key.partition for key in keys], None))
        return super().snapshot(keys)

    def query(self, partition: Partition, **narrowing: Unpack[Paging]) -> Page:
        self._before(("query", [partition], narrowing.get("index")))
        return super().query(partition, **narrowing)

    def write(self, changes: Sequence[Change]) -> None:
        self._before(("write", [change.key.partition for change in changes], None))
        super().write(changes)
