"""A store that accepts every write and keeps none, for tests in which earlier counts must not matter."""

from collections.abc import Sequence
from typing import Unpack

from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, Item, Page, Paging


class ForgetfulStore:
    def get(self, key: Key) -> Item | None:
        return None

    def get_many(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        return (None,) * len(keys)

    def snapshot(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        return (None,) * len(keys)

    def query(self, partition: Partition, **narrowing: Unpack[Paging]) -> Page:
        return Page(())

    def write(self, changes: Sequence[Change]) -> None:
        return None
