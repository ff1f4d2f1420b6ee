"""The laptop's worker: takes the lease, follows the change table, keeps the table short, and stops when asked to.

It is woken by the notifier for writes of its own process and looks every 200 ms for those of others.
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
    """Milliseconds: how often other processes' writes are looked for, how long the lease lasts unkept, how long to
    wait after the store did not answer, and how often the store is swept."""

    poll: int = 200
    lease: int = 10_000
    outage: int = 1_000
    sweep: int = 60_000


class Waiter(Protocol):
    """Protocol of what the worker waits on between two looks, such as `Notifier`."""

    def notify(self) -> None: ...

    def wait(self, milliseconds: int) -> None: ...


class Worker:
    """`name` is that of the shared cursor, `holder` is unique to this process. `sweep` drops what has expired."""

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
        """Makes `run` return once the delivery under way is finished. From any thread."""
        self._stopping.set()
        self._notifier.notify()

    def run(self) -> None:
        """Works until it is stopped: waits for the lease, holds it, waits again after losing it."""
        while not self._stopping.is_set():
            try:
                held = self._lease.take()
                if held is None:
                    self._notifier.wait(self._pace.poll)
                else:
                    self._work(held)
            except LostLease:
                continue
            except Exception as error:  # noqa: BLE001 - the worker outlives whatever goes wrong once
                self._report("worker", error)
                self._notifier.wait(self._pace.outage)

    def _work(self, held: HeldLease) -> None:
        """Work until stopped or the lease is lost; release the lease when it ends in order."""
        consumer = ChangeFeedConsumer(self._changes, self._delivery, self._reactions, held, self._report)
        with self._kept_alive(held):
            while not self._ending(held):
                idle = consumer.step(self._now(), lambda: self._ending(held))
                self._tidy(held, idle=idle)
                if idle:
                    self._notifier.wait(self._pause(consumer))
            consumer.keep_position()
        held.release()

    def _ending(self, held: HeldLease) -> bool:
        return held.lost or self._stopping.is_set()

    def _pause(self, consumer: ChangeFeedConsumer) -> int:
        due = consumer.next_due()
        return self._pace.poll if due is None else max(0, min(self._pace.poll, due - self._now()))

    def _tidy(self, held: HeldLease, *, idle: bool) -> None:
        behind = held.position - self._trimmed
        if behind >= _TRIM_EVERY or (idle and behind > 0):
            self._trimmed = held.position
            self._changes.trim(slowest_position(self._store, self._now()))
        if self._sweep is not None and self._now() - self._swept_at >= self._pace.sweep:
            self._swept_at = self._now()
            self._sweep()

    @contextmanager
    def _kept_alive(self, held: HeldLease) -> Generator[None]:
        """Keeps the lease from a thread of its own, for a reaction may take longer than the lease lasts."""
        ended = threading.Event()

        def keep() -> None:
            while not ended.wait(self._pace.lease / 3000):
                try:
                    held.keep()
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
