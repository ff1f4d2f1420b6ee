"""Leases that limit how many expensive calls of a tenant run at once, over all functions and their processes.

    S#call_leases#<tenant>   <number>   holder: random id of the lease's owner; the item expires by itself

Each call holds a lease. Leases are numbered, and a conditional write takes one. A process keeps leases of the lower
half for up to a minute, so that later calls of the tenant in the same process need no write. Leases of the upper half
are for one call and are given back when it ends. Idle processes hold at most the lower half, so the leases of the upper
half are always there for calls.
"""

import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from almanac.identity.access.refusals import Refusal, too_many
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import ConditionFailed, Delete, Put, Store
from almanac.platform.store.queries import every_item

CALL_MS = 30_000
"""A little over the 28 seconds after which Lambda ends a function, and with it its call."""
KEPT_MS = 60_000
RETRY_SECONDS = 1
_ATTEMPTS = 8
_MAX_TENANTS = 1000


@dataclass(slots=True, eq=False)
class _Lease:
    number: int
    holder: str
    ends: int
    is_kept: bool


class CallLeases:
    """Leases that this process holds or takes, for all of its threads."""

    def __init__(self, store: Store, clock: Clock, random_bytes: RandomBytes) -> None:
        self._store = store
        self._clock = clock
        self._random_bytes = random_bytes
        self._lock = threading.Lock()
        self._idle: dict[str, list[_Lease]] = {}

    @contextmanager
    def hold(self, tenant: str, most: int) -> Generator[Refusal | None]:
        """Hold one of the tenant's `most` leases during the block. Yields a refusal if all are taken, else None."""
        lease = self._take(tenant, most)
        if lease is None:
            yield too_many(f"this tenant may run {most} expensive calls at once, and does", RETRY_SECONDS)
            return
        try:
            yield None
        finally:
            self._give_back(tenant, lease)

    def _take(self, tenant: str, most: int) -> _Lease | None:
        lease = self._idle_lease(tenant, most)
        if lease is not None and (lease.ends >= now_ms(self._clock) + CALL_MS or self._put(tenant, lease, renews=True)):
            return lease
        kept = most // 2
        number = self._pick(range(kept) or range(most))
        for _ in range(_ATTEMPTS):
            lease = _Lease(number, self._random_bytes(8).hex(), 0, is_kept=number < kept)
            if self._put(tenant, lease):
                return lease
            free = self._free(tenant, most)
            if not free:
                return None
            number = self._pick([each for each in free if each < kept] or free)
        return None

    def _idle_lease(self, tenant: str, most: int) -> _Lease | None:
        """Return a kept lease that no call uses. Drops leases that ended, or whose number is above a lowered limit."""
        now = now_ms(self._clock)
        with self._lock:
            if len(self._idle) >= _MAX_TENANTS:
                living = (
                    (name, [lease for lease in leases if lease.ends > now]) for name, leases in self._idle.items()
                )
                self._idle = {name: leases for name, leases in living if leases}
            idle = [lease for lease in self._idle.pop(tenant, ()) if lease.ends > now and lease.number < most]
            if len(idle) > 1:
                self._idle[tenant] = idle[:-1]
        return idle[-1] if idle else None

    def _put(self, tenant: str, lease: _Lease, *, renews: bool = False) -> bool:
        """Take the lease, or extend it. False if another process has it."""
        ends = now_ms(self._clock) + (KEPT_MS if lease.is_kept else CALL_MS)
        condition = Absent() | Equals("holder", lease.holder) if renews else Absent()
        key = _key(tenant, lease.number)
        try:
            self._store.write([Put(key, {"holder": lease.holder}, condition, expires_at=ends)])
        except ConditionFailed:
            return False
        lease.ends = ends
        return True

    def _free(self, tenant: str, most: int) -> list[int]:
        taken = {item.key for item in every_item(self._store, _leases_of(tenant))}
        return [number for number in range(most) if _key(tenant, number) not in taken]

    def _pick(self, numbers: Sequence[int]) -> int:
        """Return a random number of these, so that processes that ask at the same time rarely pick the same one."""
        return numbers[int.from_bytes(self._random_bytes(4), "big") % len(numbers)]

    def _give_back(self, tenant: str, lease: _Lease) -> None:
        if lease.is_kept:
            with self._lock:
                self._idle.setdefault(tenant, []).append(lease)
            return
        # A lease that cannot be deleted ends by itself.
        with suppress(ConditionFailed, Unavailable):
            self._store.write([Delete(_key(tenant, lease.number), Equals("holder", lease.holder))])


def _leases_of(tenant: str) -> Partition:
    return Partition.system("call_leases", tenant)


def _key(tenant: str, number: int) -> Key:
    return Key(_leases_of(tenant), sort_key(number))
