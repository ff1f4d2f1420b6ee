"""Handler of the live feed's queue on AWS, which logs events and then sends them to the project's listeners.

Each project is a message group, so the log has one writer at a time and listeners receive its order.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from almanac.gateway.events.queue_door import queue_handler
from almanac.gateway.feed.push import Push, PushParts
from almanac.gateway.observability.telemetry import Telemetry, defect_reporter, telemetry_for
from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.platform.bus.delivery import Delivery, Report
from almanac.platform.bus.messages import decode_message
from almanac.platform.feed.log import LOGGING_FROM_QUEUE

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


def push_handler(
    open_parts: Callable[[], PushParts],
    open_delivery: Callable[[Report], Delivery],
    telemetry: Telemetry | None = None,
) -> Handler:
    """Return a Lambda handler for the feed's SQS FIFO queue that reports failed messages."""
    chosen = telemetry or telemetry_for(os.environ)
    report = defect_reporter(chosen)
    logging = queue_handler([LOGGING_FROM_QUEUE], open_delivery, chosen)
    opened: list[Push] = []

    def handle(event: Mapping[str, Any], context: object) -> dict[str, Any]:
        answer = logging(event, context)
        if not opened:
            opened.append(Push(open_parts(), report))
        for scope in _projects(event):
            try:
                opened[0].push(scope)
            except Unavailable as outage:
                # The next event also pushes the entries that are logged now.
                report("live feed", outage)
        return answer

    return handle


def _projects(event: Mapping[str, Any]) -> list[Scope]:
    found: dict[Scope, None] = {}
    for record in event["Records"]:
        try:
            found[decode_message(record["body"]).event.scope] = None
        except msgspec.DecodeError:
            continue  # the queue door has reported it
    return list(found)
