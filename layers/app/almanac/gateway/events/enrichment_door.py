"""Handler of the enrichment queue, which adds what the model computes from the texts of each message's documents.

Each project is a message group of the queue. Within a batch the tenants take turns, and each has a bounded share of the
function's time. SQS delivers the messages that did not fit again. A repeated message is processed again, but its result
is written only once.
"""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from almanac.gateway.events.queue_door import alternate_tenants
from almanac.gateway.observability.telemetry import Telemetry, defect_reporter, telemetry_for
from almanac.kernel.caller import Scope
from almanac.kernel.events import Event
from almanac.platform.bus.messages import decode_message
from almanac.platform.services import Services
from almanac.search.engine.enrichment import enrich, enrich_told

TENANT_SECONDS = 8.0
"""Time of one tenant, of the 60 seconds that the function has for a batch."""
SPARE_MS = 20_000
"""Remaining time below which no step begins. A step takes two seconds, and opening the model one second."""

Handler = Callable[[Mapping[str, Any], Any], dict[str, Any]]


def enrichment_handler(
    open_services: Callable[[], Services],
    telemetry: Telemetry | None = None,
    monotonic: Callable[[], float] = time.monotonic,
) -> Handler:
    """Return a Lambda handler for an SQS FIFO queue that reports the messages to redeliver (ReportBatchItemFailures).

    It opens the services at the first event."""
    report = defect_reporter(telemetry or telemetry_for(os.environ))
    opened: list[Services] = []

    def handle(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
        if not opened:
            opened.append(open_services())
        failed: list[str] = []
        projects: dict[Scope, list[tuple[str, Event]]] = {}
        for record in alternate_tenants(event["Records"]):
            try:
                told = decode_message(str(record["body"])).event
            except msgspec.DecodeError as error:
                report(f"message {record['messageId']}", error)
                failed.append(record["messageId"])
            else:
                projects.setdefault(told.scope, []).append((record["messageId"], told))
        spent = defaultdict[str, float](float)
        for scope, messages in projects.items():
            began = monotonic()
            left = TENANT_SECONDS - spent[scope.tenant]

            def has_time(until: float = began + left) -> bool:
                return context.get_remaining_time_in_millis() > SPARE_MS and monotonic() < until

            try:
                waiting = enrich_told(opened[0], scope, [each for _, each in messages], has_time)
                # Documents that were stored before the model was installed, or that are new in a rebuilt index.
                if not waiting and has_time():
                    enrich(opened[0], scope)
            # A failure in one project must not delay the others.
            except Exception as error:  # noqa: BLE001
                report(f"enriching {scope.tenant}/{scope.project}", error)
                waiting = {each.id for _, each in messages}
            spent[scope.tenant] += monotonic() - began
            failed += [message for message, told in messages if told.id in waiting]
        return {"batchItemFailures": [{"itemIdentifier": each} for each in failed]}

    return handle
