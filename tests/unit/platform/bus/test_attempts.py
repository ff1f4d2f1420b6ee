"""Attempts: failures are counted and spaced, and outages are waited for."""

from datetime import timedelta

from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Unavailable
from almanac.kernel.instants import now_ms
from almanac.platform.bus.dead_letters import dead_letters
from almanac.platform.bus.delivery import Delivery, RetryPolicy
from almanac.platform.bus.messages import Message
from almanac.platform.services import Services
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.platform.bus.conftest import Maker, Recorder, Reports
from tests.unit.platform.bus.deliveries import GIVING_UP, delivery_records, exhaust


def test_attempts_are_spaced_ever_wider_and_then_the_event_is_parked(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    event = make()
    recorder.fail(1, *GIVING_UP)
    backoff: list[int] = []
    while (retry_at := delivery.deliver(Message(event), recorder.reaction, tried=bool(backoff))) is not None:
        backoff.append(retry_at - now_ms(clock))
        clock.instant += timedelta(milliseconds=backoff[-1])
    assert backoff == [500, 1000, 2000, 4000, 8000]
    (found,) = dead_letters(store, "acme").events
    assert found.message.event == event
    assert found.record.reaction == "recorder"
    assert found.record.attempts == 6
    assert found.record.error == "ValueError: no"
    assert found.record.parked_at - found.record.first_at == sum(backoff)
    assert delivery_records(store, event, recorder) == (None, None)


def test_an_event_is_not_tried_before_its_time(delivery: Delivery, recorder: Recorder, make: Maker):
    message = Message(make())
    recorder.fail(1, *GIVING_UP)
    retry_at = delivery.deliver(message, recorder.reaction, tried=False)
    assert delivery.deliver(message, recorder.reaction, tried=True) == retry_at
    assert len(recorder.attempts) == 1


def test_attempts_are_counted_across_restarts(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker, reports: Reports
):
    message = Message(make())
    recorder.fail(1, *GIVING_UP)
    delivery.deliver(message, recorder.reaction, tried=False)
    clock.instant += timedelta(minutes=1)
    fresh = Delivery(store, Services({}), clock, report=reports)
    assert fresh.deliver(message, recorder.reaction, tried=True) == now_ms(clock) + 1000


def test_a_failure_that_was_overcome_leaves_nothing_behind(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    event = make()
    recorder.fail(1, ValueError("no"))
    assert exhaust(delivery, clock, recorder, Message(event)) == 2
    done, failing = delivery_records(store, event, recorder)
    assert done
    assert failing is None


def test_an_outage_does_not_count_as_a_fault_of_the_event(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    recorder.fail(1, *[Unavailable("The index is down.")] * 40)
    assert exhaust(delivery, clock, recorder, Message(make())) == 41
    assert recorder.handled == [1]


def test_an_outage_that_does_not_end_parks_the_event_too(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    recorder.fail(1, *[Unavailable("The index is down.")] * 200)
    assert exhaust(delivery, clock, recorder, Message(make())) == 100
    assert len(dead_letters(store, "acme").events) == 1


def test_a_pause_never_exceeds_the_longest():
    policy = RetryPolicy()
    assert [policy.pause(attempts) for attempts in (7, 8, 9, 100, 10_000)] == [32_000, 60_000, 60_000, 60_000, 60_000]
