"""The sweep door: EventBridge invokes it once a day, and large values that no item names any more are deleted."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from almanac.gateway.observability.telemetry import Telemetry, reporting, telemetry_for
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms
from almanac.platform.blobs.large_values import LargeValues

Handler = Callable[[Mapping[str, Any], Any], None]
SPARE_MS = 60_000


def sweep_handler(open_values: Callable[[], LargeValues], clock: Clock, telemetry: Telemetry | None = None) -> Handler:
    """A Lambda handler for a schedule's event, whose content does not matter. When less than SPARE_MS of the invocation
    are left it stops, and the next one goes on. A failure is reported: the next day tries again."""
    report = reporting(telemetry or telemetry_for(os.environ))

    def handle(event: Mapping[str, Any], context: Any) -> None:  # noqa: ARG001 - Lambda's signature
        try:
            open_values().sweep(now_ms(clock), lambda: context.get_remaining_time_in_millis() > SPARE_MS)
        except Exception as failed:  # noqa: BLE001 - whatever it is, it sets off the alarm of the function
            report("the sweep of large values", failed)

    return handle
