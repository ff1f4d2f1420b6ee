"""A store that counts what DynamoDB would charge, on demand, for the requests that its adapter would send.

What it cannot see: items that have expired and were not swept yet, which a query on DynamoDB reads too, and retries
after a conflict. Sweeping expired items and Lambda's reading of the stream are free.
"""

from collections.abc import Iterator, Sequence
from typing import Unpack

import msgspec

from almanac.platform.store.dynamodb.items import INDEX_KEYS, Image
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import (
    INDEXES,
    Change,
    Check,
    ConditionFailed,
    Delete,
    EarlyPut,
    Index,
    Item,
    OutboxPut,
    Page,
    Paging,
    Put,
    Store,
    Update,
)
from almanac.platform.store.queries import parse_query
from almanac.platform.store.sqlite.store import apply_update
from almanac.platform.store.values import check_attributes
from almanac.platform.store.wrapper import StoreWrapper
from tests.bench.request_units import image_of, index_units, item_bytes, read_units, write_units


class Charge(msgspec.Struct, frozen=True):
    """What a request takes of one place: an item, or a partition where `sort` is empty; of an index where one is named.

    `request` numbers the requests from 1; `kind` is get, get_many, snapshot, query, write or transaction.
    """

    request: int
    kind: str
    index: Index | None
    partition: str
    sort: str
    read: float
    written: int


class MeteredStore(StoreWrapper):
    """`store`, its requests written down in `charges` and the events that they put in `events`, since `reset`.

    `unmetered` is the same store, for looking at what stands before a write; `store` itself where none is given.
    """

    def __init__(self, store: Store, unmetered: Store | None = None) -> None:
        super().__init__(store)
        self.unmetered = unmetered or store
        self.reset()

    def reset(self) -> None:
        self.charges: list[Charge] = []
        self.events: list[OutboxPut] = []
        self.requests = 0

    @property
    def read(self) -> float:
        return sum(charge.read for charge in self.charges)

    @property
    def written(self) -> int:
        return sum(charge.written for charge in self.charges)

    def get(self, key: Key) -> Item | None:
        item = self._store.get(key)
        self.requests += 1
        self._charge("get", key.partition.text, key.sort, read=read_units(_bytes(item)))
        return item

    def get_many(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        items = self._store.get_many(keys)
        self.requests += 1
        for key, item in zip(keys, items, strict=True):
            self._charge("get_many", key.partition.text, key.sort, read=read_units(_bytes(item)))
        return items

    def snapshot(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        items = self._store.snapshot(keys)
        self.requests += 1
        for key, item in zip(keys, items, strict=True):
            self._charge("snapshot", key.partition.text, key.sort, read=2 * read_units(_bytes(item)))
        return items

    def query(self, partition: Partition, **narrowing: Unpack[Paging]) -> Page:
        page = super().query(partition, **narrowing)
        if parse_query(partition, **narrowing).is_empty():
            return page
        index = narrowing.get("index")
        # The adapter reads one item more, to know whether there is another page.
        following = narrowing | {"limit": 1, "cursor": page.cursor}
        more = self.unmetered.query(partition, **following).items if page.cursor else ()
        size = sum(map(_bytes, (*page.items, *more)))
        self.requests += 1
        self._charge("query", partition.text, "", read=read_units(size) * (0.5 if index else 1), index=index)
        return page

    def write(self, changes: Sequence[Change]) -> None:
        before = [self.unmetered.get(change.key) for change in changes]
        late = [change for change in changes if not isinstance(change, EarlyPut)] or changes
        transacted = len(late) > 1 or isinstance(late[0], Check)
        kind, times = ("transaction", 2) if transacted else ("write", 1)
        pairs = list(zip(changes, before, strict=True))
        early = [pair for pair in pairs if pair[0] not in late]
        try:
            self._store.write(changes)
        except ConditionFailed:
            for change, stood in early:
                # Put, and taken back.
                self.requests += 2
                self._charge("write", *_place(change.key), written=2 * write_units(_bytes(stood), 0))
            # A refused write is paid for by what stands; of a refused transaction the whole is counted.
            self.requests += 1
            for change, stood in (pair for pair in pairs if pair not in early):
                self._charge(kind, *_place(change.key), written=times * write_units(_bytes(stood), 0))
            raise
        for change, stood in early:
            self.requests += 1
            self._charge_write("write", 1, change, stood)
        self.requests += 1
        for change, stood in (pair for pair in pairs if pair not in early):
            self._charge_write(kind, times, change, stood)
        self.events += [change for change in changes if isinstance(change, OutboxPut)]

    def _charge_write(self, kind: str, times: int, change: Change, stood: Item | None) -> None:
        old, new = image_of(stood) if stood else None, _after(change, stood)
        units = times * write_units(item_bytes(old), item_bytes(new))
        self._charge(kind, *_place(change.key), written=units)
        for index, image, in_index in _changed_indexes(old, new):
            partition, sort = (image[name]["S"] for name in INDEX_KEYS[index])
            self._charge(kind, partition, sort, written=in_index, index=index)

    def _charge(
        self, kind: str, partition: str, sort: str, *, read: float = 0, written: int = 0, index: Index | None = None
    ) -> None:
        self.charges.append(Charge(self.requests, kind, index, partition, sort, read, written))


def _after(change: Change, stood: Item | None) -> Image | None:
    match change:
        case Put():
            return image_of(change)
        case Update():
            return image_of(apply_update(stood, change, check_attributes(change.set)[0])) if stood else None
        case Delete():
            return None
        case Check():
            return image_of(stood) if stood else None


def _changed_indexes(old: Image | None, new: Image | None) -> Iterator[tuple[Index, Image, int]]:
    for index in INDEXES:
        for image, units in index_units(index, old, new):
            yield index, image, units


def _place(key: Key) -> tuple[str, str]:
    return key.partition.text, key.sort


def _bytes(item: Item | None) -> int:
    return item_bytes(image_of(item)) if item is not None else 0
