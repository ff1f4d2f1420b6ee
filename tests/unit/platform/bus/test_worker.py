"""The worker as a thread: woken by writes, one of several at work, stopped in order."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.events import Event
from almanac.platform.bus.bell import Bell, RingingStore
from almanac.platform.bus.delivery import Delivery
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


class Awaited:
    """A reaction whose events a test waits for."""

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


class Desk:
    """Workers on one store."""

    def __init__(self, store: SqliteStore, changes: Changes, reports: Reports) -> None:
        self.store, self.changes, self.reports = store, changes, reports
        self.bell = Bell()
        self.clock = SystemClock()

    def worker(self, awaited: Awaited, holder: str = "one", pace: Pace = NEVER, bell: Bell | None = None) -> Worker:
        services = Services({Store: lambda: self.store, Clock: lambda: self.clock})
        return Worker(
            self.store,
            self.changes,
            Delivery(self.store, services, self.clock, report=self.reports),
            [awaited.reaction],
            self.clock,
            holder=holder,
            bell=bell or self.bell,
            report=self.reports,
            pace=pace,
        )


@contextmanager
def running(*workers: Worker) -> Generator[None]:
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
def desk(path: Path, reports: Reports) -> Generator[Desk]:
    store = SqliteStore(path, clock=SystemClock(), cursor_secret=b"the secret of these tests")
    changes = SqliteChanges(path)
    yield Desk(store, changes, reports)
    changes.close()
    store.close()


def test_a_write_of_this_process_wakes_it_at_once(desk: Desk, make: Maker):
    awaited = Awaited()
    store = RingingStore(desk.store, desk.bell)
    with running(desk.worker(awaited)):
        for number in range(1, 20):
            store.write(outbox([make()]))
            awaited.wait_for(*range(1, number + 1))


def test_a_write_of_another_process_is_found_by_looking(desk: Desk, make: Maker):
    awaited = Awaited()
    with running(desk.worker(awaited, pace=Pace(poll=5))):
        desk.store.write(outbox([make()]))
        awaited.wait_for(1)


def test_only_events_ring(desk: Desk, make: Maker):
    rung: list[str] = []

    class Counting(Bell):
        def ring(self) -> None:
            rung.append("ring")

    store = RingingStore(desk.store, Counting())
    key = Key(Partition.in_project(SCOPE, "notes"), "a")
    store.write([Put(key, {"text": "x"})])
    assert rung == []
    store.write([Put(key, {"text": "y"}), *outbox([make()])])
    assert rung == ["ring"]
    assert store.get(key) == desk.store.get(key)
    assert store.snapshot([key]) == desk.store.snapshot([key])
    assert store.query(key.partition) == desk.store.query(key.partition)


def test_a_second_worker_waits_and_takes_over_when_the_first_stops(desk: Desk, make: Maker):
    first, second = Awaited(), Awaited()
    standby = Bell()
    with running(desk.worker(second, "two", Pace(poll=5), standby)):
        desk.store.write(outbox([make()]))
        second.wait_for(1)
        with running(desk.worker(first, "one", Pace(poll=5))):
            desk.store.write(outbox([make()]))
            second.wait_for(1, 2)
    assert first.handled == []
    with running(desk.worker(first, "one", Pace(poll=5))):
        desk.store.write(outbox([make()]))
        first.wait_for(3)


def test_a_stop_waits_for_the_delivery_under_way_and_keeps_its_result(desk: Desk, make: Maker):
    awaited = Awaited()
    begun, go_on = threading.Event(), threading.Event()

    def hold(event: Event) -> None:
        begun.set()
        assert go_on.wait(ENOUGH)

    awaited.before = hold
    worker = desk.worker(awaited)
    desk.store.write(outbox([make()]))
    desk.store.write(outbox([make()]))
    thread = threading.Thread(target=worker.run)
    thread.start()
    assert begun.wait(ENOUGH)
    worker.stop()
    go_on.set()
    thread.join(ENOUGH)
    assert awaited.handled == [1]
    again = Awaited()
    with running(desk.worker(again)):
        again.wait_for(2)


def test_a_reaction_that_takes_longer_than_the_lease_lasts_keeps_it(desk: Desk, make: Maker):
    slow, other = Awaited(), Awaited()
    kept, go_on = threading.Event(), threading.Event()
    pace = Pace(poll=20, lease=600)
    waits: list[int] = []

    class Impatient(Bell):
        """Of the second worker: 50 looks in vain are well over the length of the first one's lease."""

        def wait(self, milliseconds: int) -> None:
            super().wait(milliseconds)
            waits.append(milliseconds)
            if len(waits) == 50:
                kept.set()

    slow.before = lambda event: go_on.wait(ENOUGH)
    desk.store.write(outbox([make()]))
    with running(desk.worker(slow, "one", pace)):
        cursor = Key(Partition.system("feed"), "reactions")
        while desk.store.get(cursor) is None:
            pass
        with running(desk.worker(other, "two", pace, Impatient())):
            assert kept.wait(ENOUGH)
            go_on.set()
            slow.wait_for(1)
    assert other.handled == []


def test_a_worker_outlives_a_store_that_fails(desk: Desk, make: Maker, reports: Reports):
    class Failing:
        """Changes that cannot be read the first three times."""

        def __init__(self, changes: Changes) -> None:
            self.head, self.trim, self._read = changes.head, changes.trim, changes.read
            self.left = 3

        def read(self, after: int, limit: int):  # type: ignore[no-untyped-def]
            self.left -= 1
            if self.left >= 0:
                raise OSError("the disk is away")
            return self._read(after, limit)

    awaited = Awaited()
    desk.changes = Failing(desk.changes)
    desk.store.write(outbox([make()]))
    with running(desk.worker(awaited, pace=Pace(poll=5, outage=1))):
        awaited.wait_for(1)
    assert [str(error) for error in reports.errors] == ["the disk is away"] * 3


def test_the_change_table_is_kept_short(desk: Desk, make: Maker):
    awaited = Awaited()
    trimmed = threading.Event()

    class Watched:
        def __init__(self, changes: Changes) -> None:
            self.head, self.read, self._changes = changes.head, changes.read, changes

        def trim(self, through: int) -> None:
            self._changes.trim(through)
            if not self._changes.read(0, 1):
                trimmed.set()

    desk.changes = Watched(desk.changes)
    for _ in range(20):
        desk.store.write(outbox([make()]))
    with running(desk.worker(awaited, pace=Pace(poll=5))):
        assert trimmed.wait(ENOUGH)
    assert desk.changes.head() == 20


def test_a_worker_that_was_stopped_before_it_ran_does_nothing(desk: Desk, make: Maker):
    awaited = Awaited()
    desk.store.write(outbox([make()]))
    worker = desk.worker(awaited)
    worker.stop()
    worker.run()
    assert awaited.handled == []


def test_the_store_is_swept_now_and_then(desk: Desk):
    swept = threading.Event()
    worker = Worker(
        desk.store,
        desk.changes,
        Delivery(desk.store, Services({}), desk.clock, report=desk.reports),
        [],
        desk.clock,
        holder="one",
        bell=desk.bell,
        report=desk.reports,
        sweep=swept.set,
    )
    with running(worker):
        assert swept.wait(ENOUGH)
