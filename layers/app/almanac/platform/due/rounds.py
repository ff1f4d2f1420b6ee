"""The due index as rounds of jobs see it: find what is due, take it, finish it or try it again later.

Taking is a write under a condition, and moves the item ahead by a lease: of two rounds one gets it, and what a round
that died had taken is shown again. An item goes only in the write that makes its job due the next time.
"""

import os
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.due.records import DUE, EVERY_SHARD, SURVEY, Due, due_put, new_token, shard_partition
from almanac.platform.due.scheduling_store import Schedule
from almanac.platform.store.conditions import Equals
from almanac.platform.store.keys import sort_key
from almanac.platform.store.port import Change, ConditionFailed, Span, Wake
from almanac.platform.store.queries import every_item

LEASE_MS = 300_000
"""Longest run of one job in one project, in milliseconds. After that another round may take the job too."""
ATTEMPTS = 12
FIRST_PAUSE_MS = 60_000
LONGEST_PAUSE_MS = 3_600_000
PARKED_MS = 30 * 86_400_000
SETTLED_MS = 60_000
"""An index may show an item a moment late: what was written and done sooner than this is looked at once more."""
LAST_INSTANT = 253_402_300_799_999
_ERROR_LENGTH = 500


class DueIndex:
    def __init__(self, schedule: Schedule, clock: Clock, random_bytes: RandomBytes = os.urandom) -> None:
        self._schedule = schedule
        self._store = schedule.store
        self._clock = clock
        self._random_bytes = random_bytes

    def ready(self, shard: int) -> Iterator[Due]:
        """Return what is due in a shard, the longest waiting first."""
        until = Span(None, sort_key(now_ms(self._clock) + 1))
        for item in every_item(self._store, shard_partition(shard), span=until, index="gsi1"):
            yield DUE.read(item)

    def every_ready(self, shards: Iterable[int] = EVERY_SHARD) -> Iterator[Due]:
        """The same in several shards."""
        for shard in shards:
            yield from self.ready(shard)

    def take(self, due: Due) -> Due | None:
        """The item as it is now that this round has it; None where somebody else was first."""
        taken = replace(
            due,
            token=new_token(self._random_bytes),
            shown_at=now_ms(self._clock) + LEASE_MS,
            attempts=due.attempts + 1,
        )
        return taken if self._replaced(due, taken) else None

    def finish(self, taken: Due, next_at: int | None) -> None:
        """End what was taken, and make its job due at `next_at`, if at all. An item that was written again meanwhile
        stays."""
        now = now_ms(self._clock)
        if now - taken.written_at < SETTLED_MS and taken.job != SURVEY:
            next_at = min(next_at or LAST_INSTANT, now + SETTLED_MS)
        wakes = [] if next_at is None else [Wake(taken.scope, taken.job, max(next_at, taken.at + 1))]
        following = self._schedule.lacking(wakes)
        puts = [due_put(self._store, each) for each in following]
        gone = DUE.within(self._store, taken.scope).delete(taken.job, taken.at, condition=Equals("token", taken.token))
        try:
            self._store.write([gone, *puts])
        except ConditionFailed:
            return
        self._schedule.remember(following)

    def fail(self, taken: Due, error: BaseException) -> bool:
        """Show it again after a pause; True where it has failed so often that it is parked instead."""
        now, parked = now_ms(self._clock), taken.attempts >= ATTEMPTS
        pause = min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (taken.attempts - 1))
        text = f"{type(error).__name__}: {error}".strip().encode("utf-8", "replace").decode()
        failed = replace(
            taken,
            token=new_token(self._random_bytes),
            shown_at=None if parked else now + pause,
            error=text[:_ERROR_LENGTH],
            expires_at=now + PARKED_MS if parked else None,
        )
        self._replaced(taken, failed)
        return parked

    def drop(self, due: Due) -> None:
        """Remove an item whose tenant is gone."""
        self._store.write([DUE.within(self._store, due.scope).delete(due.job, due.at)])

    def parked(self, scope: Scope) -> list[Due]:
        """The items of a project that are parked."""
        found = DUE.within(self._store, scope).query().records
        return [due for due in found if due.shown_at is None]

    def arrange(self, scope: Scope, job: str, next_at: int | None, parked: Sequence[Due] = ()) -> None:
        """After a job ran without being taken from the index: make it due at `next_at`, and forget what is parked."""
        following = self._schedule.lacking([] if next_at is None else [Wake(scope, job, next_at)])
        rows = DUE.within(self._store, scope)
        changes: list[Change] = [due_put(self._store, each) for each in following]
        changes += [rows.delete(due.job, due.at) for due in parked]
        if changes:
            self._store.write(changes)
            self._schedule.remember(following)

    def _replaced(self, before: Due, after: Due) -> bool:
        put = due_put(self._store, after)
        try:
            self._store.write([replace(put, condition=Equals("token", before.token))])
        except ConditionFailed:
            return False
        return True
