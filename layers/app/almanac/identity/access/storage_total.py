"""Storage of a tenant on AWS, where many processes write and none of them sees all writes.

The table's change feed tells a Lambda function what was written (`StorageMeter`). The function adds that up per tenant.
The sum is higher than the real growth, because it does not subtract what a write replaces. Once the sum may have
reached the limit, a job counts the tenant exactly (`StorageCount`), one part at a time. The authorizer reads the last
count together with the key's project, so refusing a call costs no read or write of its own.
"""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property

import msgspec
from msgspec.structs import replace

from almanac.identity.records import tenant_key, to_attributes
from almanac.identity.storage_limit import (
    CountProgress,
    StoredTotal,
    size_of,
    stored_limit,
    total_in,
    total_key,
)
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.blobs.large_values import blob_size
from almanac.platform.due.records import DUE
from almanac.platform.due.rounds import DueIndex
from almanac.platform.services import Services
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import Key, Partition, stored_tenant_and_table, tenant_and_table
from almanac.platform.store.port import MAX_LIMIT, ConditionFailed, Item, Put, Store, Update
from almanac.platform.store.tenant_scan import Usage

JOB = "count_storage"
"""The stored name of the job. It must not change."""
PART_SECONDS = 10.0
"""Longest time that one run of the job counts, in seconds. Other due jobs then get their turn."""
SPARE_SHARE = 40
"""A tenant is counted again after it wrote the rest up to its limit, but at least the limit divided by this number."""
KEPT_MS = 90 * 86_400_000
"""A total that is not renewed expires after this time. The new count corrects for writes that no function saw."""
_ASKED_AGAIN_MS = 600_000
_REST = 10
_SHORTEST_REST_MS = 60_000


class StorageMeter:
    """Adds writes to the totals of tenants, and requests a count when one is due."""

    def __init__(self, store: Store, due: DueIndex, clock: Clock) -> None:
        self._store = store
        self._due = due
        self._clock = clock

    def add(self, tenant: str, written: Usage) -> None:
        key, now = total_key(tenant), now_ms(self._clock)
        if (item := self._store.get(key)) is None and not self._lives(tenant):
            return
        before = total_in(item) if item is not None else _ensure_total(self._store, key, now)
        total = replace(before, written=before.written + written.bytes, created=before.created + written.documents)
        may_ask = total.is_due and total.counting is None and now - total.asked_at >= _ASKED_AGAIN_MS
        asks = may_ask and self._lives(tenant)
        added = Update(
            key,
            set={"asked_at": now} if asks else {},
            add={"written": written.bytes, "created": written.documents},
        )
        self._store.write([added])
        if asks:
            self._due.arrange(Scope(tenant, "").shared, JOB, max(now, total.rests_until))

    def _lives(self, tenant: str) -> bool:
        """Return whether the tenant exists and is not being deleted.

        The stream also carries the items of a deletion.
        """
        item = self._store.get(tenant_key(tenant))
        return item is not None and item.attributes.get("deleting_at") is None


class StorageCount:
    """The job that counts a tenant's storage. It runs in the tenant's shared scope, because the count spans all
    projects.

    `partitions` lists the partitions of a tenant in the order of their texts. `documents` names the tables whose items
    are documents. The store shows the marks of large values instead of the values.
    """

    def __init__(
        self,
        open_store: Callable[[], Store],
        clock: Clock,
        partitions: Callable[[Store, str], Iterator[Partition]],
        documents: AbstractSet[str],
        monotonic: Callable[[], float],
    ) -> None:
        self._open_store = open_store
        self._clock = clock
        self._partitions = partitions
        self._documents = documents
        self._monotonic = monotonic

    @cached_property
    def _store(self) -> Store:
        return self._open_store()

    def run(self, _: Services, scope: Scope) -> None:
        """Count for at most PART_SECONDS. Store the total, or the progress if the count has not finished."""
        if scope != scope.shared:
            return
        key = total_key(scope.tenant)
        total = total_in(self._store.get(key))
        if total.counting is None and not total.is_due:
            return
        if total.at is None:
            total = _ensure_total(self._store, key, now_ms(self._clock))
        began = self._monotonic()
        counted = self._continue_count(
            scope.tenant, total.counting or CountProgress(total.written, total.created), began
        )
        counted = replace(counted, spent_ms=counted.spent_ms + round((self._monotonic() - began) * 1000))
        if counted.partition:
            self._store.write([Update(key, set={"counting": msgspec.to_builtins(counted)})])
        else:
            self._store.write([self._total_update(scope.tenant, key, counted)])

    def next_due(self, _: Services, scope: Scope) -> int | None:
        """Return now while a count is unfinished. Otherwise None, and the next write of the tenant wakes the job."""
        if scope != scope.shared:
            return None
        total = total_in(self._store.get(total_key(scope.tenant)))
        return None if total.counting is None else now_ms(self._clock)

    def _continue_count(self, tenant: str, progress: CountProgress, began: float) -> CountProgress:
        """Continue the count and return its progress, which has no partition once the count is complete."""
        for partition in self._partitions(self._store, tenant):
            if partition.text < progress.partition:
                continue
            cursor = progress.cursor if partition.text == progress.partition else None
            while True:
                if self._monotonic() - began >= PART_SECONDS:
                    return replace(progress, partition=partition.text, cursor=cursor)
                page = self._store.query(partition, limit=MAX_LIMIT, cursor=cursor)
                is_document = tenant_and_table(partition)[1] in self._documents
                progress = replace(
                    progress,
                    bytes=progress.bytes + sum(map(_stored_size, page.items)),
                    documents=progress.documents + (len(page.items) if is_document else 0),
                )
                if (cursor := page.cursor) is None:
                    break
        return replace(progress, partition="", cursor=None)

    def _total_update(self, tenant: str, key: Key, counted: CountProgress) -> Update:
        now, limit = now_ms(self._clock), stored_limit(self._store, tenant)
        is_full = bool(limit.exceeded_limit(counted.bytes + 1, counted.documents + 1))
        # Any change of a full tenant may be a deletion, after which it may write again. So each one requests a count.
        bytes_left, documents_left = (
            (1, 1)
            if is_full
            else (
                max(limit.bytes - counted.bytes, limit.bytes // SPARE_SHARE),
                max(limit.documents - counted.documents, limit.documents // SPARE_SHARE),
            )
        )
        rest = max(_SHORTEST_REST_MS, _REST * counted.spent_ms) if is_full else 0
        total = StoredTotal(
            bytes=counted.bytes,
            documents=counted.documents,
            at=now,
            bytes_left=bytes_left,
            documents_left=documents_left,
            rests_until=now + rest,
        )
        kept = {name: value for name, value in to_attributes(total).items() if name not in ("written", "created")}
        return Update(
            key,
            set=kept,
            # Writes during the count may or may not be in it, so they stay in the sum of later writes.
            add={"written": -counted.written, "created": -counted.created},
            expires_at=now + KEPT_MS,
        )


def counted_tenant_and_table(partition: str) -> tuple[str, str]:
    """Return tenant and table of a partition. Both are empty for items that do not count.

    These are items outside of any tenant, and due items, which the count itself writes.
    """
    tenant, table = stored_tenant_and_table(partition)
    return ("", "") if table == DUE.own.name else (tenant, table)


def _ensure_total(store: Store, key: Key, now: int) -> StoredTotal:
    """Return the stored total. Creates it if there is none."""
    if (item := store.get(key)) is None:
        try:
            store.write([Put(key, to_attributes(StoredTotal()), Absent(), expires_at=now + KEPT_MS)])
        except ConditionFailed:
            item = store.get(key)
    return total_in(item)


def _stored_size(item: Item) -> int:
    own = len(item.key.partition.text) + len(item.key.sort) + size_of(item.attributes)
    return own + sum(map(blob_size, item.attributes.values()))
