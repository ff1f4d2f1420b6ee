"""Handler that EventBridge invokes once a day to delete large values that no item refers to any more."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from almanac.gateway.observability.telemetry import Telemetry, defect_reporter, telemetry_for
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.blobs.large_values import LargeValues

Handler = Callable[[Mapping[str, Any], Any], None]
SPARE_MS = 60_000


def sweep_handler(open_values: Callable[[], LargeValues], clock: Clock, telemetry: Telemetry | None = None) -> Handler:
    """Return a Lambda handler for a schedule's event, whose content does not matter.

    It stops when less than SPARE_MS of the invocation are left, and the next invocation goes on. It reports a failure,
    and the next day's invocation tries again."""
    report = defect_reporter(telemetry or telemetry_for(os.environ))

    def handle(event: Mapping[str, Any], context: Any) -> None:  # noqa: ARG001 - Lambda's signature
        try:
            open_values().sweep(now_ms(clock), lambda: context.get_remaining_time_in_millis() > SPARE_MS)
        except Exception as failed:  # noqa: BLE001 - any failure must set off the function's alarm
            report("the sweep of large values", failed)

    return handle
