"""A round over all tenants that several processes share.

S#rounds   <name>   next: the tenant with which the next slice begins, empty for the first of all
                    begun: when the round began that runs, or ran last

A process that takes a slice of tenants moves the mark on, so two processes never take the same slice. A round that runs
out of time later continues where it stopped. Otherwise it would reach the first tenants each time, and the last never.
"""

from collections.abc import Callable, Iterator, Sequence

from almanac.identity.tenants import Tenants
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import ConditionFailed, Put, Store
from almanac.platform.store.values import Value

SLICE = 100
_FIRST = 0
"""`begun` of the first round."""


class TenantSweep:
    """Hands out the tenants of a round in slices.

    The next round begins `every_ms` after the beginning of the last one. The first round takes as many slices as time
    allows. Later rounds take one slice per run, so that they hold up nothing else.
    """

    def __init__(self, name: str, store: Store, clock: Clock, *, every_ms: int) -> None:
        self._store = store
        self._clock = clock
        self._every_ms = every_ms
        self._tenants = Tenants(store, clock)
        self._mark = Key(Partition.system("rounds"), sort_key(name))

    def slices(self, may_begin: Callable[[], bool]) -> Iterator[Sequence[str]]:
        """Yield slices of tenant ids until the round ends or `may_begin`, called before each slice, returns False."""
        reached = ""
        while may_begin():
            item = self._store.get(self._mark)
            begin, begun = (str(item.attributes["next"]), _number(item.attributes["begun"])) if item else ("", _FIRST)
            now = now_ms(self._clock)
            if begin < reached or (item and not begin and now - begun < self._every_ms):
                return  # the round has ended, by this process or another one
            taken, reached = self._tenants.page(begin, SLICE)
            is_first = begun == _FIRST
            # The pause after the first round begins at the end of that round.
            starts = now if (is_first and not reached) or (not is_first and not begin) else begun
            unchanged = Equals("next", begin) & Equals("begun", begun) if item else Absent()
            try:
                self._store.write([Put(self._mark, {"next": reached, "begun": starts}, unchanged)])
            except ConditionFailed:
                continue
            yield [tenant.id for tenant in taken]
            if not reached or not is_first:
                return


def _number(value: Value) -> int:
    return value if isinstance(value, int) else _FIRST
