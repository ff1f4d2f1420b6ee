"""The lease of a laptop's worker, so that only one process at a time follows the change table of a store.

If a holder does not extend its lease in time, the next process that asks gets it, with a higher fence. The former
holder may still be at work. Therefore each of its writes is checked against its own fence, and fails after the
takeover.
"""

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.bus.delivery import LostLease
from almanac.platform.bus.records import CURSORS, Cursor, cursor_key
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Check, ConditionFailed, Put, Store, Update
from almanac.platform.store.values import Value

FORGOTTEN_MS = 30 * 86_400_000
_MAX_WORKERS = 1000


class Lease:
    """The right to follow the change table with one cursor.

    `worker` names the cursor, which processes share, and `holder` this process. Unless it is extended, the lease ends
    after `length_ms`.
    """

    def __init__(self, store: Store, clock: Clock, *, worker: str, holder: str, length_ms: int) -> None:
        self._store = store
        self._clock = clock
        self._key = cursor_key(worker)
        self._holder = holder
        self._length_ms = length_ms

    def take(self) -> "HeldLease | None":
        """Take the lease. None while another holder has it. Raises Unavailable if the store does not answer."""
        now = now_ms(self._clock)
        item = self._store.get(self._key)
        current = msgspec.convert(item.attributes, Cursor) if item else None
        if current is not None and current.until > now and current.holder != self._holder:
            return None
        fence, position = (current.fence, current.position) if current else (0, 0)
        taken = Cursor(holder=self._holder, fence=fence + 1, until=now + self._length_ms, position=position)
        try:
            self._store.write(
                [Put(self._key, msgspec.to_builtins(taken), Equals("fence", fence) if current else Absent())]
            )
        except ConditionFailed:
            return None
        return HeldLease(
            self._store, self._clock, self._length_ms, taken, Check(self._key, Equals("fence", taken.fence))
        )


class HeldLease:
    """A lease that this process holds until a method raises LostLease.

    Safe for two threads, if one of them only calls `keep`.
    """

    def __init__(self, store: Store, clock: Clock, length_ms: int, taken: Cursor, fence: Check) -> None:
        self._store = store
        self._clock = clock
        self._length_ms = length_ms
        self.position = taken.position
        self.fence = fence
        self.lost = False

    def keep(self) -> None:
        self._change({"until": now_ms(self._clock) + self._length_ms})

    def advance(self, position: int) -> None:
        """Record that every change up to `position` is settled, and extend the lease."""
        self._change({"position": position, "until": now_ms(self._clock) + self._length_ms})
        self.position = position

    def release(self) -> None:
        """End the lease now, so that the next process can take over at once."""
        self._change({"until": now_ms(self._clock)})

    def _change(self, changed: dict[str, Value]) -> None:
        try:
            self._store.write([Update(self.fence.key, set=changed, condition=self.fence.condition)])
        except ConditionFailed as failed:
            self.lost = True
            raise LostLease from failed


def enter_workers(store: Store, clock: Clock, workers: Sequence[str], beside: str) -> None:
    """Give each worker its cursor before any of them starts.

    Without its cursor, another worker could trim changes that it has not read. A new worker begins at the position of
    the worker `beside`.
    """
    known = store.get(cursor_key(beside))
    position = msgspec.convert(known.attributes, Cursor).position if known else 0
    for worker in workers:
        entered = Cursor(holder="", fence=0, until=now_ms(clock), position=position)
        with suppress(ConditionFailed):
            store.write([Put(cursor_key(worker), msgspec.to_builtins(entered), Absent())])


def slowest_position(store: Store, now: int) -> int:
    """Return the position up to which all workers have settled the change table.

    A worker that was not active for 30 days does not count. Later it continues with the changes that are left.
    """
    page = store.query(CURSORS, limit=_MAX_WORKERS)
    cursors = [msgspec.convert(item.attributes, Cursor) for item in page.items]
    return min((each.position for each in cursors if each.until > now - FORGOTTEN_MS), default=0)
