"""Where the stream's messages go on AWS: the queue of our reactions, in order, and the bus for other subscribers."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Protocol, TypeVar

import msgspec
from msgspec import Struct

from almanac.platform.bus.messages import Message, encode_message

MAX_BATCH = 10
"""Of SQS and EventBridge alike; ten of the largest messages stay below their 256 KB."""

SOURCE = "almanac"

T = TypeVar("T")


class Sent(Struct, frozen=True):
    """`accepted` counts the messages before the first that was not taken; `problem` says why that one was not."""

    accepted: int
    problem: str = ""


class Sink(Protocol):
    def send(self, messages: Sequence[Message]) -> Sent:
        """Sends at most 10 messages, no two of one group: what fails must not be overtaken within its group.

        Raises whatever the client raises where none was taken.
        """
        ...


class Queue:
    """An SQS FIFO queue: a group's messages are handled one after the other."""

    def __init__(self, client: Any, url: str, group: Callable[[Message], str] = lambda message: message.group) -> None:
        self._client = client
        self._url = url
        self._group = group

    def send(self, messages: Sequence[Message]) -> Sent:
        entries = [
            {
                "Id": str(place),
                "MessageBody": encode_message(message),
                "MessageGroupId": self._group(message),
                "MessageDeduplicationId": message.identity,
            }
            for place, message in enumerate(messages)
        ]
        answer: dict[str, Any] = self._client.send_message_batch(QueueUrl=self._url, Entries=entries)
        failed = {int(entry["Id"]): str(entry.get("Code", "")) for entry in answer.get("Failed") or ()}
        first = min(failed, default=len(messages))
        return Sent(first, failed.get(first, ""))


class ProjectQueue:
    """An SQS FIFO queue of events of some kinds, whose groups are projects. Retries of a reaction are none of them."""

    def __init__(self, client: Any, url: str, kinds: Collection[str]) -> None:
        self._queue = Queue(client, url, project_group)
        self._kinds = kinds

    def send(self, messages: Sequence[Message]) -> Sent:
        places = [place for place, message in enumerate(messages) if self._is_told(message)]
        if not places:
            return Sent(len(messages))
        sent = self._queue.send([messages[place] for place in places])
        if sent.accepted == len(places):
            return Sent(len(messages))
        return Sent(places[sent.accepted], sent.problem)

    def _is_told(self, message: Message) -> bool:
        return message.reaction is None and message.event.kind in self._kinds


def project_group(message: Message) -> str:
    """64 characters, the same for all messages of a project."""
    return sha256(msgspec.json.encode((message.event.tenant, message.event.project))).hexdigest()


class Bus:
    """An EventBridge bus: source `almanac`, detail-type the event's kind, detail the event. In no order.

    Retries are meant for one of our reactions: nobody else is told again.
    """

    def __init__(self, client: Any, name: str) -> None:
        self._client = client
        self._name = name

    def send(self, messages: Sequence[Message]) -> Sent:
        places = [place for place, message in enumerate(messages) if message.reaction is None]
        if not places:
            return Sent(len(messages))
        answer: dict[str, Any] = self._client.put_events(Entries=[self._entry(messages[place]) for place in places])
        for place, entry in zip(places, answer["Entries"], strict=True):
            if entry.get("ErrorCode"):
                return Sent(place, str(entry["ErrorCode"]))
        return Sent(len(messages))

    def _entry(self, message: Message) -> dict[str, Any]:
        return {
            "EventBusName": self._name,
            "Source": SOURCE,
            "DetailType": message.event.kind,
            "Detail": msgspec.json.encode(message.event).decode(),
            "Time": datetime.fromtimestamp(message.event.at / 1000, UTC),
        }


def batches(found: Iterable[T], message: Callable[[T], Message]) -> Iterator[list[T]]:
    """In order, each of at most 10 and with at most one message of a group."""
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
