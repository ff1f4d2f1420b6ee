"""Fakes of the queues and the bus between the functions, and the events that Lambda makes of records.

The fakes are clients of boto3 that keep the messages sent to them.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from almanac.families.team.rules.event_filter import RuleEventFilter, is_for_rules_alone
from almanac.platform.bus.sinks import RULES_SOURCE, Bus, Queue, Sink
from almanac.platform.feed.sink import listeners_queue
from almanac.platform.store.port import OutboxPut, Store
from tests.bench.request_units import image_of

Json = dict[str, Any]


class QueuesAndBus:
    """A client of SQS and of EventBridge that keeps messages by queue and counts entries put on the bus.

    The bus passes entries for rules to the queue `rules`. The rules are those in `store`.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: defaultdict[str, list[Json]] = defaultdict(list)
        self._entry_count = 0

    def sinks(self) -> Sequence[Sink]:
        bus = Bus(self, "bus", (), RuleEventFilter(lambda: self._store).concerns)
        reactions = Queue(self, "reactions", takes=lambda message: not is_for_rules_alone(message))
        return reactions, listeners_queue(self, "push"), bus

    def send_message_batch(self, QueueUrl: str, Entries: list[Json]) -> Json:  # noqa: N803 - boto3's names
        self._waiting[QueueUrl] += [_queue_event(each["MessageBody"], each["MessageAttributes"]) for each in Entries]
        return {}

    def put_events(self, Entries: list[Json]) -> Json:  # noqa: N803
        self._entry_count += len(Entries)
        self._waiting["rules"] += [
            _queue_event(each["Detail"], {}) for each in Entries if each["Source"] == RULES_SOURCE
        ]
        return {"Entries": [{} for _ in Entries]}

    def take_messages(self, queue: str) -> list[Json]:
        """Remove and return the messages of a queue, each as an event of one record."""
        return self._waiting.pop(queue, [])

    def take_entry_count(self) -> int:
        """Return the number of entries put on the bus since the last call."""
        count, self._entry_count = self._entry_count, 0
        return count


def stream_event(event: OutboxPut) -> Json:
    """Return the stream's event for the record `event`."""
    change = {"SequenceNumber": "1", "NewImage": image_of(event)}
    return {"Records": [{"eventName": "MODIFY", "dynamodb": change}]}


def _queue_event(body: str, attributes: Json) -> Json:
    record = {
        "messageId": "1",
        "receiptHandle": "1",
        "body": body,
        "attributes": {"ApproximateReceiveCount": "1", "MessageGroupId": "g"},
        "messageAttributes": attributes,
        "eventSource": "aws:sqs",
    }
    return {"Records": [record]}
