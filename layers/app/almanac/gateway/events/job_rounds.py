"""Runs the scheduled jobs of all tenants, several at a time: a slow project delays only its own tenant.

A tenant has one thread for jobs that ask providers and one for everything else. Its projects follow one another there
for a bounded time; those that are left are the first of the next sweep.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from threading import Lock

from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.platform.bus.delivery import Report
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services
from almanac.platform.store.port import Store

THREADS = 4
TURN_SECONDS = 5.0
"""After this long a tenant's turn ends. A job that has begun is finished."""


_Turn = tuple[str, bool]
"""A tenant, and whether the jobs ask others."""


class JobRunner(AbstractContextManager["JobRunner"]):
    """`monotonic` tells seconds. At the end of the block what was begun is waited for."""

    def __init__(self, services: Services, report: Report, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._services = services
        self._report = report
        self._monotonic = monotonic
        self._local = ThreadPoolExecutor(THREADS, thread_name_prefix="scheduled jobs")
        self._asking = ThreadPoolExecutor(THREADS, thread_name_prefix="scheduled jobs")
        self._lock = Lock()
        self._running: dict[_Turn, Future[None]] = {}
        self._first: dict[_Turn, Scope] = {}

    def __exit__(self, *_: object) -> None:
        self._local.shutdown()
        self._asking.shutdown()

    @property
    def is_busy(self) -> bool:
        with self._lock:
            return bool(self._running)

    def begin(self, jobs: Sequence[Job], tenants: Iterable[str] | None = None) -> None:
        """Start the jobs for these tenants, or all; a tenant whose last turn still runs is left out."""
        known = Tenants(self._services.get(Store), self._services.get(Clock))
        for tenant in [each.id for each in known.all()] if tenants is None else tenants:
            scopes = known.scopes(tenant)
            for asks_others, pool in ((False, self._local), (True, self._asking)):
                if due := [job for job in jobs if job.asks_others == asks_others]:
                    self._begin((tenant, asks_others), due, scopes, pool)

    def stop(self, seconds: float) -> None:
        """Begins nothing more, and waits for what runs, so long at most."""
        self._local.shutdown(wait=False, cancel_futures=True)
        self._asking.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            running = list(self._running.values())
        wait(running, seconds)

    def _begin(self, turn: _Turn, jobs: Sequence[Job], scopes: Sequence[Scope], pool: ThreadPoolExecutor) -> None:
        with self._lock:
            if turn in self._running:
                return
            running = self._running[turn] = pool.submit(self._go, turn, jobs, scopes)
        running.add_done_callback(lambda _: self._end(turn))

    def _end(self, turn: _Turn) -> None:
        with self._lock:
            del self._running[turn]

    def _go(self, turn: _Turn, jobs: Sequence[Job], scopes: Sequence[Scope]) -> None:
        began = self._monotonic()
        first = self._first.pop(turn, None)
        start = scopes.index(first) if first in scopes else 0
        for place, scope in enumerate([*scopes[start:], *scopes[:start]]):
            if place and self._monotonic() - began >= TURN_SECONDS:
                self._first[turn] = scope
                return
            for job in jobs:
                self._do(job, scope)

    def _do(self, job: Job, scope: Scope) -> None:
        try:
            job.run(self._services, scope)
        # Whatever is wrong in one project, the others are not to wait for it.
        except Exception as failed:  # noqa: BLE001
            self._report(f"the job {job.name} in {scope.tenant}/{scope.project}", failed)


def run_jobs(jobs: Sequence[Job], services: Services, report: Report, tenants: Iterable[str] | None = None) -> None:
    """Run each job once for every project of the tenants, or of all, to the end. A job that fails is reported and does
    not stop the rest."""
    with JobRunner(services, report) as rounds:
        rounds.begin(jobs, tenants)
