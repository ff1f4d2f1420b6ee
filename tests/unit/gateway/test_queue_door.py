"""The queue door: every message to the reactions, partial failures reported, order kept within a group."""

import json
from collections.abc import Iterable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from almanac.gateway.events.queue_door import QueueDoor, queue_handler
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.events import Event, new_event
from almanac.platform.bus.dead_letters import dead_letters
from almanac.platform.bus.delivery import Delivery, Report
from almanac.platform.bus.messages import Message, encode_message
from almanac.platform.bus.port import Reaction
from almanac.platform.bus.sinks import ON_BUS
from almanac.platform.services import Services
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Change, Put, Update
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.gateway.silent import Silent

SCOPE = Scope("acme", "main")


class Recorder:
    def __init__(self, name: str = "index", kind: str = "noted") -> None:
        self.handled: list[int] = []
        self.failing: set[int] = set()
        self.reaction = Reaction(name, frozenset([kind]), self._handle)

    def _handle(self, event: Event, services: Services) -> Sequence[Change]:
        number: int = event.payload.get("number", 0)
        if number in self.failing:
            raise ValueError(str(number))
        self.handled.append(number)
        return []


class Line:
    def __init__(self, store: SqliteStore, clock: FixedClock) -> None:
        self.store, self.clock, self.telemetry = store, clock, Silent()
        self.index, self.feed = Recorder("index"), Recorder("feed")
        self.opened = 0
        self._handler = queue_handler([self.index.reaction, self.feed.reaction], self._open, self.telemetry)

    def _open(self, report: Report) -> Delivery:
        self.opened += 1
        return Delivery(self.store, Services({}), self.clock, report=report)

    def handle(self, *records: dict[str, Any]) -> list[str]:
        """The messages that are reported as failed."""
        answer = self._handler({"Records": list(records)}, None)
        return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


@pytest.fixture
def line(tmp_path: Path, clock: FixedClock) -> Iterable[Line]:
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    yield Line(store, clock)
    store.close()


def _message(number: int, key: str = "a", scope: Scope = SCOPE) -> Message:
    event = new_event(
        "noted",
        scope,
        key=key,
        actor="ada",
        at=1,
        random_bytes=lambda count: number.to_bytes(count, "big"),
        payload={"number": number},
    )
    return Message(event)


def _record(message: Message, received: int = 1) -> dict[str, Any]:
    attributes = {"ApproximateReceiveCount": str(received), "MessageGroupId": message.group}
    return {
        "messageId": f"m{message.event.payload['number']}",
        "body": encode_message(message),
        "attributes": attributes,
        "eventSource": "aws:sqs",
    }


def test_the_sample_queue_event_is_settled(line: Line, repository: Path):
    event = json.loads((repository / "events/reactions_queue.json").read_text())
    claims = Recorder("claims", "claim_acquired")
    handler = queue_handler(
        [claims.reaction],
        lambda report: Delivery(line.store, Services({}), line.clock, report=report),
        line.telemetry,
    )
    assert handler(event, None) == {"batchItemFailures": []}
    assert len(claims.handled) == 3
    assert handler(event, None) == {"batchItemFailures": []}
    for entry in event["Records"]:
        entry["attributes"]["ApproximateReceiveCount"] = "2"
    handler(event, None)
    assert len(claims.handled) == 6, "copies with a count of 1 are begun and refused, known ones are not begun"


def test_a_failed_message_holds_back_its_group_and_no_other(line: Line):
    line.index.failing = {2}
    failed = line.handle(*[_record(_message(n, key)) for n, key in ((1, "a"), (2, "b"), (3, "a"), (4, "b"), (5, "c"))])
    assert failed == ["m2", "m4"]
    assert line.index.handled == [1, 3, 5]


def test_a_batch_that_fails_as_a_whole_is_reported_like_any_other(line: Line):
    line.index.failing = {1}
    assert line.handle(_record(_message(1))) == ["m1"]


def test_the_reactions_that_succeeded_are_not_repeated(line: Line):
    line.index.failing = {1}
    line.handle(_record(_message(1)))
    line.index.failing = set()
    line.clock.instant += timedelta(seconds=1)
    assert line.handle(_record(_message(1), received=2)) == []
    assert (line.index.handled, line.feed.handled) == ([1], [1])


def test_a_failing_event_is_parked_and_its_group_goes_on(line: Line):
    line.index.failing = {1}
    records = [_message(1), _message(2)]
    rounds = 0
    while line.handle(*[_record(message, received=rounds + 1) for message in records]):
        rounds += 1
        line.clock.instant += timedelta(minutes=3)
    assert rounds == 5
    assert line.index.handled == [2]
    (parked,) = dead_letters(line.store, "acme").events
    assert parked.record.reaction == "index"
    assert len(line.telemetry.defects) == 6


def test_a_message_that_cannot_be_read_is_left_to_the_dead_letter_queue(line: Line):
    broken = _record(_message(1, "a")) | {"body": "{}"}
    assert line.handle(broken, _record(_message(2, "b"))) == ["m1"]
    assert line.index.handled == [2]
    assert len(line.telemetry.defects) == 1


def test_the_delivery_is_opened_once(line: Line):
    assert line.opened == 0
    line.handle(_record(_message(1)))
    line.handle(_record(_message(2)))
    assert line.opened == 1


def test_a_reaction_without_order_has_messages_from_the_bus_and_from_here_what_an_earlier_version_sent(line: Line):
    unordered = Recorder("rules")
    reactions = [line.index.reaction, structs.replace(unordered.reaction, unordered=True)]
    handle = queue_handler(
        reactions, lambda report: Delivery(line.store, Services({}), line.clock, report=report), line.telemetry
    )
    sent = {ON_BUS: {"stringValue": "unordered", "dataType": "String"}}
    handle({"Records": [_record(_message(1)) | {"messageAttributes": sent}]}, None)
    assert (line.index.handled, unordered.handled) == ([1], [])
    handle({"Records": [_record(_message(1), received=2) | {"messageAttributes": {}}]}, None)
    assert (line.index.handled, unordered.handled) == ([1], [1])


def test_in_a_queue_without_order_a_failed_message_holds_up_no_other_of_its_key(line: Line):
    rules = Recorder("rules")
    rules.failing = {1}
    handle = queue_handler(
        [structs.replace(rules.reaction, unordered=True)],
        lambda report: Delivery(line.store, Services({}), line.clock, report=report),
        line.telemetry,
        is_fifo=False,
    )
    records = [_record(_message(number)) for number in (1, 2, 3)]
    assert handle({"Records": records}, None) == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    assert handle({"Records": records[:1]}, None) == {"batchItemFailures": [{"itemIdentifier": "m1"}]}
    assert rules.handled == [2, 3]


def test_a_message_that_comes_twice_at_once_has_its_effect_once(line: Line):
    counted = Key(Partition.in_project(SCOPE, "counted"), "one")
    line.store.write([Put(counted, {})])

    def count(event: Event, services: Services) -> Sequence[Change]:
        return [Update(counted, add={"times": 1})]

    reaction = Reaction("count", frozenset(["noted"]), count)
    handle = queue_handler(
        [structs.replace(reaction, unordered=True)],
        lambda report: Delivery(line.store, Services({}), line.clock, report=report),
        line.telemetry,
        is_fifo=False,
    )
    assert handle({"Records": [_record(_message(1)), _record(_message(1))]}, None) == {"batchItemFailures": []}
    item = line.store.get(counted)
    assert item is not None
    assert item.attributes["times"] == 1


def test_a_message_for_one_reaction_reaches_no_other(line: Line):
    message = _message(1)
    line.handle(_record(Message(message.event, "feed", 5)))
    assert (line.index.handled, line.feed.handled) == ([], [1])


def test_tenants_take_turns_in_a_batch_and_a_slow_one_has_a_bounded_part_of_it(tmp_path: Path, clock: FixedClock):
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    seconds, handled = [0.0], list[tuple[str, int]]()

    def slow(event: Event, services: Services) -> Sequence[Change]:
        handled.append((event.tenant, event.payload["number"]))
        seconds[0] += 3 if event.tenant == "acme" else 0
        return []

    reaction = Reaction("slow", frozenset(["noted"]), slow)
    door = QueueDoor(
        [reaction],
        lambda report: Delivery(store, Services({}), clock, report=report),
        Silent(),
        monotonic=lambda: seconds[0],
    )
    busy = [_record(_message(number, key=f"k{number}")) for number in range(1, 8)]
    calm = [_record(_message(number, scope=Scope("beta", "main"))) for number in (8, 9)]
    answer = door.handle({"Records": [*busy, *calm]}, None)
    assert handled[:4] == [("acme", 1), ("beta", 8), ("acme", 2), ("beta", 9)]
    assert [number for tenant, number in handled if tenant == "acme"] == [1, 2, 3]
    failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
    assert failed == {record["messageId"] for record in busy[3:]}
    store.close()
