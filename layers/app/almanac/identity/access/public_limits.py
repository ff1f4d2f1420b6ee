"""Limits on requests that need no key, counted for each network and minute.

S#oauth_rates#<network>   <what>#<minute>   count
"""

from almanac.identity.access.networks import network_of
from almanac.kernel.clock import Clock
from almanac.kernel.errors import LimitExceeded
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, ConditionFailed, Put, Store, Update

_ATTEMPTS = 4
_MINUTE = 60_000


class PublicLimits:
    """Counts, for each network and minute, the requests that need no key."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def count(self, what: str, most: int, address: str) -> None:
        """Count one request of the kind `what`. Raises LimitExceeded after `most` of them in this minute."""
        instant = now_ms(self._clock)
        start = instant - instant % _MINUTE
        key = Key(Partition.system("oauth_rates", network_of(address)), sort_key(what, start))
        item = self._store.get(key)
        counted = item.attributes.get("count") if item is not None else 0
        if isinstance(counted, int) and counted >= most:
            seconds = max(1, (start + _MINUTE - instant) // 1000)
            raise LimitExceeded("Too many requests from this address.", f"Try again in {seconds} seconds.")
        fresh = item is None
        for _ in range(_ATTEMPTS):
            begun = Put(key, {"count": 1}, Absent(), expires_at=start + 2 * _MINUTE)
            change: Change = begun if fresh else Update(key, add={"count": 1})
            try:
                self._store.write([change])
            except ConditionFailed:
                fresh = not fresh
            else:
                return
