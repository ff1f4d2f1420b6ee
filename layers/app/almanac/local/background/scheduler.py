"""Jobs beside the laptop server: each runs again when its time has come."""

import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from almanac.gateway.events.job_rounds import JobRunner
from almanac.platform.bus.delivery import Report
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services

STOP_SECONDS = 30.0


class Timekeeper:
    """Says which jobs are due, and how long nothing is. `now` is a monotonic clock in seconds."""

    def __init__(self, jobs: Sequence[Job], now: Callable[[], float]) -> None:
        self._now = now
        self._due = dict.fromkeys(jobs, now())

    def take_due(self) -> list[Job]:
        """The jobs whose time has come; each is due again its number of seconds from now."""
        now = self._now()
        due = [job for job, at in self._due.items() if at <= now]
        self._due |= {job: now + job.seconds for job in due}
        return due

    def idle_seconds(self) -> float:
        return max(0.0, min(self._due.values()) - self._now())


@contextmanager
def keeping_time(jobs: Sequence[Job], services: Services, report: Report) -> Generator[None]:
    """Runs the jobs on threads of their own until the end of the block; what is under way may take 30 seconds."""
    timekeeper, stop = Timekeeper(jobs, time.monotonic), threading.Event()
    rounds = JobRunner(services, report)

    def work() -> None:
        while not stop.wait(timekeeper.idle_seconds()):
            try:
                rounds.begin(timekeeper.take_due())
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
