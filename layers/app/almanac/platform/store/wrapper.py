"""Base class of stores that wrap another store."""

from collections.abc import Sequence
from typing import Unpack

from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, Item, Page, Paging, Store


class StoreWrapper:
    """Passes every request on to `store`. Subclasses override single methods."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, key: Key) -> Item | None:
        return self._store.get(key)

    def get_many(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        return self._store.get_many(keys)

    def snapshot(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        return self._store.snapshot(keys)

    def query(self, partition: Partition, **narrowing: Unpack[Paging]) -> Page:
        return self._store.query(partition, **narrowing)

    def write(self, changes: Sequence[Change]) -> None:
        self._store.write(changes)
