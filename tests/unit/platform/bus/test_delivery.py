"""Delivery: an event has its effect once; failures are counted, spaced and in the end parked."""

from datetime import timedelta

import pytest

from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Unavailable
from almanac.kernel.events import Event
from almanac.platform.bus.delivery import Delivery, LostLease, Patience
from almanac.platform.bus.messages import Message
from almanac.platform.bus.outbox import messages_in
from almanac.platform.bus.parking import parked_events, parked_reactions, retry
from almanac.platform.bus.port import Hopeless
from almanac.platform.bus.records import REMEMBERED_MS, done_key, failing_key
from almanac.platform.services import Services
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.expiry import milliseconds
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, Check, Item, Put, Store, Update
from almanac.platform.store.sqlite import SqliteStore
from almanac.platform.store.sqlite_changes import SqliteChanges
from tests.unit.platform.bus.conftest import SCOPE, Maker, Recorder, Reports

COUNTER = Key(Partition.in_project(SCOPE, "counters"), sort_key("counter"))
GIVING_UP = [ValueError("no")] * 6


@pytest.fixture
def counter(store: SqliteStore) -> Recorder:
    """A reaction that counts: twice would show."""
    store.write([Put(COUNTER, {"count": 0})])
    recorder = Recorder("counter")
    recorder.changes = lambda event: [Update(COUNTER, add={"count": 1})]
    return recorder


def _count(store: SqliteStore) -> int:
    item = store.get(COUNTER)
    assert item is not None
    count = item.attributes["count"]
    assert isinstance(count, int)
    return count


def _exhaust(delivery: Delivery, clock: FixedClock, recorder: Recorder, message: Message) -> int:
    """Delivers until it is settled; returns how many times that took."""
    times = 0
    while True:
        times += 1
        retry_at = delivery.deliver(message, recorder.reaction, tried=times > 1)
        if retry_at is None:
            return times
        clock.instant += timedelta(milliseconds=retry_at - milliseconds(clock))


def _standing(store: SqliteStore, event: Event, recorder: Recorder) -> tuple[Item | None, Item | None]:
    done, failing = store.snapshot(
        [done_key(event, recorder.reaction.name), failing_key(event, recorder.reaction.name)]
    )
    return done, failing


@pytest.mark.parametrize("tried", [False, True])
def test_an_event_that_comes_again_has_its_effect_once(
    store: SqliteStore, delivery: Delivery, counter: Recorder, make: Maker, tried: bool
):
    message = Message(make())
    assert delivery.deliver(message, counter.reaction, tried=False) is None
    assert delivery.deliver(message, counter.reaction, tried=tried) is None
    assert _count(store) == 1


def test_what_is_known_to_be_done_is_not_even_begun(delivery: Delivery, counter: Recorder, make: Maker):
    message = Message(make())
    delivery.deliver(message, counter.reaction, tried=False)
    delivery.deliver(message, counter.reaction, tried=True)
    assert len(counter.attempts) == 1


def test_each_reaction_has_its_own_progress(store: SqliteStore, delivery: Delivery, counter: Recorder, make: Maker):
    other = Recorder("other")
    other.changes = counter.changes
    message = Message(make())
    for recorder in (counter, other, counter, other):
        delivery.deliver(message, recorder.reaction, tried=True)
    assert _count(store) == 2


def test_a_marker_is_forgotten_after_thirty_days(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, counter: Recorder, make: Maker
):
    message = Message(make())
    delivery.deliver(message, counter.reaction, tried=False)
    done, _ = _standing(store, message.event, counter)
    assert done is not None
    assert done.expires_at == milliseconds(clock) + REMEMBERED_MS


def test_an_effect_that_was_seen_in_part_is_not_taken_for_a_conflict(
    store: SqliteStore, delivery: Delivery, make: Maker, reports: Reports
):
    once = Recorder("once")
    once.changes = lambda event: [Put(Key(COUNTER.partition, event.id), {"by": "once"}, Absent())]
    message = Message(make())
    for _ in range(2):
        assert delivery.deliver(message, once.reaction, tried=False) is None
    assert reports.errors == []


def test_a_conflict_makes_the_reaction_look_again(store: SqliteStore, delivery: Delivery, make: Maker):
    reaction = Recorder()
    store.write([Put(COUNTER, {"count": 0})])

    def race(event: Event) -> list[Change]:
        seen = _count(store)
        if len(reaction.attempts) < 3:
            store.write([Put(COUNTER, {"count": seen + 10})])
        return [Put(COUNTER, {"count": seen + 1}, Equals("count", seen))]

    reaction.changes = race
    assert delivery.deliver(Message(make()), reaction.reaction, tried=False) is None
    assert _count(store) == 21
    assert len(reaction.attempts) == 3


def test_a_conflict_that_never_ends_is_a_failure(
    store: SqliteStore, delivery: Delivery, make: Maker, clock: FixedClock
):
    reaction = Recorder()
    reaction.changes = lambda event: [Check(COUNTER, Equals("count", 1))]
    assert delivery.deliver(Message(make()), reaction.reaction, tried=False) == milliseconds(clock) + 500
    assert len(reaction.attempts) == 5


def test_attempts_are_spaced_ever_wider_and_then_the_event_is_parked(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    event = make()
    recorder.fail(1, *GIVING_UP)
    pauses: list[int] = []
    while (retry_at := delivery.deliver(Message(event), recorder.reaction, tried=bool(pauses))) is not None:
        pauses.append(retry_at - milliseconds(clock))
        clock.instant += timedelta(milliseconds=pauses[-1])
    assert pauses == [500, 1000, 2000, 4000, 8000]
    (found,) = parked_events(store, "acme").events
    assert found.message.event == event
    assert found.parked.reaction == "recorder"
    assert found.parked.attempts == 6
    assert found.parked.error == "ValueError: no"
    assert found.parked.parked_at - found.parked.first_at == sum(pauses)
    assert _standing(store, event, recorder) == (None, None)


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
    assert fresh.deliver(message, recorder.reaction, tried=True) == milliseconds(clock) + 1000


def test_a_failure_that_was_overcome_leaves_nothing_behind(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    event = make()
    recorder.fail(1, ValueError("no"))
    assert _exhaust(delivery, clock, recorder, Message(event)) == 2
    done, failing = _standing(store, event, recorder)
    assert done
    assert failing is None


def test_an_outage_does_not_count_as_a_fault_of_the_event(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    recorder.fail(1, *[Unavailable("The index is down.")] * 40)
    assert _exhaust(delivery, clock, recorder, Message(make())) == 41
    assert recorder.handled == [1]


def test_an_outage_that_does_not_end_parks_the_event_too(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    recorder.fail(1, *[Unavailable("The index is down.")] * 200)
    assert _exhaust(delivery, clock, recorder, Message(make())) == 100
    assert len(parked_events(store, "acme").events) == 1


def test_a_pause_never_exceeds_the_longest():
    patience = Patience()
    assert [patience.pause(attempts) for attempts in (7, 8, 9, 100, 10_000)] == [32_000, 60_000, 60_000, 60_000, 60_000]


def test_a_parked_event_that_comes_again_stays_parked(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    message = Message(make())
    recorder.fail(1, *GIVING_UP)
    _exhaust(delivery, clock, recorder, message)
    assert delivery.deliver(message, recorder.reaction, tried=True) is None
    assert recorder.handled == []


def test_a_retry_sends_the_event_to_the_reaction_that_gave_up_and_to_no_other(
    store: SqliteStore, changes: SqliteChanges, clock: FixedClock, delivery: Delivery, counter: Recorder, make: Maker
):
    message = Message(make())
    counter.fail(1, *GIVING_UP)
    _exhaust(delivery, clock, counter, message)
    (found,) = parked_events(store, "acme").events
    assert retry(store, clock, found)
    assert not retry(store, clock, found)
    assert parked_events(store, "acme").events == ()
    ((sent,),) = [messages_in(change.attributes) for change in changes.read(0, 10)]
    assert (sent.event, sent.reaction) == (message.event, "counter")
    assert delivery.deliver(sent, counter.reaction, tried=False) is None
    assert delivery.deliver(message, counter.reaction, tried=True) is None
    assert _count(store) == 1


def test_a_retry_that_fails_again_has_all_its_attempts_before_it_is_parked(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    recorder.fail(1, *GIVING_UP, *GIVING_UP)
    _exhaust(delivery, clock, recorder, Message(make()))
    (found,) = parked_events(store, "acme").events
    retry(store, clock, found)
    assert _exhaust(delivery, clock, recorder, found.message) == 6
    assert len(parked_events(store, "acme").events) == 1


def test_parked_events_are_listed_by_page_and_by_tenant(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    for number in range(1, 6):
        recorder.fail(number, *GIVING_UP)
        _exhaust(delivery, clock, recorder, Message(make()))
    first = parked_events(store, "acme", limit=3)
    rest = parked_events(store, "acme", limit=3, cursor=first.cursor)
    assert [each.message.event.payload["number"] for each in (*first.events, *rest.events)] == [1, 2, 3, 4, 5]
    assert rest.cursor is None
    assert parked_events(store, "other").events == ()


def test_one_event_is_parked_for_each_reaction_that_gave_up(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, make: Maker
):
    event = make()
    for name in ("index", "feed"):
        recorder = Recorder(name)
        recorder.fail(1, *GIVING_UP)
        _exhaust(delivery, clock, recorder, Message(event))
    assert [each.parked.reaction for each in parked_reactions(store, "acme", event.id)] == ["feed", "index"]
    assert parked_reactions(store, "acme", event.id[:-1]) == []


def test_nothing_is_written_once_the_fence_has_fallen(
    store: SqliteStore, delivery: Delivery, counter: Recorder, make: Maker
):
    fallen = Check(Key(Partition.system("feed"), "worker"), Equals("fence", 1))
    counter.fail(2, ValueError("no"))
    for message in (Message(make()), Message(make())):
        with pytest.raises(LostLease):
            delivery.deliver(message, counter.reaction, tried=False, fence=fallen)
        assert _standing(store, message.event, counter) == (None, None)
    assert _count(store) == 0


def test_a_reaction_with_too_many_changes_is_at_fault(
    delivery: Delivery, recorder: Recorder, make: Maker, reports: Reports
):
    recorder.changes = lambda event: [Put(Key(COUNTER.partition, str(place)), {}) for place in range(97)]
    assert delivery.deliver(Message(make()), recorder.reaction, tried=False) is not None
    assert "97 changes" in str(reports.errors[0])


def test_the_most_changes_a_reaction_may_make_fit_even_on_a_fenced_second_attempt(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    recorder.changes = lambda event: [Put(Key(COUNTER.partition, str(place)), {}) for place in range(96)]
    recorder.fail(1, ValueError("no"))
    store.write([Put(COUNTER, {"fence": 1})])
    fence = Check(COUNTER, Equals("fence", 1))
    message = Message(make())
    delivery.deliver(message, recorder.reaction, tried=False, fence=fence)
    clock.instant += timedelta(minutes=1)
    assert delivery.deliver(message, recorder.reaction, tried=True, fence=fence) is None


def test_services_are_opened_once_and_only_when_asked_for(store: SqliteStore):
    opened: list[str] = []

    def open_store() -> SqliteStore:
        opened.append("store")
        return store

    services = Services({Store: open_store})
    assert opened == []
    assert services.get(Store) is services.get(Store) is store
    assert opened == ["store"]


def test_what_no_further_attempt_would_help_is_parked_at_once(
    store: SqliteStore, delivery: Delivery, recorder: Recorder, make: Maker
):
    event = make()
    recorder.fail(1, Hopeless("Nothing here does that.", "Install it."))
    assert delivery.deliver(Message(event), recorder.reaction, tried=False) is None
    (parked,) = parked_events(store, "acme").events
    assert (parked.parked.attempts, parked.parked.error) == (1, "Hopeless: Nothing here does that. Install it.")
