"""Test that listeners hear of a tool's changes, and that reactions act on them."""

import json
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import pytest

from almanac.composition.families import every_reaction
from almanac.families.calendar.entries.records import CALENDARS
from almanac.identity.tenants import DEFAULT_PROJECT
from almanac.kernel.caller import Scope
from almanac.kernel.events import Event
from almanac.platform.bus.messages import decode_message
from almanac.platform.bus.records import DONE
from almanac.platform.store.port import Store
from tests.e2e.emulated_functions import StackQueue
from tests.e2e.local_stack import SYSTEM, Stack
from tests.e2e.target import TENANT, Target, eventually

KIND = "slot_booked"
SCOPE = Scope(TENANT, DEFAULT_PROJECT)
SLOT = {"start": "2032-05-06T12:00:00Z", "end": "2032-05-06T13:00:00Z"}


@dataclass
class Subscriber:
    """A queue that receives the events of the stack's bus."""

    stack: Stack
    name: str

    def __post_init__(self) -> None:
        self._sqs, events, bus = self.stack.client("sqs"), self.stack.client("events"), f"{SYSTEM}-events"
        self._queue: str = self._sqs.create_queue(QueueName=self.name)["QueueUrl"]
        asked = self._sqs.get_queue_attributes(QueueUrl=self._queue, AttributeNames=["QueueArn"])
        events.put_rule(Name=self.name, EventBusName=bus, EventPattern=json.dumps({"source": ["almanac"]}))
        target = {"Id": "heard", "Arn": asked["Attributes"]["QueueArn"]}
        events.put_targets(Rule=self.name, EventBusName=bus, Targets=[target])

    def receive(self) -> list[dict[str, Any]]:
        found = self._sqs.receive_message(QueueUrl=self._queue, MaxNumberOfMessages=10).get("Messages", [])
        return [json.loads(message["Body"])["detail"] for message in found]


@pytest.fixture
def subscriber(calendar: Target) -> Subscriber:
    if calendar.stack is None:
        pytest.skip("there is no bus to listen to from here")
    return Subscriber(calendar.stack, f"e2e-{token_hex(4)}")


def _book(at: Target) -> tuple[str, str]:
    """A calendar, and the id of the event that was booked in it."""
    room = f"e2e-{token_hex(4)}"
    at.ask("create_calendar", "/calendar", name=room, calendar_id=room)
    return room, at.ask("book_slot", "/calendar", calendar_id=room, summary="Told", **SLOT)["event_id"]


def test_a_booking_comes_out_of_the_bus_and_leaves_no_queue_behind(calendar: Target, subscriber: Subscriber):
    room, event_id = _book(calendar)
    (told,) = eventually(
        lambda: [event for event in subscriber.receive() if event["payload"].get("event_id") == event_id]
    )
    assert (told["kind"], told["tenant"], told["payload"]["calendar_id"]) == (KIND, TENANT, room)
    names = ("events.fifo", "rules", "events-dead.fifo", "rules-dead", "feed-dead")
    *queues, first, second, third = (StackQueue(subscriber.stack, name) for name in names)
    eventually(lambda: [queue.count_waiting() for queue in queues] == [0, 0])
    assert [each.count_waiting() for each in (first, second, third)] == [0, 0, 0]


def test_every_reaction_to_a_booking_and_its_cancelling_has_its_effect(calendar: Target):
    if calendar.open_store is None:
        pytest.skip("the store cannot be looked into from here")
    store = calendar.open_store()
    room, event_id = _book(calendar)
    seen = [_last_event(store, room, event_id)]
    calendar.ask("cancel_booking", "/calendar", calendar_id=room, booking_id=event_id)
    seen.append(_last_event(store, room, event_id))
    assert [event.kind for event in seen] == [KIND, "booking_cancelled"]
    # Where rules have events from the bus, those that no rule listens to are not sent there.
    marking = [
        each for each in every_reaction() if not each.repeatable and not (each.unordered and calendar.stack is not None)
    ]
    reacting = [(event.id, each.name) for event in seen for each in marking if event.kind in each.kinds]
    assert reacting
    done = DONE.within(store, SCOPE)
    for event, reaction in reacting:
        eventually(lambda event=event, reaction=reaction: done.get(event, reaction) is not None)


def _last_event(store: Store, room: str, event_id: str) -> Event:
    """Return the last event about the booking, which the calendar's own item carries."""
    calendar = CALENDARS.within(store, SCOPE).get(room)
    assert calendar is not None
    (message,) = map(decode_message, calendar.messages)
    assert message.event.key == f"calendar/{room}/{event_id}"
    return message.event
