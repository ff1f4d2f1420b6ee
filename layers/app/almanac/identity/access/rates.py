"""Rate limit of a tenant's tier: requests per minute of all its keys, counted roughly, in blocks.

In each minute, a process answers the first block of a tenant's requests without counting them. From then on it reserves
blocks of requests in the tenant's count in the store, each with one conditional write, and answers them from memory. A
reserved but unused block is never larger than the uncounted first one, so no tenant is refused below its limit. Above
the limit, each process answers at most one block that is not counted.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from almanac.identity.access.refusals import Refusal, too_many
from almanac.identity.records import tenant_window_key
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent, Less
from almanac.platform.store.port import ConditionFailed, Put, Store, Update

MOST_IN_BLOCK = 20
BLOCKS_PER_MINUTE = 20
_MINUTE = 60_000
_ATTEMPTS = 3
_MAX_TENANTS = 1000


def block_of(per_minute: int) -> int:
    """Return the number of requests that a process answers for one write."""
    return max(1, min(MOST_IN_BLOCK, per_minute // BLOCKS_PER_MINUTE))


@dataclass(slots=True)
class _Minute:
    """A tenant's current minute. `left` requests need no write; once it `is_over`, all further ones are refused."""

    start: int
    left: int
    is_over: bool = False


class TenantRates:
    """Rate limits of one process that answers one request at a time.

    It remembers 1000 tenants, and opens the store only to reserve its first block.
    """

    def __init__(self, open_store: Callable[[], Store], clock: Clock) -> None:
        self._open_store = open_store
        self._clock = clock
        self._minutes: OrderedDict[str, _Minute] = OrderedDict()

    def admit(self, tenant: str, per_minute: int) -> Refusal | None:
        """Admit one request of the tenant, or refuse it until the minute ends."""
        now = now_ms(self._clock)
        start, block = now - now % _MINUTE, block_of(per_minute)
        minute = self._minutes.pop(tenant, None)
        if minute is None or minute.start != start:
            minute = _Minute(start, block)
        self._minutes[tenant] = minute
        if len(self._minutes) > _MAX_TENANTS:
            self._minutes.popitem(last=False)
        if minute.left == 0 and not minute.is_over:
            minute.is_over = not self._take(tenant, start, block, per_minute)
            minute.left = 0 if minute.is_over else block
        if minute.left == 0:
            ends = max(1, -(-(start + _MINUTE - now) // 1000))
            return too_many(f"{per_minute} per minute is the limit of this tenant's tier", ends)
        minute.left -= 1
        return None

    def _take(self, tenant: str, start: int, block: int, per_minute: int) -> bool:
        """Reserve a block of requests in the store. False if the limit is reached."""
        key = tenant_window_key(tenant, "minute", start)
        store = self._open_store()
        is_first = False
        for _ in range(_ATTEMPTS):
            first = Put(key, {"used": block}, Absent(), expires_at=start + _MINUTE)
            next_one = Update(key, add={"used": block}, condition=Less("used", per_minute))
            try:
                store.write([first if is_first else next_one])
                return True
            except ConditionFailed as failed:
                if not is_first and failed.item is not None:
                    return False
                is_first = not is_first
        return True
