"""Threads that tenants share fairly. Work first passes a gate, which identifies its tenant, and then takes its turn.

One thread leads. It takes the next job, admits it and runs it, one after the other, so short calls cost no switch of
threads. If a job takes more than a few milliseconds, another thread takes the lead, and the first finishes its job.

A tenant may have few calls that compute at one moment, and more that wait for another machine, because computing
threads take the interpreter and the processors from all others. It never holds more threads than are free, so one is
always left for other tenants. Further calls wait in a queue of their tenant, and the queues take turns. Work that is
not admitted never holds one of these threads. Work that cannot be stopped keeps its thread, and counts for its tenant,
until it ends.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Generator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Generic, cast

from almanac.kernel.blocking_call import announce_blocking
from almanac.local.http.fair_queue import AdmittedWork, Answer, FairQueue, Full, Job, Shares

LEAD_SECONDS = 0.003
"""Time that a leader may spend on one piece of work before another thread takes the lead. The actual time is one to two
of these."""
LET_IN_A_TURN = 16
"""Most calls admitted in a row before work that is already admitted gets a turn."""
_LOOKS = 30
"""Number of checks without need after which the leader is no longer watched."""


@dataclass(slots=True, eq=False)
class _Runner:
    """A thread at work. `begun` counts the jobs it has begun."""

    begun: int = 0


class FairThreads(Generic[Answer]):
    """The shared threads. `executor` must have `shares.all_threads` threads and no other work."""

    def __init__(
        self, executor: Executor, shares: Shares | None = None, pause: Callable[[float], object] = time.sleep
    ) -> None:
        self._executor = executor
        self._shares = shares or Shares()
        self._pause = pause
        self._lock = threading.Lock()
        self._leader: _Runner | None = None
        self._is_watched = False
        self._let_in_since = 0
        self._entering = 0
        self._at_gate: deque[Job[Answer]] = deque()
        self._turns: FairQueue[Answer] = FairQueue(self._shares)

    def enter(self, enter: Callable[[], Answer | AdmittedWork[Answer]]) -> Future[Answer]:
        """Return a future for the answer of `enter`, or of the work that it admits.

        Raises Full if too many jobs wait at the gate. The future raises Full if too many jobs of the tenant wait."""
        job = Job[Answer](Future(), enter)
        with self._lock:
            if len(self._at_gate) >= self._shares.at_gate:
                raise Full(None)
            self._at_gate.append(job)
            self._ensure_leader()
        return job.future

    def call(self, admitted: AdmittedWork[Answer]) -> Future[Answer]:
        """Return a future for the answer of admitted work. Raises Full if too many jobs of the tenant wait."""
        job = Job[Answer](Future(), admitted=admitted)
        with self._lock:
            self._turns.enqueue(job, admitted.tenant)
            self._ensure_leader()
        return job.future

    def withdraw(self, future: Future[Answer]) -> bool:
        """Cancel work that has not begun. Return False if it has begun."""
        if not future.cancel():
            return False
        with self._lock:
            self._turns.drop(future)
            self._at_gate = deque(job for job in self._at_gate if job.future is not future)
        return True

    def _ensure_leader(self) -> None:
        """Let a thread lead if there is work, and another watch it. The caller holds the lock."""
        if self._leader is None:
            if self._gate_is_open() or self._turns.next_tenant() is not None:
                self._leader = _Runner()
                self._executor.submit(self._run, self._leader)
        elif not self._is_watched:
            self._is_watched = True
            self._executor.submit(self._watch)

    def _watch(self) -> None:
        """Hand the lead to another thread when the leader is held up and jobs wait. Runs on a thread."""
        before: tuple[_Runner | None, int] = (None, 0)
        idle = 0
        while True:
            self._pause(LEAD_SECONDS)
            with self._lock:
                leader = self._leader
                now = (leader, leader.begun if leader else 0)
                is_needed = leader is not None and (self._gate_is_open() or self._turns.next_tenant() is not None)
                idle = 0 if is_needed else idle + 1
                if idle > _LOOKS:
                    self._is_watched = False
                    return
                if is_needed and now == before:
                    self._leader = None
                    self._ensure_leader()
                before = now

    def _run(self, runner: _Runner) -> None:
        """Run one job after the other for as long as this thread leads."""
        while (job := self._next(runner)) is not None:
            admitted = job.admitted
            if admitted is None:
                self._let_in(job, runner)
                continue
            tenant = admitted.tenant
            with announce_blocking(partial(self._wait_elsewhere, tenant, runner), partial(self._park, tenant, runner)):
                _answer(job.future, admitted.work)
            with self._lock:
                self._turns.end(tenant)

    def _next(self, runner: _Runner) -> Job[Answer] | None:
        """Return the next job, either admitted work, which now begins, or a job at the gate, or None."""
        with self._lock:
            runner.begun += 1
            if self._leader is not None and self._leader is not runner:
                return None
            tenant = self._turns.next_tenant()
            if self._gate_is_open() and (self._let_in_since < LET_IN_A_TURN or tenant is None):
                self._leader = runner
                self._let_in_since += 1
                self._entering += 1
                return self._at_gate.popleft()
            self._let_in_since = 0
            self._leader = None if tenant is None else runner
            return None if tenant is None else self._turns.take(tenant)

    def _let_in(self, job: Job[Answer], runner: _Runner) -> None:
        """Admit a job and enqueue its work, so that one tenant's many jobs at the gate do not delay another's."""
        admitted = _pass_gate(job)
        with self._lock:
            runner.begun += 1
            self._entering -= 1
            if admitted is not None:
                try:
                    self._turns.enqueue(job, admitted.tenant)
                except Full as full:
                    _fail(job.future, full)
            if self._leader is None:
                self._ensure_leader()

    @contextmanager
    def _wait_elsewhere(self, tenant: str, runner: _Runner) -> Generator[None]:
        """Let other calls of the tenant compute while this one waits for another machine in the `with` block."""
        with self._lock:
            self._turns.leave(tenant)
            self._give_up_lead(runner)
        try:
            yield
        finally:
            with self._lock:
                self._turns.come_back(tenant)

    @contextmanager
    def _park(self, tenant: str, runner: _Runner) -> Generator[bool]:
        """Park the tenant's call while it pauses in the `with` block. Yields False if too many pause already."""
        with self._lock:
            is_parked = self._turns.park(tenant)
            if is_parked:
                self._give_up_lead(runner)
        try:
            yield is_parked
        finally:
            if is_parked:
                with self._lock:
                    self._turns.unpark(tenant)

    def _give_up_lead(self, runner: _Runner) -> None:
        """Let another thread lead while this one waits. The caller holds the lock."""
        if self._leader is runner:
            self._leader = None
        if self._leader is None:
            self._ensure_leader()

    def _gate_is_open(self) -> bool:
        return bool(self._at_gate) and self._entering < self._shares.gates


def _pass_gate(job: Job[Answer]) -> AdmittedWork[Answer] | None:
    """Run the gate and return the admitted work, or None if the gate answered, failed, or the job was cancelled."""
    if job.future.cancelled() or job.enter is None:
        return None
    try:
        result: Answer | AdmittedWork[Answer] = job.enter()
    except BaseException as broken:  # noqa: BLE001 - like an executor, pass it to the caller who waits
        _fail(job.future, broken)
        return None
    if isinstance(result, AdmittedWork):
        job.admitted = cast("AdmittedWork[Answer]", result)
        return job.admitted
    if job.future.set_running_or_notify_cancel():
        job.future.set_result(result)
    return None


def _answer(future: Future[Answer], work: Callable[[], Answer]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        answer = work()
    except BaseException as broken:  # noqa: BLE001 - like an executor, pass it to the caller who waits
        future.set_exception(broken)
    else:
        future.set_result(answer)


def _fail(future: Future[Answer], broken: BaseException) -> None:
    if future.set_running_or_notify_cancel():
        future.set_exception(broken)
