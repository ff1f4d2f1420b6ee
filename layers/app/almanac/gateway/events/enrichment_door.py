"""Handler of the enrichment queue: it adds to each document of a message what the model says of its text.

A project is a group of the queue. The projects of a batch take turns by tenants, each tenant has a bounded part of the
function's time, and what is left of its messages comes again. Whatever comes twice is looked at twice and written once.
"""

import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from almanac.gateway.events.queue_door import in_turns
from almanac.gateway.observability.telemetry import Telemetry, reporting, telemetry_for
from almanac.kernel.caller import Scope
from almanac.kernel.events import Event
from almanac.platform.bus.messages import decode_message
from almanac.platform.services import Services
from almanac.search.engine.enrichment import enrich, enrich_told

TENANT_SECONDS = 8.0
"""Seconds of one tenant, of the 60 that the function has for a batch."""
SPARE_MS = 20_000
"""Time left below which no step begins: one step takes two seconds, and opening the model one."""

Handler = Callable[[Mapping[str, Any], Any], dict[str, Any]]


def enrichment_handler(
    open_services: Callable[[], Services],
    telemetry: Telemetry | None = None,
    monotonic: Callable[[], float] = time.monotonic,
) -> Handler:
    """A Lambda handler for events of an SQS FIFO queue that reports what is to come again (ReportBatchItemFailures).

    The services are opened at the first event."""
    report = reporting(telemetry or telemetry_for(os.environ))
    opened: list[Services] = []

    def handle(event: Mapping[str, Any], context: Any) -> dict[str, Any]:
        if not opened:
            opened.append(open_services())
        failed: list[str] = []
        projects: dict[Scope, list[tuple[str, Event]]] = {}
        for record in in_turns(event["Records"]):
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
                # What was written before there was a model here, or is new in an index that was made again.
                if not waiting and has_time():
                    enrich(opened[0], scope)
            # Whatever is wrong in one project, the others are not to wait for it.
            except Exception as error:  # noqa: BLE001
                report(f"enriching {scope.tenant}/{scope.project}", error)
                waiting = {each.id for _, each in messages}
            spent[scope.tenant] += monotonic() - began
            failed += [message for message, told in messages if told.id in waiting]
        return {"batchItemFailures": [{"itemIdentifier": each} for each in failed]}

    return handle
