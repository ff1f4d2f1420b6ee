"""The registry of each tenant's partitions, because DynamoDB cannot list them.

    S#partitions            <level>#<name>   a collection of projects (P) or of tenants (T), the same for all of them
    S#partitions            whole            complete: true if every partition of the table is registered
    S#partitions#<tenant>   <digest>         partition: the text of a project, or of a partition with further names

A partition is registered before its first item is written, so the export and the deletion of a tenant find all items. A
write to a partition that is known to be registered costs nothing more. The process remembers collections for good, and
other partitions for half a minute, since a deleted tenant may be created again. Otherwise it reads the rows.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256

from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import MAX_KEYS, Change, Put, Store
from almanac.platform.store.queries import every_item
from almanac.platform.store.tenant_scan import registry_of
from almanac.platform.store.wrapper import StoreWrapper

REMEMBERED_MS = 30_000
"""At most the time that a deletion waits after it deleted the tenant's keys."""
MOST_REMEMBERED = 20_000
_NAME_LENGTH = 64

NAMES = Partition.system("partitions")
WHOLE = Key(NAMES, sort_key("whole"))
_TENANTS = Partition.system("tenants")


@lru_cache(maxsize=4096)
def rows_for(partition: Partition) -> tuple[Put, ...]:
    """Return the rows that register `partition`. A partition outside of any tenant has none."""
    level, tenant, *names = partition.text.split("#")
    own: tuple[Put, ...] = ()
    if level == "P":
        project, *names = names
        own = (_row(tenant, f"P#{tenant}#{project}"),)
    elif level != "T":
        return ()
    if len(names) == 1 and len(names[0]) <= _NAME_LENGTH and names[0].isascii():
        return (*own, Put(Key(NAMES, sort_key(level, names[0])), {"level": level, "name": names[0]}))
    return own if level == "P" and not names else (*own, _row(tenant, partition.text))


def _row(tenant: str, text: str) -> Put:
    return Put(Key(registry_of(tenant), sort_key(sha256(text.encode()).hexdigest()[:32])), {"partition": text})


def partitions_in(tenant: str, collections: Iterable[tuple[str, str]], texts: Iterable[str]) -> Iterator[Partition]:
    """Yield the partitions of `tenant` in the order of their texts.

    `collections` are level and name of the rows in NAMES, and `texts` the texts in the tenant's own registry.
    """
    own = {*texts}
    projects = [text for text in own if text.startswith("P#") and text.count("#") == 2]
    for level, name in collections:
        above = [f"T#{tenant}"] if level == "T" else projects
        own |= {f"{text}#{name}" for text in above}
    return map(Partition.as_stored, sorted(own))


def registered_partitions(store: Store, tenant: str) -> Iterator[Partition]:
    """Yield the registered partitions of `tenant`, in the order of their texts."""
    collections = [row.attributes for row in every_item(store, NAMES) if row.key != WHOLE]
    texts = [str(row.attributes["partition"]) for row in every_item(store, registry_of(tenant))]
    return partitions_in(tenant, ((str(each["level"]), str(each["name"])) for each in collections), texts)


class RegisteringStore(StoreWrapper):
    """A store that registers each tenant's partition before the first write to it."""

    def __init__(self, store: Store, clock: Clock) -> None:
        super().__init__(store)
        self._clock = clock
        self._until: dict[Key, int | None] = {}

    def write(self, changes: Sequence[Change]) -> None:
        # Only puts count, because an update changes an existing item, whose partition is registered.
        partitions = {change.key.partition for change in changes if isinstance(change, Put)}
        if _TENANTS in partitions:
            self._begin()
        self._register(partitions)
        super().write(changes)

    def _register(self, partitions: Iterable[Partition]) -> None:
        now = now_ms(self._clock)
        rows = {row.key: row for partition in partitions for row in rows_for(partition) if self._is_new(row.key, now)}
        keys = list(rows)
        for start in range(0, len(keys), MAX_KEYS):
            some = keys[start : start + MAX_KEYS]
            for key, found in zip(some, self._store.get_many(some), strict=True):
                # A row that expires was made for items that expire. The new items may stay longer.
                if found is None or found.expires_at is not None:
                    self._store.write([rows[key]])
        if len(self._until) > MOST_REMEMBERED:
            self._until.clear()
        self._until |= {key: None if key.partition == NAMES else now + REMEMBERED_MS for key in keys}

    def _is_new(self, key: Key, now: int) -> bool:
        until = self._until.get(key, 0)
        return until is not None and until <= now

    def _begin(self) -> None:
        """Mark the registry as complete if this is the table's first tenant."""
        if self._store.get(WHOLE) is None and not self._store.query(_TENANTS, limit=1).items:
            self._store.write([Put(WHOLE, {"complete": True})])
