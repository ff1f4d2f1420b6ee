"""Delivery: an event has its effect once, together with its marker."""

from datetime import timedelta

import pytest

from almanac.kernel.clock import FixedClock
from almanac.kernel.events import Event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.delivery import Delivery, LostLease
from almanac.platform.bus.messages import Message
from almanac.platform.bus.port import Reaction
from almanac.platform.bus.records import REMEMBERED_MS, done_key, failing_key
from almanac.platform.services import Services
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, Check, Put, Store
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.platform.bus.conftest import COUNTER, SCOPE, Maker, Recorder, Reports
from tests.unit.platform.bus.deliveries import count, delivery_records


@pytest.mark.parametrize("tried", [False, True])
def test_an_event_that_comes_again_has_its_effect_once(
    store: SqliteStore, delivery: Delivery, counter: Recorder, make: Maker, tried: bool
):
    message = Message(make())
    assert delivery.deliver(message, counter.reaction, tried=False) is None
    assert delivery.deliver(message, counter.reaction, tried=tried) is None
    assert count(store) == 1


def test_what_is_known_to_be_done_is_not_even_begun(delivery: Delivery, counter: Recorder, make: Maker):
    message = Message(make())
    delivery.deliver(message, counter.reaction, tried=False)
    delivery.deliver(message, counter.reaction, tried=True)
    assert len(counter.attempts) == 1


def test_a_repeatable_reaction_leaves_no_marker_and_its_failures_are_counted_all_the_same(
    store: SqliteStore, delivery: Delivery, make: Maker
):
    shown, failing = Key(Partition.in_project(SCOPE, "shown"), "a"), [ValueError("once")]

    def show(event: Event, services: Services) -> list[Change]:
        if failing:
            raise failing.pop()
        return [Put(shown, {"event": event.id})]

    reaction, message = Reaction("test.show", frozenset(["claimed"]), show, repeatable=True), Message(make())
    retry_at = delivery.deliver(message, reaction, tried=False)
    assert retry_at is not None
    assert delivery.deliver(message, reaction, tried=True) == retry_at

    assert store.get(done_key(message.event, reaction.name)) is None
    assert store.get(failing_key(message.event, reaction.name)) is not None
    other = Message(make())
    for tried in (False, True):
        assert delivery.deliver(other, reaction, tried=tried) is None
        assert store.get(done_key(other.event, reaction.name)) is None
        item = store.get(shown)
        assert item is not None
        assert item.attributes == {"event": other.event.id}


def test_each_reaction_has_its_own_progress(store: SqliteStore, delivery: Delivery, counter: Recorder, make: Maker):
    other = Recorder("other")
    other.changes = counter.changes
    message = Message(make())
    for recorder in (counter, other, counter, other):
        delivery.deliver(message, recorder.reaction, tried=True)
    assert count(store) == 2


def test_a_marker_is_forgotten_after_thirty_days(
    store: SqliteStore, clock: FixedClock, delivery: Delivery, counter: Recorder, make: Maker
):
    message = Message(make())
    delivery.deliver(message, counter.reaction, tried=False)
    done, _ = delivery_records(store, message.event, counter)
    assert done is not None
    assert done.expires_at == now_ms(clock) + REMEMBERED_MS


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
        seen = count(store)
        if len(reaction.attempts) < 3:
            store.write([Put(COUNTER, {"count": seen + 10})])
        return [Put(COUNTER, {"count": seen + 1}, Equals("count", seen))]

    reaction.changes = race
    assert delivery.deliver(Message(make()), reaction.reaction, tried=False) is None
    assert count(store) == 21
    assert len(reaction.attempts) == 3


def test_a_conflict_that_never_ends_is_a_failure(
    store: SqliteStore, delivery: Delivery, make: Maker, clock: FixedClock
):
    reaction = Recorder()
    reaction.changes = lambda event: [Check(COUNTER, Equals("count", 1))]
    assert delivery.deliver(Message(make()), reaction.reaction, tried=False) == now_ms(clock) + 500
    assert len(reaction.attempts) == 5


def test_nothing_is_written_once_the_fence_has_fallen(
    store: SqliteStore, delivery: Delivery, counter: Recorder, make: Maker
):
    fallen = Check(Key(Partition.system("feed"), "worker"), Equals("fence", 1))
    counter.fail(2, ValueError("no"))
    for message in (Message(make()), Message(make())):
        with pytest.raises(LostLease):
            delivery.deliver(message, counter.reaction, tried=False, fence=fallen)
        assert delivery_records(store, message.event, counter) == (None, None)
    assert count(store) == 0


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
