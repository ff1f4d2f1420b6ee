"""The stream door: outbox items from the table's stream go to the queue of our reactions and to the bus, in order.

A batch of the stream ends at the first message that was not taken: Lambda repeats it from there, so that within a key
nothing overtakes what failed. Powertools' batch processor goes on after a failure, which would let it.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from almanac.gateway.observability.telemetry import Telemetry, reporting, telemetry_for
from almanac.kernel.errors import Unavailable
from almanac.platform.bus.messages import Message
from almanac.platform.bus.outbox import messages_in
from almanac.platform.bus.sinks import Sink, batches
from almanac.platform.store.dynamodb.items import Image, item_of

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


class StreamMessage(Struct, frozen=True):
    """`sequence` is the sequence number of the record that brought the message."""

    sequence: str
    message: Message


def stream_handler(open_sinks: Callable[[], Sequence[Sink]], telemetry: Telemetry | None = None) -> Handler:
    """A Lambda handler for DynamoDB stream events that reports the first failed record (ReportBatchItemFailures).

    The sinks are opened for each event, which may have many records: what one remembers holds for no more. Each message
    goes to all of them before the next batch begins.
    """
    door = StreamDoor(open_sinks, telemetry or telemetry_for(os.environ))
    return door.handle


class StreamDoor:
    def __init__(self, open_sinks: Callable[[], Sequence[Sink]], telemetry: Telemetry) -> None:
        self._open_sinks = open_sinks
        self._report = reporting(telemetry)

    def handle(self, event: Mapping[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG002 - Lambda's signature
        sinks = self._open_sinks()
        for batch in batches(self._streamed(event), lambda each: each.message):
            accepted = self._send([each.message for each in batch], sinks)
            if accepted < len(batch):
                return {"batchItemFailures": [{"itemIdentifier": batch[accepted].sequence}]}
        return {"batchItemFailures": []}

    def _send(self, messages: Sequence[Message], sinks: Sequence[Sink]) -> int:
        """Send the messages, and return how many, from the first on, every sink accepted."""
        accepted = len(messages)
        for sink in sinks:
            where = f"sending to {type(sink).__name__.lower()}"
            try:
                sent = sink.send(messages[:accepted])
            except Exception as error:  # noqa: BLE001 - whatever the client raises, the record is to come again
                self._report(where, error)
                return 0
            if sent.accepted < accepted:
                accepted = sent.accepted
                self._report(where, Unavailable(f"A message was refused: {sent.problem}"))
            if accepted == 0:
                return 0
        return accepted

    def _streamed(self, event: Mapping[str, Any]) -> Iterator[StreamMessage]:
        for record in event["Records"]:
            change: Mapping[str, Any] = record["dynamodb"]
            image: Image | None = change.get("NewImage")
            # The event source mapping filters too; what an item was before it was removed is no news.
            if not image or "FEED" not in image or record["eventName"] not in ("INSERT", "MODIFY"):
                continue
            sequence = str(change["SequenceNumber"])
            try:
                found = messages_in(item_of(image).attributes)
            except msgspec.DecodeError as error:
                # Written by a later version, or damaged: repeating it would hold up the shard for a day.
                self._report(f"stream record {sequence}", error)
                continue
            for message in found:
                yield StreamMessage(sequence, message)
