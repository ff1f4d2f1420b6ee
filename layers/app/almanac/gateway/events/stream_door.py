"""Handler of the table's stream that sends outbox items in order to the reactions' queue and to the event bus.

A batch ends at the first message that a sink did not accept. Lambda repeats the batch from there, so no later message
of a key overtakes a failed one. Powertools' batch processor would go on after a failure and break that order.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from almanac.gateway.observability.telemetry import Telemetry, defect_reporter, telemetry_for
from almanac.kernel.errors import Unavailable
from almanac.platform.bus.messages import Message
from almanac.platform.bus.outbox import messages_in
from almanac.platform.bus.sinks import Sink, batches
from almanac.platform.store.dynamodb.items import Image, item_of

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


class StreamMessage(Struct, frozen=True):
    """A message with the sequence number of the stream record that contained it."""

    sequence: str
    message: Message


def stream_handler(open_sinks: Callable[[], Sequence[Sink]], telemetry: Telemetry | None = None) -> Handler:
    """Return a Lambda handler for DynamoDB streams that reports the first failed record (ReportBatchItemFailures).

    It opens the sinks anew for each event, which may have many records, because what a sink remembers is valid only for
    one event. Each message goes to all sinks before the next batch begins.
    """
    door = StreamDoor(open_sinks, telemetry or telemetry_for(os.environ))
    return door.handle


class StreamDoor:
    def __init__(self, open_sinks: Callable[[], Sequence[Sink]], telemetry: Telemetry) -> None:
        self._open_sinks = open_sinks
        self._report = defect_reporter(telemetry)

    def handle(self, event: Mapping[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG002 - Lambda's signature
        sinks = self._open_sinks()
        for batch in batches(self._read_messages(event), lambda each: each.message):
            accepted = self._send([each.message for each in batch], sinks)
            if accepted < len(batch):
                return {"batchItemFailures": [{"itemIdentifier": batch[accepted].sequence}]}
        return {"batchItemFailures": []}

    def _send(self, messages: Sequence[Message], sinks: Sequence[Sink]) -> int:
        """Send the messages. Return the length of the leading part that every sink accepted."""
        accepted = len(messages)
        for sink in sinks:
            where = f"sending to {type(sink).__name__.lower()}"
            try:
                sent = sink.send(messages[:accepted])
            except Exception as error:  # noqa: BLE001 - whatever the client raises, Lambda must repeat the record
                self._report(where, error)
                return 0
            if sent.accepted < accepted:
                accepted = sent.accepted
                self._report(where, Unavailable(f"A message was refused: {sent.problem}"))
            if accepted == 0:
                return 0
        return accepted

    def _read_messages(self, event: Mapping[str, Any]) -> Iterator[StreamMessage]:
        for record in event["Records"]:
            change: Mapping[str, Any] = record["dynamodb"]
            image: Image | None = change.get("NewImage")
            # The event source mapping filters too. Removed items carry no new message.
            if not image or "FEED" not in image or record["eventName"] not in ("INSERT", "MODIFY"):
                continue
            sequence = str(change["SequenceNumber"])
            try:
                found = messages_in(item_of(image).attributes)
            except msgspec.DecodeError as error:
                # The item is damaged, or a later version wrote it. Repeating it would block the shard for a day.
                self._report(f"stream record {sequence}", error)
                continue
            for message in found:
                yield StreamMessage(sequence, message)
