"""Scheduler of jobs in the laptop server.

It runs the jobs that the due index lists, surveys all projects at its start and once a day, and repeats the jobs that
no record schedules.
"""

import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from almanac.gateway.events.job_rounds import JobRunner
from almanac.platform.bus.delivery import Report
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services

STOP_SECONDS = 30.0
LOOK_SECONDS = 0.5
SURVEY_SECONDS = 86_400.0
_AGAIN_SECONDS = 60.0


class Task(Struct, frozen=True):
    """A function that is called every `seconds`."""

    seconds: float
    begin: Callable[[], object]


class Scheduler:
    """A timetable of tasks. `now` is a monotonic clock in seconds."""

    def __init__(self, tasks: Sequence[Task], now: Callable[[], float]) -> None:
        self._now = now
        self._tasks = tasks
        self._due = [now()] * len(tasks)

    def take_due(self) -> list[Task]:
        """Return the tasks that are due. Each is due again after its own number of seconds."""
        now = self._now()
        due = [place for place, at in enumerate(self._due) if at <= now]
        for place in due:
            self._due[place] = now + self._tasks[place].seconds
        return [self._tasks[place] for place in due]

    def try_soon(self, task: Task) -> None:
        """Make a task that could not begin due again within a minute."""
        self._due[self._tasks.index(task)] = self._now() + min(task.seconds, _AGAIN_SECONDS)

    def idle_seconds(self) -> float:
        return max(0.0, min(self._due) - self._now())


def tasks_of(rounds: JobRunner, jobs: Sequence[Job]) -> list[Task]:
    """Return the tasks that `run_jobs` repeats."""
    woken = [job for job in jobs if not job.everywhere]
    tasks = [Task(job.seconds, lambda job=job: rounds.begin([job])) for job in jobs if job.everywhere]
    if woken:
        tasks += [
            Task(SURVEY_SECONDS, lambda: rounds.begin(woken)),
            Task(LOOK_SECONDS, lambda: rounds.begin_due(woken)),
            Task(LOOK_SECONDS, lambda: rounds.begin(woken, rounds.unfinished_tenants)),
        ]
    return tasks


@contextmanager
def run_jobs(jobs: Sequence[Job], services: Services, report: Report) -> Generator[None]:
    """Run the jobs on their own threads until the end of the block. Running jobs may then take 30 seconds."""
    rounds = JobRunner(services, report)
    scheduler, stop = Scheduler(tasks_of(rounds, jobs), time.monotonic), threading.Event()

    def work() -> None:
        while not stop.wait(scheduler.idle_seconds()):
            for task in scheduler.take_due():
                try:
                    task.begin()
                # A temporary outage of the store must not end all jobs for good.
                except Exception as failed:  # noqa: BLE001
                    report("the scheduled jobs", failed)
                    scheduler.try_soon(task)

    thread = threading.Thread(target=work, name="scheduled jobs", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(STOP_SECONDS)
        rounds.stop(STOP_SECONDS)
