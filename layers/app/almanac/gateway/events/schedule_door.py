"""The schedule door: EventBridge invokes it once a minute, and every scheduled job runs.

Where a minute is too short for all tenants, several invocations share them."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from almanac.gateway.events.job_rounds import run_jobs
from almanac.gateway.observability.telemetry import Telemetry, reporting, telemetry_for
from almanac.identity.tenant_sweep import TenantSweep
from almanac.kernel.clock import Clock
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services
from almanac.platform.store.port import Store

Handler = Callable[[Mapping[str, Any], Any], None]
SPARE_MS = 60_000


def schedule_handler(
    jobs: Sequence[Job], open_services: Callable[[], Services], telemetry: Telemetry | None = None
) -> Handler:
    """A Lambda handler for a schedule's event, whose content does not matter. No slice of tenants is begun when less
    than SPARE_MS of the invocation are left."""
    report = reporting(telemetry or telemetry_for(os.environ))
    opened: list[Services] = []

    def handle(event: Mapping[str, Any], context: Any) -> None:  # noqa: ARG001 - Lambda's signature
        if not opened:
            opened.append(open_services())
        services = opened[0]
        # The stored name of the mark that all invocations share: not to be changed.
        turn = TenantSweep("chores", services.get(Store), services.get(Clock))
        for tenants in turn.slices(lambda: context.get_remaining_time_in_millis() > SPARE_MS):
            run_jobs(jobs, services, report, tenants)

    return handle
