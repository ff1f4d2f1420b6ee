"""Handler that EventBridge invokes once a minute to run the scheduled jobs that are due.

Several schedules may share the due index, and the event of each names its `shards`. The schedule with the first shard
then surveys some tenants. Within a day the surveys run every job of every project once, in case the due index lacks a
job. The first survey of an installation schedules the jobs of data that earlier versions stored, and takes all the
remaining time.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from almanac.gateway.events.job_rounds import run_due, run_survey
from almanac.gateway.observability.telemetry import Telemetry, defect_reporter, telemetry_for
from almanac.identity.tenant_sweep import TenantSweep
from almanac.kernel.clock import Clock
from almanac.platform.declaration.jobs import Job
from almanac.platform.due.records import EVERY_SHARD
from almanac.platform.services import Services
from almanac.platform.store.port import Store

Handler = Callable[[Mapping[str, Any], Any], None]
SPARE_MS = 60_000
SURVEY_MS = 86_400_000
THREADS = 16
"""Many threads, because jobs wait for the store nearly all the time."""


def schedule_handler(
    jobs: Sequence[Job], open_services: Callable[[], Services], telemetry: Telemetry | None = None
) -> Handler:
    """Return a Lambda handler for a schedule's event, which may name its shards.

    It begins nothing when less than SPARE_MS of the invocation are left."""
    report = defect_reporter(telemetry or telemetry_for(os.environ))
    opened: list[Services] = []

    def handle(event: Mapping[str, Any], context: Any) -> None:
        if not opened:
            opened.append(open_services())
        services = opened[0]

        def has_time() -> bool:
            return context.get_remaining_time_in_millis() > SPARE_MS

        shards = [shard for shard in EVERY_SHARD if shard in event.get("shards", EVERY_SHARD)]
        run_due(jobs, services, report, has_time, THREADS, shards)
        if EVERY_SHARD[0] not in shards:
            return
        # All invocations share the mark that is stored under this name, so the name must not change.
        sweep = TenantSweep("survey", services.get(Store), services.get(Clock), every_ms=SURVEY_MS)
        for tenants in sweep.slices(has_time):
            run_survey(jobs, services, report, tenants)

    return handle
