"""Records, which declare the stored data and its keys in one place.

    class Claim(Record, frozen=True, kw_only=True):
        "A lease on a key: exactly one holder at a time."

        key: str
        holder: str
        acquired_at: int
        expires_at: int

    CLAIMS = Table(
        Claim,
        "claims",
        sort=("key",),
        indexes={"gsi1": Place("claims_by_holder", partition=("holder",), sort=("acquired_at",))},
        expires="expires_at",
    )

    claims = CLAIMS.within(store, caller.scope)
    claims.get("file:src/auth.py")                                    -> Claim | None
    claims.query("ann", index="gsi1", since=monday, until=sunday)     -> Records[Claim]
    store.write([claims.insert(claim), *outbox([claimed])])           reads are methods, writes are changes

Keys consist of the scope and of fields that are text or whole numbers. A record with None in a field of an index is not
in that index. Every field is stored, so that conditions can name it. Reading a record ignores unknown attributes and
fills in defaults for missing ones.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, Literal, TypeVar

import msgspec
from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.platform.store.conditions import Absent, Condition, Equals
from almanac.platform.store.keys import Key, Partition, past, sort_key, sort_prefix
from almanac.platform.store.port import MAX_KEYS, Delete, EarlyPut, Index, Item, Put, Span, Store, Wake
from almanac.platform.store.queries import every_item
from almanac.platform.store.values import Value

Component = str | int
Level = Literal["project", "tenant"]


class Record(Struct, frozen=True, kw_only=True):
    """Content of one item. Fields are snake_case; instants are whole milliseconds since 1970."""

    def check_inside(self) -> None:
        """Raise ValueError or InvalidInput if a field with encoded content cannot be decoded.

        Only called for records from a file, because the content of other records is encoded by this process.
        """


class VersionedRecord(Record, frozen=True, kw_only=True):
    """A record that only a writer that has read its last version may replace. See `replace`."""

    version: int = 1


R = TypeVar("R", bound=Record)
T = TypeVar("T")
V = TypeVar("V", bound=VersionedRecord)


class Place(Struct, frozen=True):
    """Place of a record in an index: `name` and the fields of `partition` make its partition there."""

    name: str
    sort: tuple[str, ...]
    partition: tuple[str, ...] = ()


class Records(Struct, Generic[R], frozen=True):
    """A page of records. `cursor` is None on the last one."""

    records: tuple[R, ...]
    cursor: str | None


class Table(Generic[R]):
    """The records of one kind, and their keys.

    With an empty `sort`, each partition has one record. `expires` names the field with the expiry, if any. With the
    `level` "tenant", the tenant's projects share the table.

    `wakes` says when scheduled jobs have work because of a record. It maps the name of a job to the field with the
    instant, or to a function that returns it. None means never. `platform/due` does the rest.
    """

    def __init__(
        self,
        record: type[R],
        name: str,
        *,
        sort: tuple[str, ...] = (),
        partition: tuple[str, ...] = (),
        indexes: Mapping[Index, Place] | None = None,
        expires: str | None = None,
        level: Level = "project",
        wakes: Mapping[str, str | Callable[[R], int | None]] | None = None,
    ) -> None:
        self.record = record
        self.own = Place(name, sort, partition)
        self.indexes = indexes or {}
        self.expires = expires
        self.level: Level = level
        self.wakes = wakes or {}
        places = (self.own, *self.indexes.values())
        used = [field for place in places for field in place.partition + place.sort] + ([expires] if expires else [])
        used += [when for when in self.wakes.values() if isinstance(when, str)]
        if unknown := set(used).difference(record.__struct_fields__):
            raise TypeError(f"{record.__name__} has no {', '.join(sorted(unknown))}")

    def within(self, store: Store, scope: Scope) -> "Rows[R]":
        return Rows(self, store, scope)

    def partition(self, scope: Scope, place: Place, components: tuple[Component, ...]) -> Partition:
        names = (place.name, *map(str, components))
        return Partition.in_tenant(scope, *names) if self.level == "tenant" else Partition.in_project(scope, *names)

    def place_of(self, scope: Scope, place: Place, record: R) -> Key | None:
        """Return the key of `record` at `place`. None if one of its key fields is None."""
        values: list[Component] = []
        for field in place.partition + place.sort:
            value = getattr(record, field)
            if value is None:
                return None
            values.append(value)
        return self.key(scope, place, tuple(values))

    def key(self, scope: Scope, place: Place, components: tuple[Component, ...]) -> Key:
        """Return the key with these components, one for each field of `place`: partition first, then sort key."""
        split, count = len(place.partition), len(place.partition) + len(place.sort)
        if len(components) != count:
            raise TypeError(f"{place.name} has keys of {count} components, not {len(components)}")
        sort = sort_key(*components[split:]) if place.sort else sort_key(place.name)
        return Key(self.partition(scope, place, components[:split]), sort)

    def wakes_of(self, scope: Scope, record: R) -> tuple[Wake, ...]:
        """Return the instants at which jobs must run because of `record`."""
        instants = {
            job: getattr(record, when) if isinstance(when, str) else when(record) for job, when in self.wakes.items()
        }
        return tuple(Wake(scope, job, at) for job, at in instants.items() if at is not None)

    def read(self, item: Item) -> R:
        """Return the record of an item. Raises msgspec.ValidationError for an item of another kind."""
        return msgspec.convert(dict(item.attributes), self.record, builtin_types=(bytes,), str_keys=True)


def readable(item: Item, read: Callable[[Item], T]) -> T | None:
    """Read an item with `read`. Return None for a damaged or crafted one, so that a listing can report it and go on."""
    try:
        return read(item)
    except (ValueError, RecursionError):  # msgspec's and JSON's errors are ValueErrors
        return None


class Rows(Generic[R]):
    """A table's records in one scope."""

    def __init__(self, table: Table[R], store: Store, scope: Scope) -> None:
        self._table = table
        self._store = store
        self._scope = scope

    def key(self, *components: Component) -> Key:
        """Return the key of the record with these values in its key fields, partition first."""
        return self._table.key(self._scope, self._table.own, components)

    def get(self, *components: Component) -> R | None:
        item = self._store.get(self.key(*components))
        return self._table.read(item) if item else None

    def get_many(self, keys: Sequence[tuple[Component, ...]]) -> list[R | None]:
        """Return the records with these keys, in that order. None for missing ones."""
        different = list(dict.fromkeys(keys))
        records: dict[tuple[Component, ...], R] = {}
        for start in range(0, len(different), MAX_KEYS):
            some = different[start : start + MAX_KEYS]
            items = self._store.get_many([self.key(*one) for one in some])
            records |= {one: self._table.read(item) for one, item in zip(some, items, strict=True) if item}
        return [records.get(one) for one in keys]

    def by_id(self, ids: Iterable[str]) -> dict[str, R]:
        """Return the existing records by id, for a table whose key is an id."""
        different = list(dict.fromkeys(ids))
        records = self.get_many([(one,) for one in different])
        return {one: record for one, record in zip(different, records, strict=True) if record is not None}

    def query(
        self,
        *components: Component,
        since: Component | None = None,
        until: Component | None = None,
        index: Index | None = None,
        reverse: bool = False,
        limit: int = 100,
        cursor: str | None = None,
    ) -> Records[R]:
        """Return a page of records in the order of their keys.

        `components` are all key values of the partition and, if any, the first ones of the sort key. `since`, included,
        and `until`, excluded, limit the next component.
        """
        partition, span = self._span_of(components, since, until, index)
        page = self._store.query(partition, span=span, index=index, reverse=reverse, limit=limit, cursor=cursor)
        return Records(tuple(map(self._table.read, page.items)), page.cursor)

    def every(
        self,
        *components: Component,
        since: Component | None = None,
        until: Component | None = None,
        index: Index | None = None,
        reverse: bool = False,
        page: int = 100,
    ) -> Iterator[R]:
        """Yield all records of a `query`, reading `page` records at a time as they are needed."""
        partition, span = self._span_of(components, since, until, index)
        items = every_item(self._store, partition, span=span, index=index, reverse=reverse, page=page)
        return map(self._table.read, items)

    def put(self, record: R, condition: Condition | None = None) -> Put:
        """Return the change that creates or replaces `record`."""
        table = self._table
        attributes: dict[str, Value] = msgspec.to_builtins(record, builtin_types=(bytes,), str_keys=True)
        key = table.place_of(self._scope, table.own, record)
        if key is None:
            raise TypeError(f"a field of the key of {table.own.name} is None")
        indexes: dict[Index, Key] = {}
        for index, place in table.indexes.items():
            if (placed := table.place_of(self._scope, place, record)) is not None:
                indexes[index] = placed
        expires_at = getattr(record, table.expires) if table.expires else None
        wakes = table.wakes_of(self._scope, record) if table.wakes else ()
        return Put(key, attributes, condition, expires_at, indexes, wakes)

    def insert(self, record: R) -> Put:
        """Return the change that creates `record`. It fails if there is one."""
        return self.put(record, Absent())

    def insert_early(self, record: R) -> EarlyPut:
        """Return the change that creates a record under a key that no other process knows yet. See EarlyPut."""
        put = self.insert(record)
        return EarlyPut(put.key, put.attributes, put.condition, put.expires_at, put.indexes, put.wakes)

    def delete(self, *components: Component, condition: Condition | None = None) -> Delete:
        return Delete(self.key(*components), condition)

    def _span_of(
        self, components: tuple[Component, ...], since: Component | None, until: Component | None, index: Index | None
    ) -> tuple[Partition, Span]:
        place = self._table.indexes[index] if index else self._table.own
        split = len(place.partition)
        partition = self._table.partition(self._scope, place, components[:split])
        return partition, _span(place, components[split:], since, until)


def replace(rows: Rows[V], record: V) -> Put:
    """Return the change that replaces a record, unless another writer changed it since it was read.

    `record` has the new values and the version that was read. The change stores the next version.
    """
    return rows.put(msgspec.structs.replace(record, version=record.version + 1), Equals("version", record.version))


def _span(place: Place, leading: tuple[Component, ...], since: Component | None, until: Component | None) -> Span:
    if leading and len(leading) == len(place.sort):
        exact = sort_key(*leading)
        return Span(exact, exact + "!")  # sorts below any other possible continuation
    prefix = sort_prefix(*leading)
    start = sort_key(*leading, since) if since is not None else prefix or None
    end = sort_key(*leading, until) if until is not None else past(prefix) if prefix else None
    return Span(start, end)
