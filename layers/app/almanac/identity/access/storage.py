"""Storage limits of a tenant on a laptop: the bytes and documents that its projects may hold together.

A call that would write is checked against an estimate in memory: the last count, plus the writes since. So the check
costs no write, and counting happens in the background (`recount`). The estimate is an upper bound, because it does not
subtract what a write replaces. If it reaches the limit, the tenant is counted again before a call is refused.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, cast

from msgspec import Struct

from almanac.identity.storage_limit import StorageFull, StorageLimit, may_grow, size_of, storage_full
from almanac.kernel.errors import Unavailable
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import tenant_and_table
from almanac.platform.store.port import Change, Delete, Put, Store, Update
from almanac.platform.store.tenant_scan import CountsUsage, Usage
from almanac.platform.store.wrapper import StoreWrapper
from almanac.protocol.tool import Call, Tool

RECOUNT_SECONDS = 3600.0
"""Seconds after which a tenant that writes is counted again, even far below its limit."""
COUNTED_AT_ONCE = 8 * 1000**2
"""A tenant with at most this many bytes is counted within the call that reaches its limit. That takes 40 ms."""
_REST = 20
"""The pause between two counts of a tenant, as a multiple of the time that a count takes."""
_KEY_BYTES = 200


class StoredNow(Struct, frozen=True):
    """A tenant's storage and its limit. `usage` is a count made `seconds_ago`, plus the writes since then."""

    usage: Usage
    limit: StorageLimit
    seconds_ago: float


class _TenantStorage(Struct):
    """Cached storage of one tenant. `counted` is exact as of `version`; `since` adds up the later writes."""

    counted: Usage = Usage()
    since: Usage = Usage()
    version: object = None
    at: float | None = None
    next_at: float = 0.0
    needs_count: bool = True


class StorageLimits:
    """Storage limits of one process, for all its threads.

    `limit_for` returns the limit of a tenant, `documents` names the tables whose items are documents, and `monotonic`
    is a clock in seconds.
    """

    def __init__(
        self,
        counter: CountsUsage,
        limit_for: Callable[[str], StorageLimit],
        documents: AbstractSet[str],
        monotonic: Callable[[], float],
    ) -> None:
        self._counter = counter
        self._limit_for = limit_for
        self._documents = documents
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._known: dict[str, _TenantStorage] = {}
        self.count_requested = threading.Event()
        """Set when a tenant should be counted soon."""

    def admit(self, tool: Tool, call: Call, arguments: Mapping[str, Any]) -> None:
        """Raise StorageFull for a call that would exceed its tenant's limit.

        Calls that only read always pass, and so do calls that remove something and have tiny arguments.
        """
        if not may_grow(tool, arguments):
            return
        size = size_of(arguments)
        tenant = call.caller.scope.tenant
        limit = self._limit_for(tenant)
        addition = Usage(size, _documents_in(arguments))
        if _exceeds(self._estimate(tenant) + addition, limit) is None:
            return
        if (error := _exceeds(self._count_if_small(tenant) + addition, limit)) is not None:
            raise error

    def add_writes(self, changes: Sequence[Change]) -> None:
        """Add the sizes of these changes to the estimates of their tenants."""
        for change in changes:
            if isinstance(change, Delete) or not isinstance(change, Put | Update):
                continue
            tenant, table = tenant_and_table(change.key.partition)
            if not tenant:
                continue
            is_put = isinstance(change, Put)
            size = size_of(change.attributes if is_put else change.set) + (_KEY_BYTES if is_put else 0)
            is_new = is_put and table in self._documents and isinstance(change.condition, Absent)
            with self._lock:
                known = self._known.setdefault(tenant, _TenantStorage())
                known.since += Usage(size, int(is_new))

    def storage_of(self, tenant: str) -> StoredNow | None:
        """Return the estimated storage of a tenant. None before the first count."""
        usage = self._estimate(tenant)
        with self._lock:
            at = self._known[tenant].at
        return None if at is None else StoredNow(usage, self._limit_for(tenant), self._monotonic() - at)

    def recount(self) -> None:
        """Count the tenants that are near a limit, were never counted, or have written for an hour
        since their count.
        """
        self.count_requested.clear()
        now = self._monotonic()
        with self._lock:
            due = [
                tenant
                for tenant, known in self._known.items()
                if (known.needs_count and now >= known.next_at)
                or (known.since != Usage() and known.at is not None and now - known.at >= RECOUNT_SECONDS)
            ]
        for tenant in due:
            self._count(tenant)

    def _estimate(self, tenant: str) -> Usage:
        with self._lock:
            known = self._known.setdefault(tenant, _TenantStorage())
            if known.at is None:
                self.count_requested.set()
            return known.counted + known.since

    def _count_if_small(self, tenant: str) -> Usage:
        """Count a small tenant and return the result. For a large one, return the estimate and request a count."""
        with self._lock:
            known = self._known.setdefault(tenant, _TenantStorage())
            is_small = known.counted.bytes <= COUNTED_AT_ONCE
            if known.at is not None and not is_small:
                known.needs_count = True
                self.count_requested.set()
                return known.counted + known.since
        return self._count(tenant)

    def _count(self, tenant: str) -> Usage:
        version = self._counter.version()
        with self._lock:
            known = self._known.setdefault(tenant, _TenantStorage())
            if known.at is not None and known.version == version:
                known.needs_count = False
                return known.counted
            before, known.since = known.since, Usage()
            # A write from here on counts twice if the count also sees it. The next count corrects that.
        began = self._monotonic()
        try:
            counted = self._counter.usage(tenant)
        except Unavailable:
            with self._lock:
                known.since += before
                return known.counted + known.since
        ended = self._monotonic()
        with self._lock:
            known.counted, known.version, known.at = counted, version, ended
            known.next_at, known.needs_count = ended + _REST * (ended - began), False
            return known.counted + known.since


class MeteredStore(StoreWrapper):
    """A store that passes each batch of written changes to `add_writes`."""

    def __init__(self, store: Store, add_writes: Callable[[Sequence[Change]], None]) -> None:
        super().__init__(store)
        self._add_writes = add_writes

    def write(self, changes: Sequence[Change]) -> None:
        super().write(changes)
        self._add_writes(changes)


def _exceeds(usage: Usage, limit: StorageLimit) -> StorageFull | None:
    exceeded = limit.exceeded_limit(usage.bytes, usage.documents)
    return storage_full(exceeded) if exceeded else None


def _documents_in(arguments: Mapping[str, Any]) -> int:
    """Return the number of documents that a call may add: one, or the size of its largest batch."""
    lists = (cast("list[object]", value) for value in arguments.values() if isinstance(value, list))
    return max((len(each) for each in lists if each and isinstance(each[0], dict)), default=1)
