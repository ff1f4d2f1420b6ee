"""A store that keeps the due index: a record whose table names a job is written together with a due item for the job.

The item is left out where an earlier one covers it: that job runs then anyway, and afterwards says when it is due next.
So a lease that is renewed every minute, or a session that gets one turn after the other, costs no further write.
"""

import os
from collections.abc import Iterable, Sequence

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.due.records import DUE, Due, due_put, new_due
from almanac.platform.store.port import MAX_CHANGES, Change, Put, Store, Wake
from almanac.platform.store.wrapper import StoreWrapper

MARGIN_MS = 30_000
"""An item that is due sooner covers nothing: a round might finish it before the write that relies on it arrives."""
_SKEW_MS = 5_000
_REMEMBERED = 10_000

_Place = tuple[Scope, str]
"""A project and the name of a job."""


class Schedule:
    """Due items of this process, over the store that has them."""

    def __init__(self, store: Store, clock: Clock, random_bytes: RandomBytes = os.urandom) -> None:
        self.store = store
        self.clock = clock
        self._random_bytes = random_bytes
        self._known: dict[_Place, int] = {}
        self._latest = 0

    def lacking(self, wakes: Iterable[Wake]) -> list[Due]:
        """The due items that make the jobs run at these instants, without those that stored items cover. They go into
        the write that they belong to."""
        soonest: dict[_Place, int] = {}
        for wake in wakes:
            place = (wake.scope, wake.job)
            soonest[place] = min(wake.at, soonest.get(place, wake.at))
        if not soonest:
            return []
        now = now_ms(self.clock)
        self._forget_where_time_went_back(now)
        return [
            new_due(scope, job, at, now, self._random_bytes)
            for (scope, job), at in soonest.items()
            if not self._is_covered((scope, job), at, now)
        ]

    def remember(self, written: Iterable[Due]) -> None:
        """Take note of due items that were written."""
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        covers_from = now_ms(self.clock) + MARGIN_MS
        for due in written:
            known = self._known.get((due.scope, due.job))
            if known is None or known <= covers_from or due.at < known:
                self._known[due.scope, due.job] = due.at

    def _is_covered(self, place: _Place, at: int, now: int) -> bool:
        covers_from = now + MARGIN_MS
        if at <= covers_from:
            return False
        known = self._known.get(place)
        if known is not None and covers_from < known <= at:
            return True
        scope, job = place
        rows = DUE.within(self.store, scope)
        earlier = rows.query(job, since=covers_from + 1, until=at + 1, limit=1).records
        if earlier:
            self._known[place] = earlier[0].at
        return bool(earlier)

    def _forget_where_time_went_back(self, now: int) -> None:
        """After that, rounds may have finished what still lies ahead by the clock."""
        if now < self._latest - _SKEW_MS:
            self._known.clear()
            self._latest = now
        self._latest = max(self._latest, now)


class SchedulingStore(StoreWrapper):
    def __init__(self, schedule: Schedule) -> None:
        super().__init__(schedule.store)
        self._schedule = schedule

    def write(self, changes: Sequence[Change]) -> None:
        lacking = self._schedule.lacking(wake for change in changes if isinstance(change, Put) for wake in change.wakes)
        if not lacking:
            self._store.write(changes)
            return
        due = [due_put(self._store, each) for each in lacking]
        if len(changes) + len(due) <= MAX_CHANGES:
            # Behind the others: a condition that fails names its change by position.
            self._store.write([*changes, *due])
        else:
            self._store.write(due)
            self._store.write(changes)
            # A round may have come between the two and found nothing to do yet.
            soon = now_ms(self._schedule.clock) + MARGIN_MS
            if near := [put for each, put in zip(lacking, due, strict=True) if each.at <= soon]:
                self._store.write(near)
        self._schedule.remember(lacking)
