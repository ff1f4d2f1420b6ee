"""The queue door: messages of a queue go to the reactions; what is not settled comes again, in order with its group.

A reaction that keeps failing has its event parked in the store, where `almanac events parked` shows it. Only what
cannot even be delivered (no message, a function that ends in the midst of it) reaches the dead-letter queue.

A batch holds messages of several tenants. They take turns in it, and one whose reactions are slow has a bounded part of
the function's time: what is left of its messages comes again, and nobody else's with it.
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

from almanac.gateway.observability.telemetry import Telemetry, reporting, telemetry_for
from almanac.platform.bus.delivery import Delivery, Report
from almanac.platform.bus.messages import decode_message
from almanac.platform.bus.port import Reaction
from almanac.platform.bus.sinks import ON_BUS

TENANT_MS = 8_000
"""Of the 30 that the function has for a batch."""

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


class NotSettled(Exception):
    """A reaction failed and will be tried again, or its tenant's time is used up."""


def queue_handler(
    reactions: Sequence[Reaction],
    open_delivery: Callable[[Report], Delivery],
    telemetry: Telemetry | None = None,
    *,
    is_fifo: bool = True,
) -> Handler:
    """A Lambda handler for events of an SQS queue that reports failed messages (ReportBatchItemFailures).

    The delivery is opened at the first event.
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
        self._report = reporting(telemetry)
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
        # A batch that failed as a whole is no defect of the function: its messages are reported like any others.
        processor.raise_on_entire_batch_failure = False
        answer = process_partial_response({**event, "Records": in_turns(event["Records"])}, handle, processor)
        return cast(dict[str, Any], answer)

    def _handle(self, record: SQSRecord, delivery: Delivery, spent: "Counter[str]") -> None:
        """Raises NotSettled for what is to come again, and whatever makes a message unreadable."""
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


def in_turns(records: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The records of a batch, those of each tenant in their order, the tenants by turns."""
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
