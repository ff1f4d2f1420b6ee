"""Dead letters: set aside, listed and sent again."""

from almanac.kernel.clock import FixedClock
from almanac.platform.bus.dead_letters import dead_letters, dead_letters_of_event, retry
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.messages import Message
from almanac.platform.bus.outbox import messages_in
from almanac.platform.bus.port import PermanentFailure
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.platform.bus.conftest import Maker, Recorder
from tests.unit.platform.bus.deliveries import GIVING_UP, count, exhaust


def test_a_parked_event_that_comes_again_stays_parked(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    message = Message(make())
    recorder.fail(1, *GIVING_UP)
    exhaust(delivery, clock, recorder, message)
    assert delivery.deliver(message, recorder.reaction, tried=True) is None
    assert recorder.handled == []


def test_a_retry_sends_the_event_to_the_reaction_that_gave_up_and_to_no_other(
    store: SqliteStore, changes: SqliteChanges, clock: FixedClock, delivery: Delivery, counter: Recorder, make: Maker
):
    message = Message(make())
    counter.fail(1, *GIVING_UP)
    exhaust(delivery, clock, counter, message)
    (found,) = dead_letters(store, "acme").events
    assert retry(store, clock, found)
    assert not retry(store, clock, found)
    assert dead_letters(store, "acme").events == ()
    ((sent,),) = [messages_in(change.attributes) for change in changes.read(0, 10)]
    assert (sent.event, sent.reaction) == (message.event, "counter")
    assert delivery.deliver(sent, counter.reaction, tried=False) is None
    assert delivery.deliver(message, counter.reaction, tried=True) is None
    assert count(store) == 1


def test_a_retry_that_fails_again_has_all_its_attempts_before_it_is_parked(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    recorder.fail(1, *GIVING_UP, *GIVING_UP)
    exhaust(delivery, clock, recorder, Message(make()))
    (found,) = dead_letters(store, "acme").events
    retry(store, clock, found)
    assert exhaust(delivery, clock, recorder, found.message) == 6
    assert len(dead_letters(store, "acme").events) == 1


def test_parked_events_are_listed_by_page_and_by_tenant(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, recorder: Recorder, make: Maker
):
    for number in range(1, 6):
        recorder.fail(number, *GIVING_UP)
        exhaust(delivery, clock, recorder, Message(make()))
    first = dead_letters(store, "acme", limit=3)
    rest = dead_letters(store, "acme", limit=3, cursor=first.cursor)
    assert [each.message.event.payload["number"] for each in (*first.events, *rest.events)] == [1, 2, 3, 4, 5]
    assert rest.cursor is None
    assert dead_letters(store, "other").events == ()


def test_one_event_is_parked_for_each_reaction_that_gave_up(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, make: Maker
):
    event = make()
    for name in ("index", "feed"):
        recorder = Recorder(name)
        recorder.fail(1, *GIVING_UP)
        exhaust(delivery, clock, recorder, Message(event))
    assert [each.record.reaction for each in dead_letters_of_event(store, "acme", event.id)] == ["feed", "index"]
    assert dead_letters_of_event(store, "acme", event.id[:-1]) == []


def test_what_no_further_attempt_would_help_is_parked_at_once(
    store: SqliteStore, delivery: Delivery, recorder: Recorder, make: Maker
):
    event = make()
    recorder.fail(1, PermanentFailure("Nothing here does that.", "Install it."))
    assert delivery.deliver(Message(event), recorder.reaction, tried=False) is None
    (parked,) = dead_letters(store, "acme").events
    assert (parked.record.attempts, parked.record.error) == (1, "PermanentFailure: Nothing here does that. Install it.")
