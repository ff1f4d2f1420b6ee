"""The due index for rounds of jobs: find due items, take them, and finish or retry them.

A conditional write takes an item and hides it for the length of a lease. So only one of two rounds gets it, and an item
that a crashed round had taken is shown again. An item is deleted only in the write that makes its job due the next
time.
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
"""An index may show an item a moment late.

An item that was finished sooner than this after its write is shown again.
"""
LAST_INSTANT = 253_402_300_799_999
_ERROR_LENGTH = 500


class DueIndex:
    def __init__(self, schedule: Schedule, clock: Clock, random_bytes: RandomBytes = os.urandom) -> None:
        self._schedule = schedule
        self._store = schedule.store
        self._clock = clock
        self._random_bytes = random_bytes

    def ready(self, shard: int) -> Iterator[Due]:
        """Yield the due items of a shard, the longest waiting first."""
        until = Span(None, sort_key(now_ms(self._clock) + 1))
        for item in every_item(self._store, shard_partition(shard), span=until, index="gsi1"):
            yield DUE.read(item)

    def every_ready(self, shards: Iterable[int] = EVERY_SHARD) -> Iterator[Due]:
        """Yield the due items of several shards."""
        for shard in shards:
            yield from self.ready(shard)

    def take(self, due: Due) -> Due | None:
        """Take an item for this round and return it. None if another round was first."""
        taken = replace(
            due,
            token=new_token(self._random_bytes),
            shown_at=now_ms(self._clock) + LEASE_MS,
            attempts=due.attempts + 1,
        )
        return taken if self._replace(due, taken) else None

    def finish(self, taken: Due, next_at: int | None) -> None:
        """Delete an item after its job ran, and make the job due at `next_at` if that is not None.

        An item that was written again meanwhile stays.
        """
        now = now_ms(self._clock)
        if now - taken.written_at < SETTLED_MS and taken.job != SURVEY:
            next_at = min(next_at or LAST_INSTANT, now + SETTLED_MS)
        wakes = [] if next_at is None else [Wake(taken.scope, taken.job, max(next_at, taken.at + 1))]
        following = self._schedule.needed_items(wakes)
        puts = [due_put(self._store, each) for each in following]
        gone = DUE.within(self._store, taken.scope).delete(taken.job, taken.at, condition=Equals("token", taken.token))
        try:
            self._store.write([gone, *puts])
        except ConditionFailed:
            return
        self._schedule.remember(following)

    def fail(self, taken: Due, error: BaseException) -> bool:
        """Show an item again after a pause, or park it after too many failures. Return True if it is parked."""
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
        self._replace(taken, failed)
        return parked

    def drop(self, due: Due) -> None:
        """Remove an item of a deleted tenant."""
        self._store.write([DUE.within(self._store, due.scope).delete(due.job, due.at)])

    def list_parked(self, scope: Scope) -> list[Due]:
        """Return the parked items of a project."""
        items = DUE.within(self._store, scope).query().records
        return [due for due in items if due.shown_at is None]

    def arrange(self, scope: Scope, job: str, next_at: int | None, parked: Sequence[Due] = ()) -> None:
        """Make a job due at `next_at`, if that is not None, and delete its `parked` items.

        For jobs that ran without an item from the index.
        """
        following = self._schedule.needed_items([] if next_at is None else [Wake(scope, job, next_at)])
        rows = DUE.within(self._store, scope)
        changes: list[Change] = [due_put(self._store, each) for each in following]
        changes += [rows.delete(due.job, due.at) for due in parked]
        if changes:
            self._store.write(changes)
            self._schedule.remember(following)

    def _replace(self, before: Due, after: Due) -> bool:
        put = due_put(self._store, after)
        try:
            self._store.write([replace(put, condition=Equals("token", before.token))])
        except ConditionFailed:
            return False
        return True
