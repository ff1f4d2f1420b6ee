"""A round over all tenants, shared by whoever works on it at the same time.

    S#rounds   <name>   next: the tenant with which the next slice begins, empty for the first of all

Taking a slice moves the mark on: two processes never take the same one, and a round that runs out of time goes on where
it stopped, instead of reaching the same tenants each time and the others never.
"""

from collections.abc import Callable, Iterator, Sequence

from almanac.identity.tenants import Tenants
from almanac.kernel.clock import Clock
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import ConditionFailed, Put, Store

SLICE = 100


class TenantSweep:
    def __init__(self, name: str, store: Store, clock: Clock) -> None:
        self._store = store
        self._tenants = Tenants(store, clock)
        self._mark = Key(Partition.system("rounds"), sort_key(name))

    def slices(self, may_begin: Callable[[], bool]) -> Iterator[Sequence[str]]:
        """Tenants, some at a time, until the round ends, or `may_begin`, asked before each slice, says no."""
        reached = ""
        while may_begin():
            item = self._store.get(self._mark)
            begin = str(item.attributes["next"]) if item is not None else ""
            if begin < reached:
                return  # the others have ended the round
            taken, reached = self._tenants.page(begin, SLICE)
            if begin or reached:
                unchanged = Equals("next", begin) if item is not None else Absent()
                try:
                    self._store.write([Put(self._mark, {"next": reached}, unchanged)])
                except ConditionFailed:
                    continue
            yield [tenant.id for tenant in taken]
            if not reached:
                return
