"""The laptop's worker. It takes the lease, follows the change table, trims it, and stops on request.

The notifier wakes it for writes of its own process. It looks for writes of other processes every 200 ms.
"""

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Protocol

from msgspec import Struct

from almanac.kernel.clock import Clock
from almanac.kernel.errors import Unavailable
from almanac.kernel.instants import now_ms
from almanac.platform.bus.change_feed import ChangeFeedConsumer
from almanac.platform.bus.delivery import Delivery, LostLease, Report
from almanac.platform.bus.lease import HeldLease, Lease, slowest_position
from almanac.platform.bus.port import Reaction
from almanac.platform.store.changes import Changes
from almanac.platform.store.port import Store

_TRIM_EVERY = 1000


class Pace(Struct, frozen=True):
    """Intervals of a worker, in milliseconds.

    `poll` is the interval between looks for writes of other processes, and `lease` the length of an unextended lease.
    `outage` is the pause after the store did not answer, and `sweep` the interval between sweeps of the store.
    """

    poll: int = 200
    lease: int = 10_000
    outage: int = 1_000
    sweep: int = 60_000


class Waiter(Protocol):
    """Protocol for waiting between two looks at the change table, e.g. with a `Notifier`."""

    def notify(self) -> None: ...

    def wait(self, milliseconds: int) -> None: ...


class Worker:
    """Delivers the changes of a store to reactions, while it holds the lease.

    `name` is the name of the shared cursor, and `holder` is unique to this process. `sweep` deletes expired items.
    """

    def __init__(
        self,
        store: Store,
        changes: Changes,
        delivery: Delivery,
        reactions: Sequence[Reaction],
        clock: Clock,
        *,
        holder: str,
        notifier: Waiter,
        report: Report,
        sweep: Callable[[], object] | None = None,
        name: str = "reactions",
        pace: Pace | None = None,
    ) -> None:
        self._store = store
        self._changes = changes
        self._delivery = delivery
        self._reactions = reactions
        self._clock = clock
        self._notifier = notifier
        self._report = report
        self._sweep = sweep
        self._pace = pace or Pace()
        self._lease = Lease(store, clock, worker=name, holder=holder, length_ms=self._pace.lease)
        self._stopping = threading.Event()
        self._swept_at = 0
        self._trimmed = 0

    def stop(self) -> None:
        """Make `run` return after the current delivery. Any thread may call this."""
        self._stopping.set()
        self._notifier.notify()

    def run(self) -> None:
        """Work until stopped. Waits for the lease, follows the table, and waits again after losing the lease."""
        while not self._stopping.is_set():
            try:
                lease = self._lease.take()
                if lease is None:
                    self._notifier.wait(self._pace.poll)
                else:
                    self._work(lease)
            except LostLease:
                continue
            except Exception as error:  # noqa: BLE001 - the worker must survive any error
                self._report("worker", error)
                self._notifier.wait(self._pace.outage)

    def _work(self, lease: HeldLease) -> None:
        """Work until stopped, and then release the lease, or until the lease is lost."""
        consumer = ChangeFeedConsumer(self._changes, self._delivery, self._reactions, lease, self._report)
        with self._keep_alive(lease):
            while not self._must_end(lease):
                idle = consumer.step(self._now(), lambda: self._must_end(lease))
                self._tidy(lease, idle=idle)
                if idle:
                    self._notifier.wait(self._pause(consumer))
            consumer.keep_position()
        lease.release()

    def _must_end(self, lease: HeldLease) -> bool:
        return lease.lost or self._stopping.is_set()

    def _pause(self, consumer: ChangeFeedConsumer) -> int:
        due = consumer.next_due()
        return self._pace.poll if due is None else max(0, min(self._pace.poll, due - self._now()))

    def _tidy(self, lease: HeldLease, *, idle: bool) -> None:
        behind = lease.position - self._trimmed
        if behind >= _TRIM_EVERY or (idle and behind > 0):
            self._trimmed = lease.position
            self._changes.trim(slowest_position(self._store, self._now()))
        if self._sweep is not None and self._now() - self._swept_at >= self._pace.sweep:
            self._swept_at = self._now()
            self._sweep()

    @contextmanager
    def _keep_alive(self, lease: HeldLease) -> Generator[None]:
        """Extend the lease from a separate thread, because a reaction may take longer than the lease lasts."""
        ended = threading.Event()

        def keep() -> None:
            while not ended.wait(self._pace.lease / 3000):
                try:
                    lease.keep()
                except LostLease:
                    return
                except Unavailable:
                    continue

        keeper = threading.Thread(target=keep, name="lease", daemon=True)
        keeper.start()
        try:
            yield
        finally:
            ended.set()
            keeper.join()

    def _now(self) -> int:
        return now_ms(self._clock)
