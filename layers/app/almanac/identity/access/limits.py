"""Request limits of a key, and of all keys of a tenant together.

Requests per minute and day are counted exactly, in the store. The rate of the tenant's tier is counted roughly, by
`rates`. Windows are minutes and days of UTC. A request counts in all of its windows, or in none if one is full.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from almanac.identity.access.principal import Principal
from almanac.identity.access.rates import TenantRates
from almanac.identity.access.refusals import Refusal, too_many
from almanac.identity.records import tenant_window_key, window_key
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Unavailable
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent, Less
from almanac.platform.store.keys import Key
from almanac.platform.store.port import DISK_FULL, Change, ConditionFailed, Put, Store, Update

_MINUTE = 60_000
_DAY = 86_400_000
_ATTEMPTS = 8


class RequestLimits:
    """Admits requests within the limits. The first request that must be counted calls `open_store`."""

    def __init__(self, open_store: Callable[[], Store], clock: Clock) -> None:
        self._open_store = open_store
        self._clock = clock
        self._rates = TenantRates(open_store, clock)

    def admit(self, allowed: Principal) -> Refusal | None:
        """Count one request of the key and of its tenant, or refuse it. Unlimited requests cost nothing."""
        if allowed.default_per_minute is not None:
            refusal = self._rates.admit(allowed.caller.scope.tenant, allowed.default_per_minute)
            if refusal is not None:
                return refusal
        windows = [window for window in _windows(allowed, now_ms(self._clock)) if window.limit is not None]
        try:
            return self._count(windows) if windows else None
        except Unavailable as down:
            if down.code != DISK_FULL:
                raise
            # A full disk cannot count requests. It allows no writes either, so the request can only read.
            return None

    def _count(self, windows: list["_Window"]) -> Refusal | None:
        store, fresh = self._open_store(), set[int]()
        for _ in range(_ATTEMPTS):
            changes = [window.first() if place in fresh else window.next() for place, window in enumerate(windows)]
            try:
                store.write(changes)
                return None
            except ConditionFailed as failed:
                if failed.item is None:
                    fresh.add(failed.change)
                elif failed.change in fresh:
                    fresh.remove(failed.change)
                else:
                    window = windows[failed.change]
                    left = window.ends - now_ms(self._clock)
                    limit = f"{window.limit} per {window.name} is the limit of this {window.whose}"
                    return too_many(limit, max(1, -(-left // 1000)))
        raise Unavailable("The request counters are busy.", "Repeat the request in a moment.")


@dataclass(frozen=True, slots=True)
class _Window:
    """A minute or day in which a key or a tenant may send at most `limit` requests, until the instant `ends`."""

    whose: str
    name: str
    limit: int | None
    key: Key
    ends: int

    def first(self) -> Change:
        return Put(self.key, {"used": 1}, Absent(), expires_at=self.ends)

    def next(self) -> Change:
        return Update(self.key, add={"used": 1}, condition=Less("used", self.limit or 0))


def _windows(allowed: Principal, instant: int) -> Iterator[_Window]:
    caller = allowed.caller
    minute, day = instant - instant % _MINUTE, instant - instant % _DAY
    for name, length, start, of_key, of_tenant in (
        ("minute", _MINUTE, minute, allowed.per_minute, allowed.tenant_per_minute),
        ("day", _DAY, day, allowed.per_day, allowed.tenant_per_day),
    ):
        yield _Window("key", name, of_key, window_key(caller.key_id, name, start), start + length)
        tenant = caller.scope.tenant
        yield _Window("tenant", name, of_tenant, tenant_window_key(tenant, name, start), start + length)
