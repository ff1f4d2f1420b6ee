"""Threads that tenants share fairly. Work first passes a gate, which finds out whose it is, then has its turn.

One thread leads: it takes what is next, lets it in and does it, one after the other, so that short calls cost no change
of threads. Where it does not come back within a few milliseconds, another one takes the lead, and the first goes on
with what it has begun.

A tenant may have few calls computing at a moment, and more that wait for another machine: computing threads take the
interpreter and the processors from everybody else. It never has more than are free: there is always one left for the
others. What is over that waits in a queue of its tenant; the queues take turns. Whoever is not let in never holds one
of these threads. Work that cannot be ended keeps its thread, and counts for its tenant, until it ends.
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
"""After how many looks without need the leader is watched no longer."""


@dataclass(slots=True, eq=False)
class _Runner:
    """A thread at work. `begun` counts what it has begun."""

    begun: int = 0


class FairThreads(Generic[Answer]):
    """`executor` has `shares.all_threads` threads and does nothing else."""

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
        """The answer of `enter`, or of the work that it admits. Raises Full where too many wait at the gate; the
        future does where too much of its tenant waits."""
        job = Job[Answer](Future(), enter)
        with self._lock:
            if len(self._at_gate) >= self._shares.at_gate:
                raise Full(None)
            self._at_gate.append(job)
            self._ensure_leader()
        return job.future

    def call(self, admitted: AdmittedWork[Answer]) -> Future[Answer]:
        """The answer of work that was let in before. Raises Full where too much of its tenant waits."""
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
        """With the lock: let a thread lead where there is something to do, and another watch it."""
        if self._leader is None:
            if self._gate_is_open() or self._turns.next_tenant() is not None:
                self._leader = _Runner()
                self._executor.submit(self._run, self._leader)
        elif not self._is_watched:
            self._is_watched = True
            self._executor.submit(self._watch)

    def _watch(self) -> None:
        """On a thread: give the lead to another where the leader is held up and others wait."""
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
        """On a thread: one piece of work after the other, for as long as it leads."""
        while (job := self._next(runner)) is not None:
            admitted = job.admitted
            if admitted is None:
                self._let_in(job, runner)
                continue
            tenant = admitted.tenant
            with announce_blocking(partial(self._away, tenant, runner), partial(self._park, tenant, runner)):
                _answer(job.future, admitted.work)
            with self._lock:
                self._turns.end(tenant)

    def _next(self, runner: _Runner) -> Job[Answer] | None:
        """The next job: work, which begins for its tenant, or a job at the gate, which is let in."""
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
        """Enqueue what comes in: many of one tenant at the gate must not be done before the one of another."""
        admitted = _entered(job)
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
    def _away(self, tenant: str, runner: _Runner) -> Generator[None]:
        """Around what a call of the tenant waits for elsewhere: others may compute meanwhile."""
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
        """Around a pause of the tenant's call; False where too many pause already."""
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
        """With the lock: let another thread lead while this one waits."""
        if self._leader is runner:
            self._leader = None
        if self._leader is None:
            self._ensure_leader()

    def _gate_is_open(self) -> bool:
        return bool(self._at_gate) and self._entering < self._shares.gates


def _entered(job: Job[Answer]) -> AdmittedWork[Answer] | None:
    """None where the gate had the answer, or broke, or nobody waits any more."""
    if job.future.cancelled() or job.enter is None:
        return None
    try:
        result: Answer | AdmittedWork[Answer] = job.enter()
    except BaseException as broken:  # noqa: BLE001 - as an executor: it is for whoever waits for the answer
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
    except BaseException as broken:  # noqa: BLE001 - as an executor: it is for whoever waits for the answer
        future.set_exception(broken)
    else:
        future.set_result(answer)


def _fail(future: Future[Answer], broken: BaseException) -> None:
    if future.set_running_or_notify_cancel():
        future.set_exception(broken)
