"""Test following the change table: no event lost or repeated, order per key, and no blocking by a hopeless event."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.events import Event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.change_feed import MAX_OF_PROJECT, ChangeFeedConsumer
from almanac.platform.bus.dead_letters import dead_letters, retry
from almanac.platform.bus.delivery import Delivery, LostLease
from almanac.platform.bus.lease import HeldLease, Lease
from almanac.platform.bus.outbox import outbox
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.changes import StoreChange
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, OutboxPut
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.platform.bus.conftest import SCOPE, Maker, Recorder, Reports

GIVING_UP = [ValueError("no")] * 6


class Feed:
    """A store and a consumer on it, which can be abandoned and begun again as after a crash."""

    def __init__(
        self, store: SqliteStore, changes: SqliteChanges, delivery: Delivery, clock: FixedClock, reports: Reports
    ) -> None:
        self.store, self.changes, self.clock = store, changes, clock
        self._delivery, self._reports = delivery, reports
        self.starts = 0

    def write(self, *events: Event) -> None:
        for event in events:
            self.store.write(outbox([event]))

    def lease(self) -> HeldLease:
        self.starts += 1
        lease = Lease(self.store, self.clock, worker="w", holder=f"holder-{self.starts}", length_ms=1000)
        held = lease.take()
        assert held is not None
        return held

    def begin(self, *recorders: Recorder, held: HeldLease | None = None) -> ChangeFeedConsumer:
        reactions = [recorder.reaction for recorder in recorders]
        return ChangeFeedConsumer(self.changes, self._delivery, reactions, held or self.lease(), self._reports)

    def crash(self) -> None:
        """The lease is left to itself."""
        self.clock.instant += timedelta(seconds=1)

    def run(self, consumer: ChangeFeedConsumer) -> None:
        """Until there is nothing new, nothing waits, or nothing is due for a minute."""
        while not consumer.step(now_ms(self.clock), lambda: False) or consumer.next_due() is not None:
            if (due := consumer.next_due()) is not None:
                self.clock.instant += timedelta(milliseconds=max(0, due - now_ms(self.clock)))


@pytest.fixture
def feed(store: SqliteStore, changes: SqliteChanges, delivery: Delivery, clock: FixedClock, reports: Reports) -> Feed:
    return Feed(store, changes, delivery, clock, reports)


def _step(consumer: ChangeFeedConsumer, feed: Feed) -> bool:
    return consumer.step(now_ms(feed.clock), lambda: False)


def test_events_reach_the_reactions_to_their_kind(feed: Feed, make: Maker):
    notes, claims, both = Recorder("notes"), Recorder("claims", ["claimed"]), Recorder("both", ["noted", "claimed"])
    feed.write(make(kind="noted"), make(kind="claimed"), make(kind="other"))
    feed.run(feed.begin(notes, claims, both))
    assert (notes.handled, claims.handled, both.handled) == ([1], [2], [1, 2])


def test_what_was_written_before_the_first_start_is_handled(feed: Feed, make: Maker, recorder: Recorder):
    feed.write(*[make() for _ in range(3)])
    feed.run(feed.begin(recorder))
    assert recorder.handled == [1, 2, 3]


def test_more_than_a_batch_is_read_in_steps(feed: Feed, make: Maker, recorder: Recorder):
    feed.write(*[make() for _ in range(600)])
    feed.run(feed.begin(recorder))
    assert recorder.handled == list(range(1, 601))


def test_after_a_stop_it_goes_on_where_it_was(feed: Feed, make: Maker, recorder: Recorder):
    feed.write(make(), make())
    feed.run(feed.begin(recorder))
    feed.crash()
    feed.write(make())
    feed.run(feed.begin(recorder))
    assert recorder.attempts == [1, 2, 3]


def test_after_a_crash_what_was_done_is_recognised(feed: Feed, make: Maker, recorder: Recorder):
    feed.write(*[make() for _ in range(4)])
    calls = iter([False, False, False, True])
    consumer = feed.begin(recorder)
    consumer.keep_position = lambda: None  # type: ignore[method-assign] - it dies before it comes to that
    consumer.step(now_ms(feed.clock), lambda: next(calls))
    assert recorder.handled == [1, 2, 3]
    feed.crash()
    feed.run(feed.begin(recorder))
    assert recorder.handled == [1, 2, 3, 4]


def test_events_behind_a_failed_one_wait_for_it_and_those_of_other_keys_do_not(
    feed: Feed, make: Maker, recorder: Recorder
):
    recorder.fail(1, ValueError("no"))
    feed.write(make("a"), make("b"), make("a"), make("b"))
    consumer = feed.begin(recorder)
    _step(consumer, feed)
    assert recorder.handled == [2, 4]
    feed.run(consumer)
    assert recorder.handled == [2, 4, 1, 3]


def test_a_failing_reaction_holds_up_no_other_reaction(feed: Feed, make: Maker):
    failing, fine = Recorder("failing"), Recorder("fine")
    failing.fail(1, *GIVING_UP)
    feed.write(make(), make())
    consumer = feed.begin(failing, fine)
    _step(consumer, feed)
    assert (failing.handled, fine.handled) == ([], [1, 2])


def test_a_failing_event_is_parked_and_then_those_behind_it_go_on(feed: Feed, make: Maker, recorder: Recorder):
    recorder.fail(1, *GIVING_UP)
    feed.write(make(), make(), make())
    feed.run(feed.begin(recorder))
    assert recorder.handled == [2, 3]
    assert [each.message.event.payload["number"] for each in dead_letters(feed.store, "acme").events] == [1]


def test_a_parked_event_that_is_retried_comes_after_newer_ones(feed: Feed, make: Maker, recorder: Recorder):
    recorder.fail(1, *GIVING_UP)
    feed.write(make(), make())
    consumer = feed.begin(recorder)
    feed.run(consumer)
    (parked,) = dead_letters(feed.store, "acme").events
    retry(feed.store, feed.clock, parked)
    feed.run(consumer)
    assert recorder.handled == [2, 1]


def test_a_retry_stays_in_order_with_what_is_written_after_it(feed: Feed, make: Maker, recorder: Recorder):
    recorder.fail(1, *GIVING_UP, ValueError("again"))
    feed.write(make())
    consumer = feed.begin(recorder)
    feed.run(consumer)
    (parked,) = dead_letters(feed.store, "acme").events
    retry(feed.store, feed.clock, parked)
    feed.write(make())
    feed.run(consumer)
    assert recorder.handled == [1, 2]


def test_the_position_that_is_kept_lies_before_what_waits(feed: Feed, make: Maker, recorder: Recorder):
    recorder.fail(2, ValueError("no"))
    feed.write(make("a"), make("b"), make("c"))
    held = feed.lease()
    consumer = feed.begin(recorder, held=held)
    _step(consumer, feed)
    assert held.position == 1
    feed.run(consumer)
    assert held.position == 3


def test_attempts_and_order_survive_a_crash_while_events_wait(feed: Feed, make: Maker, recorder: Recorder):
    recorder.fail(1, *GIVING_UP[:3])
    feed.write(make("a"), make("b"), make("a"))
    _step(feed.begin(recorder), feed)
    feed.crash()
    feed.run(feed.begin(recorder))
    assert recorder.handled == [2, 1, 3]
    assert recorder.attempts == [1, 2, 1, 1, 1, 3]


def test_a_tail_that_lost_the_lease_delivers_nothing_more(feed: Feed, make: Maker, recorder: Recorder):
    held = feed.lease()
    stale = feed.begin(recorder, held=held)
    feed.crash()
    feed.begin(recorder)
    feed.write(make())
    with pytest.raises(LostLease):
        _step(stale, feed)
    assert dead_letters(feed.store, "acme").events == ()


def test_a_change_that_cannot_be_read_is_reported_and_holds_up_nothing(
    feed: Feed, make: Maker, recorder: Recorder, reports: Reports
):
    feed.store.write([OutboxPut(Key(Partition.in_project(SCOPE, "outbox", "a"), "outbox"), {"messages": ["{}"]})])
    feed.write(make())
    feed.run(feed.begin(recorder))
    assert recorder.handled == [1]
    assert len(reports.errors) == 1


def test_no_more_than_a_bounded_number_of_events_waits_in_memory(
    feed: Feed, delivery: Delivery, make: Maker, recorder: Recorder, reports: Reports
):
    class Endless:
        """Changes of one key without end."""

        def __init__(self) -> None:
            self.asked = 0

        def read(self, after: int, limit: int) -> Sequence[StoreChange]:
            self.asked += limit
            (change,) = outbox([make()])
            assert isinstance(change, OutboxPut)
            return [StoreChange(after + place, dict(change.attributes)) for place in range(1, limit + 1)]

        def head(self) -> int:
            return 0

        def trim(self, through: int) -> None:
            raise AssertionError(through)

    endless = Endless()
    kinds = frozenset(["noted"])
    failing = Reaction("failing", kinds, lambda event, services: 1 // 0)  # type: ignore[arg-type, return-value]
    held = feed.lease()
    consumer = ChangeFeedConsumer(endless, delivery, [failing], held, reports)
    for _ in range(10):
        _step(consumer, feed)
    assert consumer.queue_length == MAX_OF_PROJECT
    assert held.position == 0


class Slow:
    """A reaction whose every event takes a second of a clock of its own, which is the round's."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.handled: list[tuple[str, str, int]] = []
        self.reaction = Reaction("slow", frozenset(["noted"]), self._handle)

    def _handle(self, event: Event, services: Services) -> Sequence[Change]:
        self.seconds += 1
        self.handled.append((event.tenant, event.project, event.payload["number"]))
        return []

    def now(self) -> float:
        return self.seconds

    def seconds_until(self, scope: Scope) -> float:
        return next(
            place for place, (*whose, _) in enumerate(self.handled, 1) if tuple(whose) == (scope.tenant, scope.project)
        )


def _tail(
    feed: Feed, delivery: Delivery, slow: Slow, reports: Reports, held: HeldLease | None = None
) -> ChangeFeedConsumer:
    return ChangeFeedConsumer(feed.changes, delivery, [slow.reaction], held or feed.lease(), reports, slow.now)


@pytest.mark.parametrize("other", [Scope("rival", "main"), Scope("acme", "other")])
@pytest.mark.parametrize("flood", [20, MAX_OF_PROJECT + 300])
def test_however_much_a_project_has_waiting_the_event_of_another_is_next_but_one(
    feed: Feed, delivery: Delivery, reports: Reports, make: Maker, other: Scope, flood: int
):
    slow = Slow()
    feed.write(*[make(f"k{number % 7}") for number in range(flood)])
    consumer = _tail(feed, delivery, slow, reports)
    while consumer.queue_length < min(flood, MAX_OF_PROJECT) - 5:
        _step(consumer, feed)
    before = len(slow.handled)
    feed.write(make(scope=other))
    while all((tenant, project) != (other.tenant, other.project) for tenant, project, _ in slow.handled):
        _step(consumer, feed)
    assert slow.seconds_until(other) - before <= 5


@pytest.mark.slow
def test_what_did_not_fit_into_memory_is_handled_in_order_and_nothing_is_lost(
    feed: Feed, delivery: Delivery, reports: Reports, make: Maker
):
    slow, rival, held = Slow(), Scope("rival", "main"), feed.lease()
    count = 2 * MAX_OF_PROJECT + 300
    feed.write(*[make("k", scope=rival if number % 10 == 9 else SCOPE) for number in range(count)])
    consumer = _tail(feed, delivery, slow, reports, held)
    positions = [held.position]
    while not _step(consumer, feed):
        positions.append(held.position)
        lowest = min(set(range(1, count + 1)) - {number for *_, number in slow.handled}, default=count + 1)
        assert held.position < lowest
    for scope in (SCOPE, rival):
        numbers = [number for tenant, _, number in slow.handled if tenant == scope.tenant]
        assert numbers == sorted(numbers)
    assert sorted(number for *_, number in slow.handled) == list(range(1, count + 1))
    assert positions == sorted(positions)
    assert held.position == count


def test_a_busy_project_killed_in_the_midst_goes_on_where_it_was(
    feed: Feed, delivery: Delivery, reports: Reports, make: Maker
):
    slow = Slow()
    feed.write(*[make(f"k{number % 3}") for number in range(MAX_OF_PROJECT + 50)])
    consumer = _tail(feed, delivery, slow, reports)
    for _ in range(100):
        _step(consumer, feed)
    feed.crash()
    again = _tail(feed, delivery, slow, reports)
    while not _step(again, feed):
        pass
    assert sorted(number for *_, number in slow.handled) == list(range(1, MAX_OF_PROJECT + 51))


def test_it_stops_between_two_changes_when_asked(feed: Feed, make: Maker, recorder: Recorder):
    feed.write(*[make() for _ in range(3)])
    held = feed.lease()
    consumer = feed.begin(recorder, held=held)
    consumer.step(now_ms(feed.clock), lambda: len(recorder.handled) == 2)
    assert recorder.handled == [1, 2]
    assert held.position == 2
