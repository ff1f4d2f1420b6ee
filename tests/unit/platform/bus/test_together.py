"""Events of one project that a reaction handles at once: with one effect for all, or each as if it came alone."""

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.events import Event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.change_feed import ChangeFeedConsumer
from almanac.platform.bus.delivery import Delivery, LostLease
from almanac.platform.bus.lease import HeldLease, Lease
from almanac.platform.bus.messages import Message
from almanac.platform.bus.ordered_queue import OrderedQueue, QueuedMessage
from almanac.platform.bus.outbox import outbox
from almanac.platform.bus.port import Reaction, Together
from almanac.platform.services import Services
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, ConditionFailed, Put, Update
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.platform.store.values import Value
from tests.unit.platform.bus.conftest import SCOPE, Maker, Recorder, Reports

OTHER = Scope("acme", "other")


class Gatherer:
    """A reaction like `recorder` that records the batches it gets."""

    def __init__(self, recorder: Recorder, events: int = 4, most: int = 100) -> None:
        self.given: list[list[int]] = []
        self.weigh: Callable[[Event], int] = lambda event: 1
        self._recorder = recorder
        together = Together(self._handle, events, self._weight, most)
        alone = recorder.reaction
        self.reaction = Reaction(alone.name, alone.kinds, alone.handle, together)

    def _weight(self, event: Event) -> int:
        return self.weigh(event)

    def _handle(self, events: Sequence[Event], services: Services) -> Sequence[Change]:
        self.given.append([event.payload["number"] for event in events])
        return [change for event in events for change in self._recorder.reaction.handle(event, services)]


class Feed:
    def __init__(
        self, store: SqliteStore, changes: SqliteChanges, delivery: Delivery, clock: FixedClock, reports: Reports
    ) -> None:
        self.store, self.clock = store, clock
        self._changes, self._delivery, self._reports = changes, delivery, reports

    def write(self, *events: Event) -> None:
        for event in events:
            self.store.write(outbox([event]))

    def lease(self, holder: str = "holder") -> HeldLease:
        held = Lease(self.store, self.clock, worker="w", holder=holder, length_ms=1000).take()
        assert held is not None
        return held

    def follow(self, gatherer: Gatherer, held: HeldLease | None = None) -> ChangeFeedConsumer:
        return ChangeFeedConsumer(
            self._changes, self._delivery, [gatherer.reaction], held or self.lease(), self._reports, lambda: 0.0
        )

    def step(self, consumer: ChangeFeedConsumer) -> bool:
        return consumer.step(now_ms(self.clock), lambda: False)


@pytest.fixture
def feed(store: SqliteStore, changes: SqliteChanges, delivery: Delivery, clock: FixedClock, reports: Reports) -> Feed:
    return Feed(store, changes, delivery, clock, reports)


@pytest.fixture
def counter(store: SqliteStore) -> Recorder:
    """Counts how often each event had its effect: a write takes one change of an item."""
    recorder = Recorder("counter")
    recorder.changes = lambda event: [Update(_counter_of(event.payload["number"]), add={"count": 1})]
    store.write([Put(_counter_of(number), {"count": 0}) for number in range(1, 70)])
    return recorder


@pytest.fixture
def gatherer(counter: Recorder) -> Gatherer:
    return Gatherer(counter)


def _counter_of(number: int) -> Key:
    return Key(Partition.in_project(SCOPE, "counters"), sort_key(str(number)))


def counts(store: SqliteStore, last: int) -> list[Value]:
    """Return the counts of the events from 1 to the last."""
    items = [store.get(_counter_of(number)) for number in range(1, last + 1)]
    return [item.attributes["count"] for item in items if item is not None]


def test_events_of_a_project_are_handled_at_once_and_each_has_its_effect_once(
    feed: Feed, gatherer: Gatherer, counter: Recorder, make: Maker
) -> None:
    consumer = feed.follow(gatherer)
    feed.write(*(make(key) for key in "abcdefg"))
    feed.step(consumer)
    assert gatherer.given == [[1, 2, 3, 4], [5, 6, 7]]
    assert (counts(feed.store, 7), consumer.queue_length) == ([1] * 7, 0)
    assert counter.attempts == [1, 2, 3, 4, 5, 6, 7]


def test_events_of_one_key_and_of_other_projects_are_not_handled_at_once(
    feed: Feed, gatherer: Gatherer, counter: Recorder, make: Maker
) -> None:
    consumer = feed.follow(gatherer)
    feed.write(make("a"), make("a"), make("b"), make("a", scope=OTHER), make("b", scope=OTHER))
    feed.step(consumer)
    assert [sorted(some) for some in gatherer.given] == [[1, 3], [4, 5]]
    assert counter.handled == [1, 3, 4, 5, 2]


def test_what_weighs_much_has_little_beside_it(feed: Feed, counter: Recorder, make: Maker) -> None:
    gatherer = Gatherer(counter, events=10, most=5)
    gatherer.weigh = lambda event: 4 if event.payload["number"] == 2 else 1
    consumer = feed.follow(gatherer)
    feed.write(*(make(key) for key in "abcdefg"))
    feed.step(consumer)
    assert gatherer.given == [[1, 2], [3, 4, 5, 6, 7]]


def test_where_one_fails_the_others_are_handled_and_it_is_tried_again(
    feed: Feed, gatherer: Gatherer, counter: Recorder, reports: Reports, make: Maker
) -> None:
    consumer = feed.follow(gatherer)
    # At once, alone, and then it goes well.
    counter.fail(2, ValueError("no"), ValueError("no"))
    feed.write(*(make(key) for key in "abc"))
    feed.step(consumer)
    assert (counts(feed.store, 3), consumer.queue_length, len(reports.errors)) == ([1, 0, 1], 1, 2)
    due = consumer.next_due()
    assert due is not None
    feed.clock.instant += timedelta(milliseconds=due - now_ms(feed.clock))
    feed.step(consumer)
    assert (counts(feed.store, 3), consumer.queue_length) == ([1, 1, 1], 0)


def test_a_defect_that_shows_only_at_once_is_told_of(
    feed: Feed, gatherer: Gatherer, counter: Recorder, reports: Reports, make: Maker
) -> None:
    consumer = feed.follow(gatherer)
    counter.fail(2, ZeroDivisionError("at once alone"))
    feed.write(*(make(key) for key in "abc"))
    feed.step(consumer)
    assert (counts(feed.store, 3), consumer.queue_length) == ([1] * 3, 0)
    assert [type(error) for error in reports.errors] == [ZeroDivisionError]


def test_a_lease_that_a_reaction_finds_lost_is_not_taken_for_a_failure(
    feed: Feed, delivery: Delivery, gatherer: Gatherer, counter: Recorder, make: Maker
) -> None:
    counter.fail(1, LostLease())
    with pytest.raises(LostLease):
        delivery.deliver_together([Message(make("a")), Message(make("b"))], gatherer.reaction)


def test_a_conflict_of_a_reaction_is_no_lost_lease(
    feed: Feed, delivery: Delivery, gatherer: Gatherer, counter: Recorder, make: Maker
) -> None:
    counter.fail(1, ConditionFailed(0, None))
    messages = [Message(make("a")), Message(make("b"))]
    assert not delivery.deliver_together(messages, gatherer.reaction, fence=feed.lease().fence)


def test_what_was_handled_before_has_no_effect_again(
    feed: Feed, delivery: Delivery, gatherer: Gatherer, make: Maker
) -> None:
    first, second = Message(make("a")), Message(make("b"))
    delivery.deliver(first, gatherer.reaction, tried=False)
    assert not delivery.deliver_together([first, second], gatherer.reaction)
    assert counts(feed.store, 2) == [1, 0]


def test_after_a_crash_what_may_have_been_tried_is_asked_for_one_by_one(
    feed: Feed, gatherer: Gatherer, counter: Recorder, make: Maker
) -> None:
    feed.write(*(make(key) for key in "abc"))
    consumer = feed.follow(gatherer)
    feed.step(consumer)
    assert (gatherer.given, counter.handled) == ([], [1, 2, 3])


def test_nothing_is_written_once_the_lease_is_lost(feed: Feed, delivery: Delivery, gatherer: Gatherer, make: Maker):
    held = feed.lease()
    feed.clock.instant += timedelta(seconds=2)
    feed.lease("another")
    with pytest.raises(LostLease):
        delivery.deliver_together([Message(make("a")), Message(make("b"))], gatherer.reaction, fence=held.fence)
    assert counts(feed.store, 2) == [0, 0]


def test_more_changes_than_a_write_takes_are_made_one_event_at_a_time(
    feed: Feed, gatherer: Gatherer, counter: Recorder, make: Maker
) -> None:
    many = Gatherer(counter, events=60)
    consumer = feed.follow(many)
    feed.write(*(make(f"key{number}") for number in range(60)))
    feed.step(consumer)
    assert (counts(feed.store, 60), consumer.queue_length, len(many.given)) == ([1] * 60, 0, 1)


def test_the_next_alike_is_of_the_same_project_and_reaction_and_untried(gatherer: Gatherer, make: Maker) -> None:
    queue = OrderedQueue()
    other = Reaction("other", frozenset(["noted"]), gatherer.reaction.handle)
    rows = [
        ("a", gatherer.reaction, SCOPE, False),
        ("b", gatherer.reaction, OTHER, False),
        ("c", gatherer.reaction, SCOPE, False),
        ("d", other, SCOPE, False),
        ("e", gatherer.reaction, SCOPE, True),
    ]
    for sequence, (key, reaction, scope, tried) in enumerate(rows):
        queue.append(QueuedMessage(sequence, Message(make(key, scope=scope)), reaction, tried))
    first = queue.take(SCOPE.tenant)
    assert first is not None
    alike = queue.take_similar(first)
    assert alike is not None
    assert alike.message.event.key.endswith("c")
    assert queue.take_similar(first) is None
