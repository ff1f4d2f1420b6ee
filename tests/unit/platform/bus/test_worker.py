"""The worker as a thread: woken by writes, one of several at work, stopped in order."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.events import Event
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.notifier import Notifier, NotifyingStore
from almanac.platform.bus.outbox import outbox
from almanac.platform.bus.port import Reaction
from almanac.platform.bus.worker import Pace, Worker
from almanac.platform.services import Services
from almanac.platform.store.changes import Changes
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, Put, Store
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.platform.bus.conftest import SCOPE, Maker, Reports

ENOUGH = 30.0
NEVER = Pace(poll=3_600_000, lease=3_600_000)
"""Of a worker that moves only when it is woken."""


class AwaitedReaction:
    """A reaction that lets a test wait for its events."""

    def __init__(self) -> None:
        self.handled: list[int] = []
        self._news = threading.Condition()
        self.reaction = Reaction("awaited", frozenset(["noted"]), self._handle)
        self.before: Callable[[Event], object] = lambda event: None

    def _handle(self, event: Event, services: Services) -> list[Change]:
        self.before(event)
        with self._news:
            self.handled.append(event.payload["number"])
            self._news.notify_all()
        return []

    def wait_for(self, *numbers: int) -> None:
        with self._news:
            assert self._news.wait_for(lambda: self.handled == list(numbers), ENOUGH), self.handled


class BookingService:
    """Workers on one store."""

    def __init__(self, store: SqliteStore, changes: Changes, reports: Reports) -> None:
        self.store, self.changes, self.reports = store, changes, reports
        self.notifier = Notifier()
        self.clock = SystemClock()

    def worker(
        self, awaited: AwaitedReaction, holder: str = "one", pace: Pace = NEVER, notifier: Notifier | None = None
    ) -> Worker:
        services = Services({Store: lambda: self.store, Clock: lambda: self.clock})
        return Worker(
            self.store,
            self.changes,
            Delivery(self.store, services, self.clock, report=self.reports),
            [awaited.reaction],
            self.clock,
            holder=holder,
            notifier=notifier or self.notifier,
            report=self.reports,
            pace=pace,
        )


@contextmanager
def run_workers(*workers: Worker) -> Generator[None]:
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for worker in workers:
            worker.stop()
        for thread in threads:
            thread.join(ENOUGH)
        assert not any(thread.is_alive() for thread in threads)


@pytest.fixture
def bookings(path: Path, reports: Reports) -> Generator[BookingService]:
    store = SqliteStore(path, clock=SystemClock(), cursor_secret=b"the secret of these tests")
    changes = SqliteChanges(path)
    yield BookingService(store, changes, reports)
    changes.close()
    store.close()


def test_a_write_of_this_process_wakes_it_at_once(bookings: BookingService, make: Maker):
    awaited = AwaitedReaction()
    store = NotifyingStore(bookings.store, bookings.notifier)
    with run_workers(bookings.worker(awaited)):
        for number in range(1, 20):
            store.write(outbox([make()]))
            awaited.wait_for(*range(1, number + 1))


def test_a_write_of_another_process_is_found_by_looking(bookings: BookingService, make: Maker):
    awaited = AwaitedReaction()
    with run_workers(bookings.worker(awaited, pace=Pace(poll=5))):
        bookings.store.write(outbox([make()]))
        awaited.wait_for(1)


def test_only_events_notify(bookings: BookingService, make: Maker):
    notified: list[str] = []

    class CountingNotifier(Notifier):
        def notify(self) -> None:
            notified.append("notified")

    store = NotifyingStore(bookings.store, CountingNotifier())
    key = Key(Partition.in_project(SCOPE, "notes"), "a")
    store.write([Put(key, {"text": "x"})])
    assert notified == []
    store.write([Put(key, {"text": "y"}), *outbox([make()])])
    assert notified == ["notified"]
    assert store.get(key) == bookings.store.get(key)
    assert store.snapshot([key]) == bookings.store.snapshot([key])
    assert store.query(key.partition) == bookings.store.query(key.partition)


def test_a_second_worker_waits_and_takes_over_when_the_first_stops(bookings: BookingService, make: Maker):
    first, second = AwaitedReaction(), AwaitedReaction()
    standby = Notifier()
    with run_workers(bookings.worker(second, "two", Pace(poll=5), standby)):
        bookings.store.write(outbox([make()]))
        second.wait_for(1)
        with run_workers(bookings.worker(first, "one", Pace(poll=5))):
            bookings.store.write(outbox([make()]))
            second.wait_for(1, 2)
    assert first.handled == []
    with run_workers(bookings.worker(first, "one", Pace(poll=5))):
        bookings.store.write(outbox([make()]))
        first.wait_for(3)


def test_a_stop_waits_for_the_delivery_under_way_and_keeps_its_result(bookings: BookingService, make: Maker):
    awaited = AwaitedReaction()
    begun, go_on = threading.Event(), threading.Event()

    def hold(event: Event) -> None:
        begun.set()
        assert go_on.wait(ENOUGH)

    awaited.before = hold
    worker = bookings.worker(awaited)
    bookings.store.write(outbox([make()]))
    bookings.store.write(outbox([make()]))
    thread = threading.Thread(target=worker.run)
    thread.start()
    assert begun.wait(ENOUGH)
    worker.stop()
    go_on.set()
    thread.join(ENOUGH)
    assert awaited.handled == [1]
    again = AwaitedReaction()
    with run_workers(bookings.worker(again)):
        again.wait_for(2)


def test_a_reaction_that_takes_longer_than_the_lease_lasts_keeps_it(bookings: BookingService, make: Maker):
    slow, other = AwaitedReaction(), AwaitedReaction()
    kept, go_on = threading.Event(), threading.Event()
    pace = Pace(poll=20, lease=600)
    waits: list[int] = []

    class Impatient(Notifier):
        """Pace of the second worker. Its 50 looks take far longer than the first worker's lease."""

        def wait(self, milliseconds: int) -> None:
            super().wait(milliseconds)
            waits.append(milliseconds)
            if len(waits) == 50:
                kept.set()

    slow.before = lambda event: go_on.wait(ENOUGH)
    bookings.store.write(outbox([make()]))
    with run_workers(bookings.worker(slow, "one", pace)):
        cursor = Key(Partition.system("feed"), "reactions")
        while bookings.store.get(cursor) is None:
            pass
        with run_workers(bookings.worker(other, "two", pace, Impatient())):
            assert kept.wait(ENOUGH)
            go_on.set()
            slow.wait_for(1)
    assert other.handled == []


def test_a_worker_outlives_a_store_that_fails(bookings: BookingService, make: Maker, reports: Reports):
    class FailingChanges:
        """Changes whose first three reads fail."""

        def __init__(self, changes: Changes) -> None:
            self.head, self.trim, self._read = changes.head, changes.trim, changes.read
            self.left = 3

        def read(self, after: int, limit: int):  # type: ignore[no-untyped-def]
            self.left -= 1
            if self.left >= 0:
                raise OSError("the disk is away")
            return self._read(after, limit)

    awaited = AwaitedReaction()
    bookings.changes = FailingChanges(bookings.changes)
    bookings.store.write(outbox([make()]))
    with run_workers(bookings.worker(awaited, pace=Pace(poll=5, outage=1))):
        awaited.wait_for(1)
    assert [str(error) for error in reports.errors] == ["the disk is away"] * 3


def test_the_change_table_is_kept_short(bookings: BookingService, make: Maker):
    awaited = AwaitedReaction()
    trimmed = threading.Event()

    class WatchedChanges:
        def __init__(self, changes: Changes) -> None:
            self.head, self.read, self._changes = changes.head, changes.read, changes

        def trim(self, through: int) -> None:
            self._changes.trim(through)
            if not self._changes.read(0, 1):
                trimmed.set()

    bookings.changes = WatchedChanges(bookings.changes)
    for _ in range(20):
        bookings.store.write(outbox([make()]))
    with run_workers(bookings.worker(awaited, pace=Pace(poll=5))):
        assert trimmed.wait(ENOUGH)
    assert bookings.changes.head() == 20


def test_a_worker_that_was_stopped_before_it_ran_does_nothing(bookings: BookingService, make: Maker):
    awaited = AwaitedReaction()
    bookings.store.write(outbox([make()]))
    worker = bookings.worker(awaited)
    worker.stop()
    worker.run()
    assert awaited.handled == []


def test_the_store_is_swept_now_and_then(bookings: BookingService):
    swept = threading.Event()
    worker = Worker(
        bookings.store,
        bookings.changes,
        Delivery(bookings.store, Services({}), bookings.clock, report=bookings.reports),
        [],
        bookings.clock,
        holder="one",
        notifier=bookings.notifier,
        report=bookings.reports,
        sweep=swept.set,
    )
    with run_workers(worker):
        assert swept.wait(ENOUGH)
