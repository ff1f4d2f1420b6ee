"""Test events from a write in the table to the reactions, through the emulator's stream, queue and bus and our two
handlers.

The test does the work of Lambda's event source mappings: it reads the stream and the queue, and repeats reported
failures.
"""

import json
import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import boto3  # pyright: ignore[reportMissingTypeStubs]
import pytest

from almanac.gateway.events.queue_door import queue_handler
from almanac.gateway.events.stream_door import stream_handler
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.events import Event, new_event
from almanac.platform.bus.dead_letters import dead_letters, retry
from almanac.platform.bus.delivery import Delivery, Report
from almanac.platform.bus.messages import Message
from almanac.platform.bus.outbox import outbox
from almanac.platform.bus.port import Reaction
from almanac.platform.bus.sinks import Bus, Queue
from almanac.platform.services import Services
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, Put, Store
from almanac.platform.store.values import Value
from tests.contract.backends import REGION, TABLE, Place
from tests.unit.gateway.silent import Silent

KEYS = ("a", "b", "c")
EVENTS = 12
POISON = ("b", 4)


class Cloud:
    """The emulator's stream, FIFO queue and bus. A second queue receives the bus's events."""

    def __init__(self, address: str, name: str) -> None:
        self._streams = self.client("dynamodbstreams", address)
        self.sqs, self.events = self.client("sqs", address), self.client("events", address)
        # A message that failed is to be had again at once.
        fifo = {"FifoQueue": "true", "VisibilityTimeout": "0"}
        self.queue: str = self.sqs.create_queue(QueueName=f"{name}.fifo", Attributes=fifo)["QueueUrl"]
        self.heard: str = self.sqs.create_queue(QueueName=f"{name}-heard")["QueueUrl"]
        self.bus = name
        self.events.create_event_bus(Name=name)
        self.events.put_rule(Name=name, EventBusName=name, EventPattern=json.dumps({"source": ["almanac"]}))
        asked = self.sqs.get_queue_attributes(QueueUrl=self.heard, AttributeNames=["QueueArn"])
        target = {"Id": "heard", "Arn": asked["Attributes"]["QueueArn"]}
        self.events.put_targets(Rule=name, EventBusName=name, Targets=[target])
        self._place: str | None = None

    @staticmethod
    def client(service: str, address: str) -> Any:
        return boto3.client(service, endpoint_url=address, region_name=REGION)  # pyright: ignore

    def new_records(self) -> list[dict[str, Any]]:
        if self._place is None:
            arn = self._streams.list_streams(TableName=TABLE)["Streams"][0]["StreamArn"]
            (shard,) = self._streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
            self._place = self._streams.get_shard_iterator(
                StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
            )["ShardIterator"]
        found: list[dict[str, Any]] = []
        while True:
            page = self._streams.get_records(ShardIterator=self._place, Limit=1000)
            self._place = page["NextShardIterator"]
            found += page["Records"]
            if not page["Records"]:
                return found

    def receive(self, queue: str) -> list[dict[str, Any]]:
        """Up to ten messages, in the form that a Lambda event has them."""
        answer = self.sqs.receive_message(
            QueueUrl=queue, MaxNumberOfMessages=10, AttributeNames=["All"], VisibilityTimeout=30
        )
        return [
            {
                "messageId": each["MessageId"],
                "receiptHandle": each["ReceiptHandle"],
                "body": each["Body"],
                "attributes": each["Attributes"],
                "eventSource": "aws:sqs",
            }
            for each in answer.get("Messages", [])
        ]

    def settle(self, queue: str, records: list[dict[str, Any]], failed: set[str]) -> None:
        for record in records:
            handle = {"QueueUrl": queue, "ReceiptHandle": record["receiptHandle"]}
            if record["messageId"] in failed:
                self.sqs.change_message_visibility(**handle, VisibilityTimeout=0)
            else:
                self.sqs.delete_message(**handle)


class Handlers:
    """Both handlers on the emulator, and a reaction that keeps a list for every key."""

    def __init__(self, cloud: Cloud, store: Store, clock: FixedClock, scope: Scope) -> None:
        self.cloud, self.store, self.clock, self.scope = cloud, store, clock, scope
        self.cured = False
        self.telemetry = Silent()
        sinks = (Queue(cloud.sqs, cloud.queue), Bus(cloud.events, cloud.bus, {"listed"}, lambda _: False))
        reaction = Reaction("list", frozenset(["listed"]), self._append)
        self._feed = stream_handler(lambda: sinks, self.telemetry)
        self._react = queue_handler([reaction], self._open, self.telemetry)

    def write(self, key: str, number: int) -> None:
        event = new_event(
            "listed",
            self.scope,
            key=key,
            actor="ada",
            at=number,
            random_bytes=os.urandom,
            payload={"number": number},
        )
        state = Key(Partition.in_project(self.scope, "state"), sort_key(key))
        self.store.write([Put(state, {"number": number}), *outbox([event])])

    def feed(self) -> None:
        records = [
            each for each in self.cloud.new_records() if self.scope.tenant in each["dynamodb"]["Keys"]["PK"]["S"]
        ]
        assert self._feed({"Records": records}, None) == {"batchItemFailures": []}

    def react(self) -> None:
        """Until the queue is empty; a round that leaves messages behind takes two minutes."""
        while records := self.cloud.receive(self.cloud.queue):
            answer = self._react({"Records": records}, None)
            failed = {failure["itemIdentifier"] for failure in answer["batchItemFailures"]}
            self.cloud.settle(self.cloud.queue, records, failed)
            if failed:
                self.clock.instant += timedelta(minutes=2)

    def listed_numbers(self, key: str) -> list[Value]:
        item = self.store.get(self._list_key(key))
        numbers = item.attributes["numbers"] if item else []
        assert isinstance(numbers, list)
        return numbers

    def _open(self, report: Report) -> Delivery:
        services = Services({Store: lambda: self.store, Clock: lambda: self.clock})
        return Delivery(self.store, services, self.clock, report=report)

    def _append(self, event: Event, services: Services) -> Sequence[Change]:
        number: int = event.payload["number"]
        if (event.key, number) == POISON and not self.cured:
            raise ValueError("too much")
        before = self.listed_numbers(event.key)
        after: dict[str, Value] = {"numbers": [*before, number], "length": len(before) + 1}
        standing = Equals("length", len(before)) if before else Absent()
        return [Put(self._list_key(event.key), after, standing)]

    def _list_key(self, key: str) -> Key:
        return Key(Partition.in_project(self.scope, "lists"), sort_key(key))


@pytest.fixture
def handlers(ministack_address: str, clock: FixedClock, scope: Scope) -> Handlers:
    store = Place("ministack", ministack_address).open(clock)
    return Handlers(Cloud(ministack_address, f"events-{scope.tenant}"), store, clock, scope)


def test_events_reach_reactions_in_order_and_others_by_the_bus_and_a_failing_one_is_parked(handlers: Handlers):
    for number in range(1, EVENTS + 1):
        for key in KEYS:
            handlers.write(key, number)
    handlers.feed()
    handlers.react()
    everything: list[Value] = list(range(1, EVENTS + 1))
    without_poison = [number for number in everything if number != POISON[1]]
    assert [handlers.listed_numbers(key) for key in KEYS] == [everything, without_poison, everything]

    (parked,) = dead_letters(handlers.store, handlers.scope.tenant).events
    assert (parked.message.event.key, parked.message.event.payload["number"]) == POISON
    handlers.cured = True
    assert retry(handlers.store, handlers.clock, parked)
    handlers.feed()
    handlers.react()
    assert handlers.listed_numbers("b") == [*without_poison, POISON[1]]

    told: list[dict[str, Any]] = []
    while records := handlers.cloud.receive(handlers.cloud.heard):
        told += [json.loads(record["body"])["detail"] for record in records]
        handlers.cloud.settle(handlers.cloud.heard, records, set())
    assert len(told) == len({event["id"] for event in told}) == len(KEYS) * EVENTS


def test_the_example_of_targets_of_your_own_hears_its_kinds_of_its_tenant_alone(
    ministack_address: str, scope: Scope, repository: Path
) -> None:
    cloud = Cloud(ministack_address, f"own-{scope.tenant}-events")
    formation = cloud.client("cloudformation", ministack_address)
    given = {"System": f"own-{scope.tenant}", "Kinds": "listed,noted", "Tenant": scope.tenant}
    formation.create_stack(
        StackName=f"targets-{scope.tenant}",
        TemplateBody=(repository / "infra/own_targets.yaml").read_text(),
        Parameters=[{"ParameterKey": name, "ParameterValue": value} for name, value in given.items()],
    )
    formation.get_waiter("stack_create_complete").wait(StackName=f"targets-{scope.tenant}", WaiterConfig={"Delay": 1})
    (stack,) = formation.describe_stacks(StackName=f"targets-{scope.tenant}")["Stacks"]
    (queue,) = [output["OutputValue"] for output in stack["Outputs"] if output["OutputKey"] == "Queue"]

    others = Scope("others", "main")
    happened = [("listed", scope), ("noted", scope), ("moved", scope), ("unnamed", scope), ("listed", others)]
    messages = [
        Message(new_event(kind, of, key=kind, actor="ada", at=1, random_bytes=os.urandom, payload={}))
        for kind, of in happened
    ]
    bus = Bus(cloud.events, cloud.bus, {"listed", "noted", "moved"}, lambda _: True)
    assert bus.send(messages).accepted == len(messages)
    heard = [json.loads(each["body"])["detail"] for each in cloud.receive(queue)]
    assert sorted(event["id"] for event in heard) == sorted(message.event.id for message in messages[:2])


def test_a_stream_that_is_read_twice_changes_nothing(handlers: Handlers):
    for number in range(1, 4):
        handlers.write("a", number)
    records = handlers.cloud.new_records()
    for _ in range(2):
        handlers.cloud.new_records = lambda: records  # type: ignore[method-assign]
        handlers.feed()
        handlers.react()
    assert handlers.listed_numbers("a") == [1, 2, 3]
