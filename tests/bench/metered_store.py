"""A store that counts what DynamoDB would charge: request units, on demand, all reads consistent."""

from collections.abc import Mapping, Sequence

from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, Index, Item, Page, Put, Span, Store, Update
from almanac.platform.store.values import Value, checked

_READ, _WRITE = 4096, 1024


class MeteredStore:
    """The store behind; `read` and `written` are units since `reset`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.reset()

    def reset(self) -> None:
        self.read = self.written = 0

    def get(self, key: Key) -> Item | None:
        item = self._store.get(key)
        self.read += _units(_item_bytes(item), _READ)
        return item

    def snapshot(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        items = self._store.snapshot(keys)
        self.read += sum(2 * _units(_item_bytes(item), _READ) for item in items)
        return items

    def query(
        self,
        partition: Partition,
        *,
        prefix: str = "",
        span: Span | None = None,
        index: Index | None = None,
        reverse: bool = False,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page:
        page = self._store.query(
            partition, prefix=prefix, span=span, index=index, reverse=reverse, limit=limit, cursor=cursor
        )
        self.read += _units(sum(map(_item_bytes, page.items)), _READ)
        return page

    def write(self, changes: Sequence[Change]) -> None:
        times = 2 if len(changes) > 1 else 1
        self.written += sum(times * _units(self._change_bytes(change), _WRITE) for change in changes)
        self._store.write(changes)

    def _change_bytes(self, change: Change) -> int:
        stands = _item_bytes(self._store.get(change.key))
        if isinstance(change, Put):
            indexed = 1 + len(change.indexes)
            return max(stands, _bytes(change.key, change.attributes) * indexed)
        return max(stands, _bytes(change.key, change.set) if isinstance(change, Update) else 0)


def _item_bytes(item: Item | None) -> int:
    return _bytes(item.key, item.attributes) if item is not None else 0


def _bytes(key: Key, attributes: Mapping[str, Value]) -> int:
    return len(key.partition.text) + len(key.sort) + checked(attributes)[1]


def _units(size: int, unit: int) -> int:
    return max(1, -(-size // unit))
