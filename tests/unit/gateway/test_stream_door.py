"""The stream door: outbox items to the queue and the bus, ended at the first message that was not taken."""

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from almanac.gateway.events.stream_door import stream_handler
from almanac.kernel.caller import Scope
from almanac.kernel.events import Event, new_event
from almanac.platform.bus.messages import Message, decode_message
from almanac.platform.bus.outbox import outbox, post
from almanac.platform.bus.sinks import Bus, Queue, batches
from almanac.platform.store.dynamodb.items import put_image
from almanac.platform.store.port import Change, Put
from tests.unit.gateway.silent import Silent

SCOPE = Scope("acme", "main")


class FakeSqs:
    """Takes every message but those whose event number is refused."""

    def __init__(self) -> None:
        self.calls: list[list[dict[str, Any]]] = []
        self.refused: set[int] = set()
        self.down = False

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803
        if self.down:
            raise ConnectionError(QueueUrl)
        failed = [entry for entry in Entries if _number(entry) in self.refused]
        self.calls.append([entry for entry in Entries if entry not in failed])
        answer: dict[str, Any] = {"Successful": [{"Id": entry["Id"]} for entry in self.calls[-1]]}
        return answer | (
            {"Failed": [{"Id": e["Id"], "Code": "InternalError"} for e in reversed(failed)]} if failed else {}
        )

    @property
    def sent_numbers(self) -> list[int]:
        return [_number(entry) for call in self.calls for entry in call]


class FakeEvents:
    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self.refused: set[int] = set()
        self.down = False

    def put_events(self, *, Entries: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803
        if self.down:
            raise ConnectionError("events")
        answers: list[dict[str, str]] = []
        for entry in Entries:
            if _event_number(entry) in self.refused:
                answers.append({"ErrorCode": "ThrottlingException"})
            else:
                answers.append({"EventId": "1"})
                self.entries.append(entry)
        return {"FailedEntryCount": len(self.refused), "Entries": answers}

    @property
    def sent_numbers(self) -> list[int]:
        return [_event_number(entry) for entry in self.entries]


class Line:
    """The door with its queue and its bus."""

    def __init__(self) -> None:
        self.sqs, self.events, self.telemetry = FakeSqs(), FakeEvents(), Silent()
        sinks = (
            Queue(self.sqs, "https://queue"),
            Bus(self.events, "bus", {"noted", "claim_acquired"}, lambda _: False),
        )
        self._handler = stream_handler(lambda: sinks, self.telemetry)

    def handle(self, *records: dict[str, Any]) -> str | None:
        """The sequence number that is reported as failed."""
        return self.handle_event({"Records": list(records)})

    def handle_event(self, event: dict[str, Any]) -> str | None:
        failures = self._handler(event, None)["batchItemFailures"]
        assert len(failures) <= 1
        return failures[0]["itemIdentifier"] if failures else None


@pytest.fixture
def line() -> Line:
    return Line()


def _number(entry: dict[str, Any]) -> int:
    return decode_message(entry["MessageBody"]).event.payload.get("number", 0)


def _event_number(entry: dict[str, Any]) -> int:
    detail = json.loads(entry["Detail"])
    return (detail["event"] if entry["Source"] == "almanac.rules" else detail)["payload"].get("number", 0)


def _event(number: int, key: str | None = None) -> Event:
    return new_event(
        "noted",
        SCOPE,
        key=key or f"key-{number}",
        actor="ada",
        at=number,
        random_bytes=bytes,
        payload={"number": number},
    )


def _record(sequence: int, changes: Sequence[Change], name: str = "INSERT") -> dict[str, Any]:
    (put,) = changes
    assert isinstance(put, Put)
    image = put_image(put, dict(put.attributes))
    return {"eventName": name, "dynamodb": {"SequenceNumber": str(sequence), "NewImage": image}}


def _records(*keys: str) -> list[dict[str, Any]]:
    return [_record(number, outbox([_event(number, key)])) for number, key in enumerate(keys, 1)]


def test_the_sample_stream_event_carries_its_three_events(line: Line, repository: Path):
    assert line.handle_event(json.loads((repository / "events/feed_stream.json").read_text())) is None
    carried = [decode_message(entry["MessageBody"]).event.key for call in line.sqs.calls for entry in call]
    assert carried == ["file:src/auth.py", "file:src/auth.py", "story:JIRA-123"]
    assert [entry["DetailType"] for entry in line.events.entries] == ["claim_acquired"] * 3


def test_only_outbox_items_that_were_written_are_news(line: Line):
    outboxed = _record(1, outbox([_event(1)]))
    removed = _record(2, outbox([_event(2)]), "REMOVE")
    other = _record(3, outbox([_event(3)]), "MODIFY")
    del other["dynamodb"]["NewImage"]["FEED"]
    bare = {"eventName": "REMOVE", "dynamodb": {"SequenceNumber": "4"}}
    assert line.handle(outboxed, removed, other, bare) is None
    assert line.sqs.sent_numbers == line.events.sent_numbers == [1]


def test_a_message_names_its_group_and_what_it_is_a_copy_of(line: Line):
    event = _event(1)
    line.handle(_record(1, outbox([event])))
    ((entry,),) = line.sqs.calls
    assert entry["MessageGroupId"] == Message(event).group
    assert entry["MessageDeduplicationId"] == event.id
    assert decode_message(entry["MessageBody"]) == Message(event)


def test_the_bus_is_told_in_terms_of_the_event(line: Line):
    line.handle(_record(1, outbox([_event(1)])))
    (entry,) = line.events.entries
    assert (entry["Source"], entry["DetailType"], entry["EventBusName"]) == ("almanac", "noted", "bus")
    detail = json.loads(entry["Detail"])
    assert set(detail) == {"id", "kind", "tenant", "project", "key", "at", "actor", "payload"}
    assert entry["Time"].timestamp() == 0.001


def test_messages_go_ten_at_a_time(line: Line):
    assert line.handle(*_records(*[f"key-{n}" for n in range(25)])) is None
    assert [len(call) for call in line.sqs.calls] == [10, 10, 5]
    assert line.sqs.sent_numbers == line.events.sent_numbers == list(range(1, 26))


def test_no_two_messages_of_a_key_are_under_way_together(line: Line):
    line.handle(*_records("a", "b", "a", "a", "c"))
    assert [[_number(entry) for entry in call] for call in line.sqs.calls] == [[1, 2], [3], [4, 5]]


def test_events_of_one_item_go_in_order(line: Line):
    line.handle(_record(1, outbox([_event(n, "a") for n in (1, 2, 3)])))
    assert [[_number(entry) for entry in call] for call in line.sqs.calls] == [[1], [2], [3]]


@pytest.mark.parametrize("sink", ["sqs", "events"])
def test_what_comes_after_a_refused_message_is_not_sent_and_the_batch_is_repeated_from_there(line: Line, sink: str):
    getattr(line, sink).refused = {4, 7}
    failed = line.handle(*_records("a", "b", "c", "d", "a", "d", "e"))
    assert failed == "4"
    assert not {5, 6} & set(line.sqs.sent_numbers), "of the keys a and d nothing may overtake"
    assert 4 not in line.events.sent_numbers
    assert len(line.telemetry.defects) == 1


def test_the_record_of_the_refused_message_is_reported_though_others_of_it_were_taken(line: Line):
    line.sqs.refused = {3}
    records = [_record(8, outbox([_event(1, "a")])), _record(9, outbox([_event(n, "b") for n in (2, 3, 4)]))]
    assert line.handle(*records) == "9"
    assert line.sqs.sent_numbers == [1, 2]


@pytest.mark.parametrize("sink", ["sqs", "events"])
def test_while_a_service_is_down_everything_comes_again(line: Line, sink: str):
    getattr(line, sink).down = True
    records = _records("a", "b")
    assert line.handle(*records) == "1"
    assert [type(defect) for defect in line.telemetry.defects] == [ConnectionError]
    getattr(line, sink).down = False
    assert line.handle(*records) is None
    assert set(line.sqs.sent_numbers) == set(line.events.sent_numbers) == {1, 2}


def test_a_record_that_cannot_be_read_is_reported_and_holds_up_nothing(line: Line):
    broken = _record(1, outbox([_event(1)]))
    broken["dynamodb"]["NewImage"]["messages"] = {"L": [{"S": '{"event": 1}'}]}
    assert line.handle(broken, _record(2, outbox([_event(2)]))) is None
    assert line.sqs.sent_numbers == [2]
    assert len(line.telemetry.defects) == 1


def test_a_retry_goes_to_the_queue_and_is_no_news_for_others(line: Line):
    again = Message(_event(2), "index", 5)
    assert line.handle(_record(1, outbox([_event(1)])), _record(2, post([again]))) is None
    assert line.sqs.sent_numbers == [1, 2]
    assert line.events.sent_numbers == [1]
    assert line.sqs.calls[0][1]["MessageDeduplicationId"] == again.identity


def test_the_bus_counts_what_it_leaves_out_as_taken():
    events = FakeEvents()
    events.refused = {3}
    messages = [Message(_event(1), "index", 5), Message(_event(2)), Message(_event(3))]
    bus = Bus(events, "bus", {"noted"}, lambda _: False)
    assert bus.send(messages).accepted == 2
    assert bus.send(messages[:1]).accepted == 1


def test_the_bus_is_put_what_has_a_listener_and_nothing_else():
    events = FakeEvents()
    bus = Bus(events, "bus", {"noted"}, lambda message: message.event.payload["number"] % 2 == 1)
    retried = Message(_event(3), "team.fire_rule", 5)
    others = [Message(dataclasses.replace(_event(number), kind="other")) for number in (4, 5)]
    messages = [Message(_event(1)), Message(_event(2)), retried, *others]
    assert bus.send(messages).accepted == 5
    put = [(entry["Source"], entry["DetailType"], _event_number(entry)) for entry in events.entries]
    assert put == [
        ("almanac", "noted", 1),
        ("almanac.rules", "noted", 1),
        ("almanac", "noted", 2),
        ("almanac.rules", "noted", 3),
        ("almanac.rules", "other", 5),
    ]
    assert [decode_message(events.entries[place]["Detail"]) for place in (1, 3)] == [messages[0], retried]


def test_what_nobody_listens_to_is_not_put():
    events = FakeEvents()
    events.down = True
    assert Bus(events, "bus", (), lambda _: False).send([Message(_event(1))]).accepted == 1


def test_the_sinks_of_one_event_serve_all_of_its_records_and_no_other_event():
    opened: list[FakeSqs] = []

    def sinks() -> list[Queue]:
        opened.append(FakeSqs())
        return [Queue(opened[-1], "https://queue")]

    handler = stream_handler(sinks, Silent())
    for _ in range(2):
        handler({"Records": _records("a", "a", "b")}, None)
    assert [each.sent_numbers for each in opened] == [[1, 2, 3]] * 2


def test_an_empty_event_opens_the_sinks_and_sends_nothing(line: Line):
    assert line.handle() is None
    assert line.sqs.calls == []


def test_batches_lose_nothing_and_keep_the_order():
    keys = [n * n % 7 for n in range(100)]
    messages = [Message(_event(place, f"k{key}")) for place, key in enumerate(keys)]
    split = list(batches(messages, lambda message: message))
    assert [message for batch in split for message in batch] == messages
    for batch in split:
        assert 1 <= len(batch) <= 10
        assert len({message.group for message in batch}) == len(batch)


def test_ten_of_the_largest_messages_fit_one_request():
    payload = {"text": "\\" * (8 * 1024 - 10)}
    key, scope = "\x01" * 512, Scope("t" * 64, "p" * 64)
    event = new_event("k" * 64, scope, key=key, actor="a" * 64, at=10**13, random_bytes=bytes, payload=payload)
    sqs, events = FakeSqs(), FakeEvents()
    for sink in (Queue(sqs, "https://queue"), Bus(events, "bus", {event.kind}, lambda _: True)):
        assert sink.send([Message(event)] * 10).accepted == 10
    assert sum(len(entry["MessageBody"]) for entry in sqs.calls[0]) < 240 * 1024
    assert len(events.entries) == 20
    assert all(sum(len(entry["Detail"]) for entry in events.entries[half:][:10]) < 240 * 1024 for half in (0, 10))
