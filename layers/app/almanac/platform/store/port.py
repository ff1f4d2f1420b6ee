"""The store port: a sorted map with conditional atomic writes. All of Almanac's state is in it.

    get(key)   get_many(keys)   snapshot(keys)   write(changes)
    query(partition, prefix | span, index, reverse, limit, cursor)
    change = Put | EarlyPut | OutboxPut | Update | Delete | Check, each with an optional condition

An item may expire. From `expires_at` on, by the clock of the store, it is absent for reads and conditions, even if it
was not deleted yet. Instants are milliseconds since 1970.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, TypedDict

from msgspec import UNSET, Struct, UnsetType

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Conflict
from almanac.platform.store.conditions import Condition
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.values import Value

MAX_CHANGES = 100
MAX_KEYS = 100
MAX_WRITE_BYTES = 4 * 1024 * 1024
MAX_LIMIT = 1000
PAGE_BYTES = 1024 * 1024

DISK_FULL = "disk_full"
"""Error code of Unavailable while reads work but writes do not."""

Index = Literal["gsi1", "gsi2"]
INDEXES: tuple[Index, Index] = ("gsi1", "gsi2")
Indexes = Mapping[Index, Key]
"""Keys of an item in the indexes. An index without an entry does not contain the item."""


class Item(Struct, frozen=True):
    key: Key
    attributes: Mapping[str, Value]
    expires_at: int | None = None
    indexes: Indexes = {}


class Page(Struct, frozen=True):
    """A page of items. `cursor` is None on the last page."""

    items: tuple[Item, ...]
    cursor: str | None = None


class Span(Struct, frozen=True):
    """A range of sort keys from `start`, included, to `end`, excluded. None leaves that side open."""

    start: str | None = None
    end: str | None = None


class Wake(Struct, frozen=True):
    """A scheduled job has work in a project from `at` on."""

    scope: Scope
    job: str
    at: int


class Put(Struct, frozen=True):
    """Create the item or replace it as a whole. `wakes` are for the due index (`platform/due`); stores ignore them."""

    key: Key
    attributes: Mapping[str, Value]
    condition: Condition | None = None
    expires_at: int | None = None
    indexes: Indexes = {}
    wakes: tuple[Wake, ...] = ()


class EarlyPut(Put, frozen=True):
    """A put of a new item whose key no other process knows before the whole write, e.g. because it is random.

    A store may write it first, on its own, for which DynamoDB charges half, and delete it again if the write fails. A
    crash in between leaves it behind. Its condition is Absent.
    """


class OutboxPut(Put, frozen=True):
    """A put that the change feed delivers at least once, in the order of the writes within a partition."""


class Update(Struct, frozen=True):
    """Change attributes of an existing item. The change fails if there is no item.

    `set` and `remove` name different attributes. `add` adds whole numbers to whole numbers; a missing one counts as 0.
    Expiry and indexes only change if they are set here.
    """

    key: Key
    set: Mapping[str, Value] = {}
    remove: tuple[str, ...] = ()
    add: Mapping[str, int] = {}
    condition: Condition | None = None
    expires_at: int | UnsetType | None = UNSET
    indexes: Indexes | UnsetType = UNSET


class Delete(Struct, frozen=True):
    """Remove the item. Without an item nothing happens, unless a condition fails."""

    key: Key
    condition: Condition | None = None


class Check(Struct, frozen=True):
    """Make the write fail unless the condition holds. Changes nothing itself."""

    key: Key
    condition: Condition


Change = Put | Update | Delete | Check


class ConditionFailed(Conflict):
    """Raised when a condition does not hold and nothing was written.

    `change` is the position of the first change whose condition fails; `item` is the item at its key, None if missing.
    """

    code = "condition_failed"

    def __init__(self, change: int, item: Item | None) -> None:
        super().__init__("Somebody else changed this first.", "Read it again and repeat the call.")
        self.change = change
        self.item = item


class ItemSelection(TypedDict, total=False):
    """Selection of the items of a partition that a query returns, and their direction."""

    prefix: str
    span: Span | None
    index: Index | None
    reverse: bool


class Paging(ItemSelection, total=False):
    """Keyword arguments of `Store.query`, for callers that pass them on."""

    limit: int
    cursor: str | None


class Store(Protocol):
    """Key-value store of items.

    Every method raises Unavailable if the backing service does not answer after retries.
    """

    def get(self, key: Key) -> Item | None:
        """Return the item at `key`, as of the last acknowledged write."""
        ...

    def get_many(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        """Return the items at 1 to 100 different keys, in that order.

        Writes may happen between the reads. On DynamoDB this costs half as much as `snapshot`.
        """
        ...

    def snapshot(self, keys: Sequence[Key]) -> tuple[Item | None, ...]:
        """Return the items at 1 to 100 different keys, in that order, as of one instant. Never sees half of a write."""
        ...

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
        """Return items of a partition in the order of their sort keys, at most `limit` (1 to 1000) and about 1 MB.

        `prefix` (see `sort_prefix`) or `span` selects a range. With `index`, the partition and the sort keys are those
        of that index, items with the same index key come in any order, and on DynamoDB a write may show a moment later.
        `cursor` comes from the previous page of the same query. Raises InvalidInput for any other cursor.
        """
        ...

    def write(self, changes: Sequence[Change]) -> None:
        """Make 1 to 100 changes, at most one per key and 4 MB together. Either all of them happen or none.

        Raises ConditionFailed, and InvalidInput for an item over 400 KB or anything else out of bounds.
        """
        ...


def visible(item: Item | None, now: int) -> Item | None:
    """Return the item, or None if it has expired by the caller's clock."""
    return None if item is None or (item.expires_at is not None and item.expires_at <= now) else item
