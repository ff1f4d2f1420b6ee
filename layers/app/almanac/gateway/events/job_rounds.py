"""Scheduled jobs, run for several tenants at a time so that a slow project delays only its own tenant.

A round runs the jobs that the due index lists. A survey runs every job of every project and schedules the jobs that the
index lacks. A tenant has one thread for jobs that call providers and one for all other jobs. Its turn on each thread is
bounded. Jobs that a round leaves stay in the index, and the next survey begins where the last one stopped.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from threading import Lock

from msgspec import Struct

from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import now_ms
from almanac.platform.bus.delivery import Report
from almanac.platform.declaration.jobs import Job
from almanac.platform.due.records import EVERY_SHARD, SURVEY, Due
from almanac.platform.due.rounds import FIRST_PAUSE_MS, DueIndex
from almanac.platform.due.scheduling_store import Schedule
from almanac.platform.services import Services
from almanac.platform.store.port import Store

THREADS = 4
TURN_SECONDS = 5.0
"""Length of a tenant's turn. A job that has begun may finish after it."""
MOST_DUE = 2_000
"""Most due items that one round begins. The next round begins with the rest."""


_Turn = tuple[str, bool]
"""A tenant, and whether the jobs call providers."""


class _Work(Struct, frozen=True):
    """Jobs to run in a project, with the due items that requested them. A survey has no due items."""

    scope: Scope
    jobs: tuple[Job, ...]
    due: tuple[Due, ...] = ()


class JobRunner(AbstractContextManager["JobRunner"]):
    """Runs jobs on its own threads. The end of the `with` block waits for started jobs. `monotonic` is in seconds."""

    def __init__(
        self,
        services: Services,
        report: Report,
        monotonic: Callable[[], float] = time.monotonic,
        threads: int = THREADS,
    ) -> None:
        self._services = services
        self._report = report
        self._monotonic = monotonic
        self._index = DueIndex(services.get(Schedule), services.get(Clock))
        self._local = ThreadPoolExecutor(threads, thread_name_prefix="scheduled jobs")
        self._asking = ThreadPoolExecutor(threads, thread_name_prefix="scheduled jobs")
        self._lock = Lock()
        self._running: dict[_Turn, Future[None]] = {}
        self._first: dict[_Turn, Scope] = {}
        self.taken = 0
        """Number of due items taken from the index so far."""

    def __exit__(self, *_: object) -> None:
        self._local.shutdown()
        self._asking.shutdown()

    @property
    def is_busy(self) -> bool:
        with self._lock:
            return bool(self._running)

    @property
    def unfinished_tenants(self) -> set[str]:
        """Tenants whose last survey stopped before its end."""
        return {tenant for tenant, _ in list(self._first)}

    def begin(self, jobs: Sequence[Job], tenants: Iterable[str] | None = None) -> None:
        """Start a survey of these tenants, or of all. It skips a tenant whose last turn still runs."""
        known = Tenants(self._services.get(Store), self._services.get(Clock))
        for tenant in [each.id for each in known.all()] if tenants is None else tenants:
            scopes = known.scopes(tenant)
            for asks_others in (False, True):
                some = tuple(job for job in jobs if job.asks_others == asks_others)
                if some and scopes:
                    self._begin((tenant, asks_others), [_Work(scope, some) for scope in scopes])

    def begin_due(self, jobs: Sequence[Job], shards: Iterable[int] = EVERY_SHARD) -> int:
        """Start the jobs that are due, and return the number of turns. Tenants whose last turn still runs wait."""
        by_name = {job.name: job for job in jobs}
        turns: dict[_Turn, dict[tuple[Scope, str], list[Due]]] = {}
        for due in self._ready(shards):
            # A survey that is due runs on one thread of the tenant, with its jobs that call providers.
            asks_others = due.job in by_name and by_name[due.job].asks_others
            works = turns.setdefault((due.tenant, asks_others), {})
            works.setdefault((due.scope, due.job), []).append(due)
        for turn, works in turns.items():
            todo = [_Work(scope, _jobs_named(name, jobs), tuple(due)) for (scope, name), due in works.items()]
            self._begin(turn, todo)
        return len(turns)

    def stop(self, seconds: float) -> None:
        """Start no more jobs, and wait for the running ones, at most `seconds`."""
        self._local.shutdown(wait=False, cancel_futures=True)
        self._asking.shutdown(wait=False, cancel_futures=True)
        self.wait(seconds)

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the running jobs, at most `seconds`."""
        with self._lock:
            running = list(self._running.values())
        wait(running, seconds)

    def _ready(self, shards: Iterable[int]) -> list[Due]:
        """Return the due items of tenants that have no running turn."""
        with self._lock:
            busy = {tenant for tenant, _ in self._running}
        ready: list[Due] = []
        for due in self._index.every_ready(shards):
            if due.tenant not in busy:
                ready.append(due)
            if len(ready) == MOST_DUE:
                break
        return ready

    def _begin(self, turn: _Turn, works: Sequence[_Work]) -> None:
        pool = self._asking if turn[1] else self._local
        with self._lock:
            if turn in self._running:
                if not works[0].due:
                    self._first.setdefault(turn, works[0].scope)
                return
            running = self._running[turn] = pool.submit(self._go, turn, works)
        running.add_done_callback(lambda _: self._end(turn))

    def _end(self, turn: _Turn) -> None:
        with self._lock:
            del self._running[turn]

    def _go(self, turn: _Turn, works: Sequence[_Work]) -> None:
        began = self._monotonic()
        is_survey = not any(work.due for work in works)
        if is_survey:
            works = self._from_first(turn, works)
        elif not self._is_there(turn[0], works):
            return
        for place, work in enumerate(works):
            if place and self._monotonic() - began >= TURN_SECONDS:
                if is_survey:
                    self._first[turn] = work.scope
                return
            self._do(work)

    def _from_first(self, turn: _Turn, works: Sequence[_Work]) -> Sequence[_Work]:
        first = self._first.pop(turn, None)
        start = next((place for place, work in enumerate(works) if work.scope == first), 0)
        return [*works[start:], *works[:start]]

    def _is_there(self, tenant: str, works: Sequence[_Work]) -> bool:
        """Return whether the tenant exists and is not being deleted. Drops the due items of a deleted tenant."""
        try:
            found = Tenants(self._services.get(Store), self._services.get(Clock)).find(tenant)
        except NotFound:
            for work in works:
                for due in work.due:
                    self._index.drop(due)
            return False
        return found.deleting_at is None

    def _do(self, work: _Work) -> None:
        try:
            taken = [each for each in map(self._index.take, work.due) if each is not None]
            with self._lock:
                self.taken += len(taken)
            if taken or not work.due:
                self._do_taken(work, taken)
        # A failure in one project must not delay the others.
        except Exception as failed:  # noqa: BLE001
            self._report(f"the scheduled jobs of {_scope_label(work.scope)}", failed)

    def _do_taken(self, work: _Work, taken: Sequence[Due]) -> None:
        is_survey = not taken or taken[0].job == SURVEY
        parked = self._index.list_parked(work.scope) if is_survey and not _all_run_everywhere(work.jobs) else ()
        for job in work.jobs:
            next_at, error = self._run(job, work.scope)
            if error is not None:
                self._report_failure(job, work.scope, () if is_survey else taken, error)
                if is_survey and not job.everywhere:
                    now = now_ms(self._services.get(Clock))
                    self._index.arrange(work.scope, job.name, now + FIRST_PAUSE_MS)
            elif not is_survey:
                for due in taken:
                    self._index.finish(due, next_at)
            else:
                self._index.arrange(work.scope, job.name, next_at, [due for due in parked if due.job == job.name])
        # These items requested a survey, or a job that this version does not have.
        if is_survey or not work.jobs:
            for due in taken:
                self._index.finish(due, None)

    def _run(self, job: Job, scope: Scope) -> tuple[int | None, Exception | None]:
        """Run a job in a project. Return the time when it is due next, or the exception that it raised."""
        try:
            job.run(self._services, scope)
            next_at = job.next_due(self._services, scope)
        except Exception as failed:  # noqa: BLE001 - a failed job is retried, and the others run
            return None, failed
        soonest = now_ms(self._services.get(Clock)) + round(job.seconds * 1000)
        return None if next_at is None else max(next_at, soonest), None

    def _report_failure(self, job: Job, scope: Scope, taken: Sequence[Due], error: Exception) -> None:
        where = f"the job {job.name} in {_scope_label(scope)}"
        self._report(where, error)
        for due in taken:
            if self._index.fail(due, error):
                self._report(where, GivenUp(f"It failed {due.attempts} times and is left to the daily survey."))


class GivenUp(Exception):
    """Reports that a due item was parked after its last attempt."""


def run_survey(jobs: Sequence[Job], services: Services, report: Report, tenants: Iterable[str] | None = None) -> None:
    """Run each job once for every project of the tenants, or of all tenants, and schedule its next run.

    A failing job is reported and does not stop the others."""
    with JobRunner(services, report) as rounds:
        rounds.begin(jobs, tenants)
        rounds.wait()
        while left := rounds.unfinished_tenants:
            rounds.begin(jobs, left)
            rounds.wait()


def run_due(
    jobs: Sequence[Job],
    services: Services,
    report: Report,
    may_go_on: Callable[[], bool] = lambda: True,
    threads: int = THREADS,
    shards: Sequence[int] = EVERY_SHARD,
) -> None:
    """Run due jobs until none is left, or until `may_go_on`, called before each round, returns False."""
    with JobRunner(services, report, threads=threads) as rounds:
        taken = -1
        # The index also lists items that other processes hold and items of tenants that are being deleted.
        while rounds.taken > taken and may_go_on():
            taken = rounds.taken
            rounds.begin_due(jobs, shards)
            rounds.wait()


def _jobs_named(name: str, jobs: Sequence[Job]) -> tuple[Job, ...]:
    return tuple(job for job in jobs if name in (job.name, SURVEY))


def _all_run_everywhere(jobs: Sequence[Job]) -> bool:
    return all(job.everywhere for job in jobs)


def _scope_label(scope: Scope) -> str:
    return f"{scope.tenant}/{scope.project}"
