"""Queue of jobs that gives tenants turns at shared threads. Nothing here blocks.

It counts the threads that each tenant holds and keeps the jobs that wait.
"""

from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, TypeVar

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Shares:
    """Limits on jobs at one moment.

    `threads` bounds the running jobs of all tenants, `share` those of one tenant, and `computing` those of one tenant
    that compute rather than wait for another machine. `waiting` bounds the queue of one tenant. `gates` bounds the jobs
    that are being admitted, beside `threads`, and `at_gate` those that wait for admission. `parked` calls, and
    `parked_share` of one tenant, may pause until another call does something. Paused calls count for no other limit."""

    threads: int = 32
    share: int = 8
    computing: int = 2
    waiting: int = 64
    gates: int = 16
    at_gate: int = 4096
    parked: int = 96
    parked_share: int = 24

    @property
    def all_threads(self) -> int:
        """Return the number of threads that the executor needs; one of them watches the leader."""
        return self.threads + self.gates + self.parked + 1


@dataclass(frozen=True, slots=True)
class AdmittedWork(Generic[Answer]):
    """Work that the gate has admitted."""

    tenant: str
    work: Callable[[], Answer]


class Full(Exception):
    """No room to wait, in the queue of `tenant`, or at the gate if `tenant` is None."""

    def __init__(self, tenant: str | None) -> None:
        super().__init__(tenant)
        self.tenant = tenant


@dataclass(slots=True, eq=False)
class Job(Generic[Answer]):
    """Work that waits. It waits at the gate until it has been admitted."""

    future: Future[Answer]
    enter: Callable[[], Answer | AdmittedWork[Answer]] | None = None
    admitted: AdmittedWork[Answer] | None = None


@dataclass(slots=True)
class _Usage:
    """Number of threads that a tenant holds, how many of them wait for another machine, and how many more are
    parked."""

    threads: int = 0
    away: int = 0
    parked: int = 0


class FairQueue(Generic[Answer]):
    """Jobs of tenants, which take turns, each with its oldest job first.

    A tenant may hold at most as many threads as are free, and never more than its share."""

    def __init__(self, shares: Shares) -> None:
        self._shares = shares
        self._busy = 0
        self._parked = 0
        self._usage: dict[str, _Usage] = {}
        self._waiting: OrderedDict[str, deque[Job[Answer]]] = OrderedDict()

    def enqueue(self, job: Job[Answer], tenant: str) -> None:
        """Add a job to the tenant's queue. Raises Full if too many of the tenant's jobs wait."""
        jobs = self._waiting.setdefault(tenant, deque())
        soon = self._shares.share - self._usage.get(tenant, _NOTHING).threads
        if len(jobs) >= self._shares.waiting + soon:
            raise Full(tenant)
        jobs.append(job)

    def next_tenant(self) -> str | None:
        """Return the tenant that has waited longest for a turn among those that may begin a job, or None."""
        return next((tenant for tenant in self._waiting if self.may_begin(tenant)), None)

    def take(self, tenant: str) -> Job[Answer]:
        """Begin the tenant's oldest job. The tenant's next turn comes after those of the others."""
        jobs = self._waiting.pop(tenant)
        job = jobs.popleft()
        if jobs:
            self._waiting[tenant] = jobs
        self.begin(tenant)
        return job

    def drop(self, future: Future[Answer]) -> None:
        """Remove the job with this future."""
        for tenant, jobs in list(self._waiting.items()):
            kept = deque(job for job in jobs if job.future is not future)
            if kept:
                self._waiting[tenant] = kept
            else:
                del self._waiting[tenant]

    def may_begin(self, tenant: str) -> bool:
        usage = self._usage.get(tenant, _NOTHING)
        free = self._shares.threads - self._busy
        return usage.threads < min(self._shares.share, free) and usage.threads - usage.away < self._shares.computing

    def begin(self, tenant: str) -> None:
        self._busy += 1
        self._usage.setdefault(tenant, _Usage()).threads += 1

    def end(self, tenant: str) -> None:
        self._busy -= 1
        usage = self._usage[tenant]
        usage.threads -= 1
        if not usage.threads and not usage.parked:
            del self._usage[tenant]

    def leave(self, tenant: str) -> None:
        """Note that one of the tenant's calls now waits for another machine."""
        self._usage[tenant].away += 1

    def come_back(self, tenant: str) -> None:
        """Note that such a call computes again. It may exceed the limit, because a started call is never stopped."""
        self._usage[tenant].away -= 1

    def park(self, tenant: str) -> bool:
        """Stop counting one of the tenant's calls while it pauses. Return False, without a change, if too many are
        parked."""
        usage = self._usage[tenant]
        if self._parked >= self._shares.parked or usage.parked >= self._shares.parked_share:
            return False
        self._parked += 1
        usage.parked += 1
        self._busy -= 1
        usage.threads -= 1
        return True

    def unpark(self, tenant: str) -> None:
        """Count a parked call again, even if that exceeds the limit."""
        usage = self._usage[tenant]
        self._parked -= 1
        usage.parked -= 1
        self._busy += 1
        usage.threads += 1


_NOTHING = _Usage()
