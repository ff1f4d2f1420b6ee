"""Handler of a queue that delivers its messages to reactions. SQS redelivers unsettled messages in group order.

If a reaction keeps failing, its event is parked in the store, where `almanac events parked` lists it. The dead-letter
queue receives only messages that cannot be delivered at all: unreadable ones, and those during which the function ends.

A batch holds messages of several tenants, which take turns. A tenant with slow reactions has a bounded share of the
function's time. SQS redelivers the rest of its messages, and no other tenant's.
"""

# Powertools' records and processors carry types only in part.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import msgspec
from aws_lambda_powertools.utilities.batch import (
    BatchProcessor,
    EventType,
    SqsFifoPartialProcessor,
    process_partial_response,
)
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord

from almanac.gateway.observability.telemetry import Telemetry, defect_reporter, telemetry_for
from almanac.platform.bus.delivery import Delivery, Report
from almanac.platform.bus.messages import decode_message
from almanac.platform.bus.port import Reaction
from almanac.platform.bus.sinks import ON_BUS

TENANT_MS = 8_000
"""Time of one tenant, of the 30 seconds that the function has for a batch."""

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


class NotSettled(Exception):
    """Makes SQS redeliver a message: a reaction failed and will be retried, or its tenant's time is used up."""


def queue_handler(
    reactions: Sequence[Reaction],
    open_delivery: Callable[[Report], Delivery],
    telemetry: Telemetry | None = None,
    *,
    is_fifo: bool = True,
) -> Handler:
    """Return a Lambda handler for an SQS queue that reports failed messages (ReportBatchItemFailures).

    It opens the delivery at the first event.
    """
    door = QueueDoor(reactions, open_delivery, telemetry or telemetry_for(os.environ), is_fifo=is_fifo)
    return door.handle


class QueueDoor:
    def __init__(
        self,
        reactions: Sequence[Reaction],
        open_delivery: Callable[[Report], Delivery],
        telemetry: Telemetry,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        is_fifo: bool = True,
    ) -> None:
        self._is_fifo = is_fifo
        self._reactions = reactions
        self._open_delivery = open_delivery
        self._report = defect_reporter(telemetry)
        self._delivery: Delivery | None = None
        self._monotonic = monotonic

    def handle(self, event: Mapping[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG002 - Lambda's signature
        if self._delivery is None:
            self._delivery = self._open_delivery(self._report)
        delivery, spent = self._delivery, Counter[str]()

        def handle(record: SQSRecord) -> None:
            self._handle(record, delivery, spent)

        processor = (
            SqsFifoPartialProcessor(skip_group_on_error=True) if self._is_fifo else BatchProcessor(EventType.SQS)
        )
        # A batch of which every message failed is no defect of the function. SQS redelivers its messages too.
        processor.raise_on_entire_batch_failure = False
        answer = process_partial_response({**event, "Records": alternate_tenants(event["Records"])}, handle, processor)
        return cast(dict[str, Any], answer)

    def _handle(self, record: SQSRecord, delivery: Delivery, spent: "Counter[str]") -> None:
        """Deliver one message. Raises NotSettled to have it redelivered, or the decoder's error if it is unreadable."""
        try:
            message = decode_message(record.body)
        except Exception as error:
            self._report(f"message {record.message_id}", error)
            raise
        tenant, began = message.event.tenant, self._monotonic()
        if spent[tenant] >= TENANT_MS:
            raise NotSettled(f"{message.event.id}: its tenant's time is used up")
        tried = int(record.attributes.approximate_receive_count or 1) > 1
        on_bus = ON_BUS in (record.get("messageAttributes") or {})
        try:
            waiting = [
                reaction.name
                for reaction in self._reactions
                if reaction.wants(message)
                and not (on_bus and reaction.unordered)
                and delivery.deliver(message, reaction, tried=tried) is not None
            ]
        finally:
            spent[tenant] += round((self._monotonic() - began) * 1000)
        if waiting:
            raise NotSettled(f"{message.event.id} waits for {', '.join(waiting)}")


def alternate_tenants(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the records of a batch with the tenants alternating and each tenant's records in their order."""
    by_tenant: dict[str, deque[Mapping[str, Any]]] = {}
    for record in records:
        by_tenant.setdefault(_tenant(record), deque()).append(record)
    ordered: list[Mapping[str, Any]] = []
    while by_tenant:
        for tenant, waiting in list(by_tenant.items()):
            ordered.append(waiting.popleft())
            if not waiting:
                del by_tenant[tenant]
    return ordered


def _tenant(record: Mapping[str, Any]) -> str:
    try:
        return decode_message(str(record["body"])).event.tenant
    except msgspec.DecodeError:
        return ""
