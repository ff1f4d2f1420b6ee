"""What lies between the functions: queues and the bus, whose clients keep what they are sent, and records as Lambda
gets them from the stream and from a queue."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from almanac.families.team.rules.event_filter import RuleEventFilter, is_for_rules_alone
from almanac.platform.bus.sinks import RULES_SOURCE, Bus, Queue, Sink
from almanac.platform.feed.sink import listeners_queue
from almanac.platform.store.port import OutboxPut, Store
from tests.bench.request_units import image_of

Json = dict[str, Any]


class Between:
    """`waiting` are messages by queue; `told` counts the entries put on the bus, which sends those for rules to a queue
    of theirs. Rules are those in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: defaultdict[str, list[Json]] = defaultdict(list)
        self._told = 0

    def sinks(self) -> Sequence[Sink]:
        bus = Bus(self, "bus", (), RuleEventFilter(lambda: self._store).concerns)
        reactions = Queue(self, "reactions", takes=lambda message: not is_for_rules_alone(message))
        return reactions, listeners_queue(self, "push"), bus

    def send_message_batch(self, QueueUrl: str, Entries: list[Json]) -> Json:  # noqa: N803 - boto3's names
        self._waiting[QueueUrl] += [_queue_event(each["MessageBody"], each["MessageAttributes"]) for each in Entries]
        return {}

    def put_events(self, Entries: list[Json]) -> Json:  # noqa: N803
        self._told += len(Entries)
        self._waiting["rules"] += [
            _queue_event(each["Detail"], {}) for each in Entries if each["Source"] == RULES_SOURCE
        ]
        return {"Entries": [{} for _ in Entries]}

    def taken(self, queue: str) -> list[Json]:
        """The messages that wait in a queue, each as an event of one record; they wait no more."""
        return self._waiting.pop(queue, [])

    def told(self) -> int:
        """How many entries the bus was told since this was last asked."""
        told, self._told = self._told, 0
        return told


def stream_event(event: OutboxPut) -> Json:
    """The stream's event of one record, which is `event` as it was put."""
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
