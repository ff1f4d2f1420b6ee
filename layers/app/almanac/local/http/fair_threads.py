"""Threads that tenants share fairly. Work is first let in at a gate, which finds out whose it is, then has its turn.

A tenant may hold as many threads as are free, and never more than its share: there is always one left for the others.
What is over that waits in a queue of its tenant; the queues take turns. Whoever is not let in never holds one of
these threads. Work that cannot be ended keeps its thread, and counts for its tenant, until it ends.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Shares:
    """`threads` for the work of all tenants at one moment, `share` for that of one, `waiting` how much of one tenant
    may wait; `gates` are let in at one moment, beside `threads`, and `at_gate` may wait there."""

    threads: int = 32
    share: int = 8
    waiting: int = 64
    gates: int = 16
    at_gate: int = 4096

    @property
    def all_threads(self) -> int:
        """How many threads the executor must have."""
        return self.threads + self.gates


@dataclass(frozen=True, slots=True)
class Admitted(Generic[Answer]):
    """What comes out of the gate for work that is let in."""

    tenant: str
    work: Callable[[], Answer]


class Full(Exception):
    """No room to wait: in the queue of `tenant`, or at the gate where there is none."""

    def __init__(self, tenant: str | None) -> None:
        super().__init__(tenant)
        self.tenant = tenant


@dataclass(slots=True, eq=False)
class _Job(Generic[Answer]):
    future: Future[Answer]
    enter: Callable[[], Answer | Admitted[Answer]] | None = None
    admitted: Admitted[Answer] | None = None


class FairThreads(Generic[Answer]):
    """`executor` has `shares.all_threads` threads and does nothing else."""

    def __init__(self, executor: Executor, shares: Shares | None = None) -> None:
        self._executor = executor
        self._shares = shares or Shares()
        self._lock = threading.Lock()
        self._entering = 0
        self._at_gate: deque[_Job[Answer]] = deque()
        self._busy = 0
        self._held: dict[str, int] = {}
        self._waiting: OrderedDict[str, deque[_Job[Answer]]] = OrderedDict()

    def enter(self, enter: Callable[[], Answer | Admitted[Answer]]) -> Future[Answer]:
        """The answer of `enter`, or of the work that it admits. Raises Full where too many wait at the gate; the
        future does where too much of its tenant waits."""
        job = _Job[Answer](Future(), enter)
        with self._lock:
            if self._entering == self._shares.gates:
                if len(self._at_gate) >= self._shares.at_gate:
                    raise Full(None)
                self._at_gate.append(job)
                return job.future
            self._entering += 1
        self._executor.submit(self._let_in, job)
        return job.future

    def call(self, admitted: Admitted[Answer]) -> Future[Answer]:
        """The answer of work that was let in before. Raises Full where too much of its tenant waits."""
        job = _Job[Answer](Future(), admitted=admitted)
        if self._has_turn(job, admitted.tenant):
            self._executor.submit(self._work, job, admitted)
        return job.future

    def withdraw(self, future: Future[Answer]) -> bool:
        """Whether the work had not begun, and now never will."""
        if not future.cancel():
            return False
        with self._lock:
            for tenant, jobs in list(self._waiting.items()):
                kept = deque(job for job in jobs if job.future is not future)
                if kept:
                    self._waiting[tenant] = kept
                else:
                    del self._waiting[tenant]
            self._at_gate = deque(job for job in self._at_gate if job.future is not future)
        return True

    def _let_in(self, job: _Job[Answer]) -> None:
        """On a thread: the gate, and then, where it has its turn at once, the work, without changing threads."""
        following: _Job[Answer] | None = job
        while following is not None:
            job = following
            admitted = _entered(job)
            with self._lock:
                following = self._at_gate.popleft() if self._at_gate else None
                if following is None:
                    self._entering -= 1
            if admitted is not None and self._has_turn_or_fails(job, admitted.tenant):
                if following is not None:
                    self._executor.submit(self._let_in, following)
                self._work(job, admitted)
                return

    def _has_turn_or_fails(self, job: _Job[Answer], tenant: str) -> bool:
        try:
            return self._has_turn(job, tenant)
        except Full as full:
            if job.future.set_running_or_notify_cancel():
                job.future.set_exception(full)
            return False

    def _has_turn(self, job: _Job[Answer], tenant: str) -> bool:
        """False where it waits for its turn; who starts it then is whoever ends before."""
        with self._lock:
            if self._may_begin(tenant):
                self._begin(tenant)
                return True
            jobs = self._waiting.setdefault(tenant, deque())
            if len(jobs) >= self._shares.waiting:
                raise Full(tenant)
            jobs.append(job)
            return False

    def _work(self, job: _Job[Answer], admitted: Admitted[Answer]) -> None:
        """On a thread: the work, and what waits for its end."""
        while True:
            _answered(job.future, admitted.work)
            with self._lock:
                self._end(admitted.tenant)
                begun = self._take_turns()
            if not begun:
                return
            job, admitted = begun[0]
            for more in begun[1:]:
                self._executor.submit(self._work, *more)

    def _may_begin(self, tenant: str) -> bool:
        free = self._shares.threads - self._busy
        return self._held.get(tenant, 0) < min(self._shares.share, free)

    def _begin(self, tenant: str) -> None:
        self._busy += 1
        self._held[tenant] = self._held.get(tenant, 0) + 1

    def _end(self, tenant: str) -> None:
        self._busy -= 1
        self._held[tenant] -= 1
        if not self._held[tenant]:
            del self._held[tenant]

    def _take_turns(self) -> list[tuple[_Job[Answer], Admitted[Answer]]]:
        """What may begin now, a tenant's oldest first, the tenant that has waited longest for a turn before others."""
        begun: list[tuple[_Job[Answer], Admitted[Answer]]] = []
        while tenant := next((each for each in self._waiting if self._may_begin(each)), None):
            jobs = self._waiting.pop(tenant)
            job = jobs.popleft()
            if jobs:
                self._waiting[tenant] = jobs
            if job.admitted is not None and not job.future.cancelled():
                self._begin(tenant)
                begun.append((job, job.admitted))
        return begun


def _entered(job: _Job[Answer]) -> Admitted[Answer] | None:
    """None where the gate had the answer, or broke, or nobody waits any more."""
    if job.future.cancelled() or job.enter is None:
        return None
    try:
        found: Answer | Admitted[Answer] = job.enter()
    except BaseException as broken:  # noqa: BLE001 - as an executor: it is for whoever waits for the answer
        if job.future.set_running_or_notify_cancel():
            job.future.set_exception(broken)
        return None
    if isinstance(found, Admitted):
        job.admitted = cast("Admitted[Answer]", found)
        return job.admitted
    if job.future.set_running_or_notify_cancel():
        job.future.set_result(found)
    return None


def _answered(future: Future[Answer], work: Callable[[], Answer]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        answer = work()
    except BaseException as broken:  # noqa: BLE001 - as an executor: it is for whoever waits for the answer
        future.set_exception(broken)
    else:
        future.set_result(answer)
