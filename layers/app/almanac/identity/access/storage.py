"""Storage limits of a tenant: how many bytes and documents its projects may hold together.

A call that would write is judged from memory: by what was counted last, and what was written since. No call gains a
write for it, and what is counted is counted behind the calls (`recount`). What was written since is an upper bound, as
what it replaced is not taken off, so a limit may look reached before it is: then the tenant is counted again first.
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
"""A tenant with fewer bytes is counted within the call that reached its limit: in 40 ms."""
_REST = 20
"""Between two counts of a tenant pass so many times as long as one takes."""
_KEY_BYTES = 200


class StoredNow(Struct, frozen=True):
    """Storage of a tenant and its limit. `usage` is a count made `seconds_ago`, plus the writes since then."""

    usage: Usage
    limit: StorageLimit
    seconds_ago: float


class _Known(Struct):
    """Cached storage of one tenant. `counted` is exact as of `version`; `since` is what the tenant wrote after it."""

    counted: Usage = Usage()
    since: Usage = Usage()
    version: object = None
    at: float | None = None
    next_at: float = 0.0
    is_wanted: bool = True


class StorageLimits:
    """The storage limits of one process, for all its threads. `limit_for` answers the limit of a tenant, `documents`
    names the tables whose items are documents, `monotonic` is a clock in seconds."""

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
        self._known: dict[str, _Known] = {}
        self.wanted = threading.Event()
        """Set when a tenant is to be counted soon."""

    def admit(self, tool: Tool, call: Call, arguments: Mapping[str, Any]) -> None:
        """Raise StorageFull for a call that would write more than its tenant may store. Calls that read pass, and so do
        those that remove something and bring next to nothing."""
        if not may_grow(tool, arguments):
            return
        size = size_of(arguments)
        tenant = call.caller.scope.tenant
        limit = self._limit_for(tenant)
        coming = Usage(size, _documents_in(arguments))
        if _exceeds(self._estimate(tenant) + coming, limit) is None:
            return
        if (over := _exceeds(self._counted_now(tenant) + coming, limit)) is not None:
            raise over

    def wrote(self, changes: Sequence[Change]) -> None:
        """Add what was written to what is known of its tenants."""
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
                known = self._known.setdefault(tenant, _Known())
                known.since += Usage(size, int(is_new))

    def stored(self, tenant: str) -> StoredNow | None:
        """Return what was counted of a tenant behind the calls; None before the first count."""
        usage = self._estimate(tenant)
        with self._lock:
            at = self._known[tenant].at
        return None if at is None else StoredNow(usage, self._limit_for(tenant), self._monotonic() - at)

    def recount(self) -> None:
        """Count the tenants that need it: those that are near a limit, that were never counted, or not for an hour."""
        self.wanted.clear()
        now = self._monotonic()
        with self._lock:
            due = [
                tenant
                for tenant, known in self._known.items()
                if (known.is_wanted and now >= known.next_at)
                or (known.since != Usage() and known.at is not None and now - known.at >= RECOUNT_SECONDS)
            ]
        for tenant in due:
            self._count(tenant)

    def _estimate(self, tenant: str) -> Usage:
        with self._lock:
            known = self._known.setdefault(tenant, _Known())
            if known.at is None:
                self.wanted.set()
            return known.counted + known.since

    def _counted_now(self, tenant: str) -> Usage:
        """Return an exact count of a small tenant, or the known one of a large tenant, which is counted again soon."""
        with self._lock:
            known = self._known.setdefault(tenant, _Known())
            is_small = known.counted.bytes <= COUNTED_AT_ONCE
            if known.at is not None and not is_small:
                known.is_wanted = True
                self.wanted.set()
                return known.counted + known.since
        return self._count(tenant)

    def _count(self, tenant: str) -> Usage:
        version = self._counter.version()
        with self._lock:
            known = self._known.setdefault(tenant, _Known())
            if known.at is not None and known.version == version:
                known.is_wanted = False
                return known.counted
            before, known.since = known.since, Usage()
            # What is written from here on counts twice where the count sees it: the next count puts that right.
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
            known.next_at, known.is_wanted = ended + _REST * (ended - began), False
            return known.counted + known.since


class MeteredStore(StoreWrapper):
    """The store behind, which tells `wrote` what was written."""

    def __init__(self, store: Store, wrote: Callable[[Sequence[Change]], None]) -> None:
        super().__init__(store)
        self._wrote = wrote

    def write(self, changes: Sequence[Change]) -> None:
        super().write(changes)
        self._wrote(changes)


def _exceeds(usage: Usage, limit: StorageLimit) -> StorageFull | None:
    exceeded = limit.exceeded_by(usage.bytes, usage.documents)
    return storage_full(exceeded) if exceeded else None


def _documents_in(arguments: Mapping[str, Any]) -> int:
    """Return how many documents a call may add: one, or the size of a batch."""
    lists = (cast("list[object]", value) for value in arguments.values() if isinstance(value, list))
    return max((len(each) for each in lists if each and isinstance(each[0], dict)), default=1)
