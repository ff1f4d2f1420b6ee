"""A store for large attributes. Values of over 300 kB are stored as blobs, and the item holds their ids.

If all attributes together are too large for an item, its largest ones become blobs too. A blob is written before the
item that names it, under a new id, so an item that can be read has its blobs. Items that are overwritten, deleted or
refused leave blobs behind, which `sweep` removes.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Unpack

import msgspec
from msgspec.structs import replace

from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.platform.blobs.port import BlobName, Blobs
from almanac.platform.store.bounds import check_key
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import MAX_KEYS, Change, ConditionFailed, Item, Page, Paging, Put, Store, Update
from almanac.platform.store.values import Value, check_value
from almanac.platform.store.wrapper import StoreWrapper

LARGE_BYTES = 300_000
TOGETHER_BYTES = 380_000
"""Limit for all attributes that stay in an item, in bytes. DynamoDB allows 409,600 including the keys."""
LARGEST_BYTES = 16 * 1024 * 1024
GRACE_MS = 24 * 3600 * 1000
"""Age at which a blob without an item may be removed. No write takes as long between its blob and its item."""

MARK = "$blob"
"""Key in an attribute's value that marks it as the id of a blob."""
SWEPT = Key(Partition.system("rounds"), sort_key("large_values"))
"""Key of the item that holds the progress of a sweep."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


class LargeValues(StoreWrapper):
    """The store port over `store`, with large attributes in `blobs`. Conditions only see small attributes."""

    def __init__(self, store: Store, blobs: Blobs, random_bytes: RandomBytes) -> None:
        super().__init__(store)
        self._blobs = blobs
        self._random_bytes = random_bytes

    def get(self, key: Key) -> Item | None:
        return self._whole(super().get(key))

    def get_many(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        return tuple(map(self._whole, super().get_many(keys)))

    def snapshot(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        return tuple(map(self._whole, super().snapshot(keys)))

    def query(self, partition: Partition, **narrowing: Unpack[Paging]) -> Page:
        """Query as in the port. Large values may make a page larger than 1 MB."""
        page = super().query(partition, **narrowing)
        return Page(tuple(self._fill_in_blobs(item) for item in page.items), page.cursor)

    def write(self, changes: Sequence[Change]) -> None:
        try:
            super().write([self._small(change) for change in changes])
        except ConditionFailed as failed:
            raise ConditionFailed(failed.change, self._whole(failed.item)) from failed

    def sweep(self, now: int, may_go_on: Callable[[], bool] = lambda: True) -> int:
        """Remove blobs that no item names and that are over a day older than `now` (ms). Return the number of them.

        Calls `may_go_on` after each hundred blobs. If it returns False, the next sweep continues there.
        """
        mark = self._store.get(SWEPT)
        blobs, removed = self._blobs.list_blobs(str(mark.attributes["after"]) if mark else ""), 0
        while some := list(islice(blobs, MAX_KEYS)):
            removed += self._sweep([stored.name for stored in some if stored.written_at < now - GRACE_MS])
            if len(some) == MAX_KEYS and not may_go_on():
                self._store.write([Put(SWEPT, {"after": some[-1].name.path()})])
                return removed
        if mark is not None:
            self._store.write([Put(SWEPT, {"after": ""})])
        return removed

    def _sweep(self, old: Sequence[BlobName]) -> int:
        keys = list(dict.fromkeys(name.key for name in old))
        items = dict(zip(keys, self._store.get_many(keys), strict=True)) if keys else {}
        removed = 0
        for name in old:
            item = items[name.key]
            if item is None or name.id not in map(_blob_id, item.attributes.values()):
                self._blobs.delete(name)
                removed += 1
        return removed

    def _small(self, change: Change) -> Change:
        if isinstance(change, Put):
            attributes = self._move_to_blobs(change.key, change.attributes)
            return change if attributes is None else replace(change, attributes=attributes)
        if isinstance(change, Update):
            attributes = self._move_to_blobs(change.key, change.set)
            return change if attributes is None else replace(change, set=attributes)
        return change

    def _move_to_blobs(self, key: Key, attributes: Mapping[str, Value]) -> dict[str, Value] | None:
        """Store large attributes as blobs and return the attributes with their marks. None if none is large."""
        if not _may_be_large(attributes):
            return None
        read = {name: check_value(name, value) for name, value in attributes.items()}
        stowed = {name for name, (value, size) in read.items() if size > LARGE_BYTES or _blob_id(value) is not None}
        # Several smaller attributes together may be too large for one item.
        left = sum(size for name, (_, size) in read.items() if name not in stowed)
        for name in sorted(read.keys() - stowed, key=lambda name: -read[name][1]):
            if left <= TOGETHER_BYTES:
                break
            stowed.add(name)
            left -= read[name][1]
        if not stowed:
            return None
        return {
            name: self._store_blob(key, name, read[name][0]) if name in stowed else value
            for name, value in attributes.items()
        }

    def _store_blob(self, key: Key, name: str, value: Value) -> Value:
        check_key(key)
        data, blob_id = _encode(value), self._random_bytes(16).hex()
        if len(data) > LARGEST_BYTES:
            raise InvalidInput(f"{name} has {len(data)} bytes, over {LARGEST_BYTES}.", "Store it in parts.", path=name)
        self._blobs.put(BlobName(key, blob_id), data)
        return {MARK: blob_id, "bytes": len(data)}

    def _whole(self, item: Item | None) -> Item | None:
        return None if item is None else self._fill_in_blobs(item)

    def _fill_in_blobs(self, item: Item) -> Item:
        ids = {name: blob_id for name, value in item.attributes.items() if (blob_id := _blob_id(value)) is not None}
        if not ids:
            return item
        fetched = {name: self._read_blob(BlobName(item.key, blob_id)) for name, blob_id in ids.items()}
        return replace(item, attributes={**item.attributes, **fetched})

    def _read_blob(self, name: BlobName) -> Value:
        data = self._blobs.get(name)
        if data is None:
            raise Unavailable("A large value is missing.", "Check that store and blobs belong together.")
        return _decode(data)


def blob_size(value: Value) -> int:
    """Return the size of an attribute's blob. 0 if it has none."""
    size = value.get("bytes") if isinstance(value, dict) and MARK in value else None
    return size if isinstance(size, int) else 0


def _may_be_large(attributes: Mapping[str, Value]) -> bool:
    """Return whether an attribute may be large, judging texts by their length only, without encoding them."""
    together = 0
    for value in attributes.values():
        if isinstance(value, str | bytes):
            together += len(value) * 4
        elif isinstance(value, list | dict):
            return True
    return together > LARGE_BYTES


def _blob_id(value: Value) -> str | None:
    # A document that looks like the mark of a blob is itself stored as a blob, so that it reads back unchanged.
    return str(value[MARK]) if isinstance(value, dict) and MARK in value else None
