"""The scheduler beside the laptop server: each job runs again when it is due."""

import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from almanac.gateway.events.job_rounds import JobRunner
from almanac.platform.bus.delivery import Report
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services

STOP_SECONDS = 30.0


class Scheduler:
    """Which jobs are due, and for how long none is. `now` is a monotonic clock in seconds."""

    def __init__(self, jobs: Sequence[Job], now: Callable[[], float]) -> None:
        self._now = now
        self._due = dict.fromkeys(jobs, now())

    def take_due(self) -> list[Job]:
        """The jobs that are due; each is due again its number of seconds from now."""
        now = self._now()
        due = [job for job, at in self._due.items() if at <= now]
        self._due |= {job: now + job.seconds for job in due}
        return due

    def idle_seconds(self) -> float:
        return max(0.0, min(self._due.values()) - self._now())


@contextmanager
def running_jobs(jobs: Sequence[Job], services: Services, report: Report) -> Generator[None]:
    """Run the jobs on threads of their own until the end of the block; what is under way may take 30 seconds."""
    scheduler, stop = Scheduler(jobs, time.monotonic), threading.Event()
    rounds = JobRunner(services, report)

    def work() -> None:
        while not stop.wait(scheduler.idle_seconds()):
            try:
                rounds.begin(scheduler.take_due())
            # A store that is down for a while must not end all jobs for good.
            except Exception as failed:  # noqa: BLE001
                report("the scheduled jobs", failed)

    thread = threading.Thread(target=work, name="scheduled jobs", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(STOP_SECONDS)
        rounds.stop(STOP_SECONDS)
