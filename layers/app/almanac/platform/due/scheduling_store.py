"""A store that maintains the due index. If a record's table names a job, the record is written with a due item for it.

The item is left out if an earlier one covers it. The job then runs earlier, and afterwards says when it is due next. So
a lease that is renewed every minute, or a session that gets one turn after the other, costs no further writes.
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
"""An item that is due sooner than this covers no other, because a round might finish it before the write arrives."""
_SKEW_MS = 5_000
_REMEMBERED = 10_000

_Place = tuple[Scope, str]
"""A project and the name of a job."""


class Schedule:
    """Cache of the stored due items, for one process."""

    def __init__(self, store: Store, clock: Clock, random_bytes: RandomBytes = os.urandom) -> None:
        self.store = store
        self.clock = clock
        self._random_bytes = random_bytes
        self._known: dict[_Place, int] = {}
        self._latest = 0

    def needed_items(self, wakes: Iterable[Wake]) -> list[Due]:
        """Return the due items that are needed to run jobs at these instants and that no stored item covers.

        The caller must write them together with the records.
        """
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
        """Cache due items that were written."""
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
        """Clear the cache if the clock was set back. Rounds may have finished items that now seem to lie ahead."""
        if now < self._latest - _SKEW_MS:
            self._known.clear()
            self._latest = now
        self._latest = max(self._latest, now)


class SchedulingStore(StoreWrapper):
    def __init__(self, schedule: Schedule) -> None:
        super().__init__(schedule.store)
        self._schedule = schedule

    def write(self, changes: Sequence[Change]) -> None:
        needed_items = self._schedule.needed_items(
            wake for change in changes if isinstance(change, Put) for wake in change.wakes
        )
        if not needed_items:
            self._store.write(changes)
            return
        due = [due_put(self._store, each) for each in needed_items]
        if len(changes) + len(due) <= MAX_CHANGES:
            # Due items come last, because a failed condition names its change by position.
            self._store.write([*changes, *due])
        else:
            self._store.write(due)
            self._store.write(changes)
            # A round may have run between the two writes, before there was work.
            soon = now_ms(self._schedule.clock) + MARGIN_MS
            if near := [put for each, put in zip(needed_items, due, strict=True) if each.at <= soon]:
                self._store.write(near)
        self._schedule.remember(needed_items)
