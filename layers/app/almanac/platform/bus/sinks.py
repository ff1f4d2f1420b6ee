"""Destinations of messages on AWS: ordered queues, and the event bus for rules and the operator's targets."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

from almanac.platform.bus.messages import Message, encode_message

MAX_BATCH = 10
"""Largest batch that SQS and EventBridge accept. Ten of the largest messages stay below their limit of 256 KB."""

SOURCE = "almanac"
"""EventBridge source of events whose kinds the operator named, for the operator's own targets."""
RULES_SOURCE = "almanac.rules"
"""EventBridge source of messages for the function that runs rules."""
ON_BUS = "on_bus"
"""Attribute of messages in the reactions' queue whose unordered reactions receive them from the event bus.

Messages from earlier versions lack it.
"""

T = TypeVar("T")


class SendResult(Struct, frozen=True):
    """Result of sending messages in order.

    `accepted` counts them up to the first failure, and `problem` describes it.
    """

    accepted: int
    problem: str = ""


class Sink(Protocol):
    def send(self, messages: Sequence[Message]) -> SendResult:
        """Send at most 10 messages, no two of one group, so that no message can overtake a failed one of its group.

        Raises the client's error if no message was accepted.
        """
        ...


class Queue:
    """An SQS FIFO queue, which delivers the messages of a group in order.

    It ignores messages that it does not `take`.
    """

    def __init__(
        self,
        client: Any,
        url: str,
        group: Callable[[Message], str] = lambda message: message.group,
        takes: Callable[[Message], bool] = lambda _: True,
    ) -> None:
        self._client = client
        self._url = url
        self._group = group
        self._takes = takes

    def send(self, messages: Sequence[Message]) -> SendResult:
        entries = [
            {
                "Id": str(place),
                "MessageBody": encode_message(message),
                "MessageGroupId": self._group(message),
                "MessageDeduplicationId": message.identity,
                "MessageAttributes": {ON_BUS: {"DataType": "String", "StringValue": "unordered"}},
            }
            for place, message in enumerate(messages)
            if self._takes(message)
        ]
        if not entries:
            return SendResult(len(messages))
        answer: dict[str, Any] = self._client.send_message_batch(QueueUrl=self._url, Entries=entries)
        failed = {int(entry["Id"]): str(entry.get("Code", "")) for entry in answer.get("Failed") or ()}
        first = min(failed, default=len(messages))
        return SendResult(first, failed.get(first, ""))


def project_queue(client: Any, url: str, kinds: Collection[str]) -> Queue:
    """Return a queue for events of some kinds, grouped by project. It ignores retries."""
    return Queue(client, url, project_group, lambda message: message.reaction is None and message.event.kind in kinds)


def project_group(message: Message) -> str:
    """Return the group of all messages of a project: 64 characters."""
    return sha256(msgspec.json.encode((message.event.tenant, message.event.project))).hexdigest()


class Bus:
    """An EventBridge bus, which keeps no order. It only gets events that have a listener there.

    Events of `kinds` are for the operator's own targets. They have the source `almanac` and the event as detail.
    Messages for which `concerns_rules` returns True have the source `almanac.rules` and the message as detail. The
    detail-type of both is the event's kind. Retries are not sent to the operator's targets.
    """

    def __init__(
        self, client: Any, name: str, kinds: Collection[str], concerns_rules: Callable[[Message], bool]
    ) -> None:
        self._client = client
        self._name = name
        self._kinds = kinds
        self._concerns_rules = concerns_rules

    def send(self, messages: Sequence[Message]) -> SendResult:
        entries = [(place, entry) for place, message in enumerate(messages) for entry in self._entries(message)]
        for start in range(0, len(entries), MAX_BATCH):
            some = entries[start : start + MAX_BATCH]
            answer: dict[str, Any] = self._client.put_events(Entries=[entry for _, entry in some])
            for (place, _), put in zip(some, answer["Entries"], strict=True):
                if put.get("ErrorCode"):
                    return SendResult(place, str(put["ErrorCode"]))
        return SendResult(len(messages))

    def _entries(self, message: Message) -> Iterator[dict[str, Any]]:
        if message.reaction is None and message.event.kind in self._kinds:
            yield self._entry(SOURCE, message, msgspec.json.encode(message.event).decode())
        if self._concerns_rules(message):
            yield self._entry(RULES_SOURCE, message, encode_message(message))

    def _entry(self, source: str, message: Message, detail: str) -> dict[str, Any]:
        return {
            "EventBusName": self._name,
            "Source": source,
            "DetailType": message.event.kind,
            "Detail": detail,
            "Time": datetime.fromtimestamp(message.event.at / 1000, UTC),
        }


def batches(found: Iterable[T], message: Callable[[T], Message]) -> Iterator[list[T]]:
    """Yield batches in order, each of at most 10 items and with at most one message of a group."""
    batch: list[T] = []
    groups: set[str] = set()
    for each in found:
        group = message(each).group
        if len(batch) == MAX_BATCH or group in groups:
            yield batch
            batch, groups = [], set()
        batch.append(each)
        groups.add(group)
    if batch:
        yield batch
