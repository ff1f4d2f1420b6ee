"""Test threads that tenants share: their limits, their turns, and a full queue."""

import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import nullcontext
from typing import Any

import pytest

from almanac.kernel.blocking_call import pause_call, remote_call
from almanac.local.http.fair_queue import AdmittedWork, FairQueue, Full, Shares
from almanac.local.http.fair_threads import LET_IN_A_TURN, FairThreads


class SteppingExecutor(Executor):
    """An executor whose threads wait until the test lets them start."""

    def __init__(self) -> None:
        self.begun: list[Any] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.begun.append((fn, args))
        return Future()

    def run_all(self) -> None:
        while self.begun:
            fn, args = self.begun.pop(0)
            fn(*args)


def stepping_threads(shares: Shares) -> tuple[SteppingExecutor, FairThreads[str]]:
    """Return fair threads over a stepping executor, without the watch over the leading thread."""
    executor = SteppingExecutor()
    threads: FairThreads[str] = FairThreads(executor, shares)
    threads._is_watched = True  # type: ignore[attr-defined]
    return executor, threads


class HeldCalls:
    """Calls that last until they are released, on threads of their own."""

    def __init__(self, shares: Shares) -> None:
        self.threads: FairThreads[str] = FairThreads(_Threads(), shares)
        self.running: list[str] = []
        self._gates: dict[str, threading.Event] = {}
        self._news = threading.Condition()

    def call(self, tenant: str, name: str, *, away: bool = False, pauses: bool = False) -> Future[str]:
        gate = self._gates[name] = threading.Event()

        def work() -> str:
            if pauses:
                with pause_call() as has_room:
                    return wait_for_gate() if has_room else "no room"
            with remote_call() if away else nullcontext():
                return wait_for_gate()

        def wait_for_gate() -> str:
            with self._news:
                self.running.append(name)
                self._news.notify_all()
            assert gate.wait(30)
            with self._news:
                self.running.remove(name)
                self._news.notify_all()
            return name

        return self.threads.enter(lambda: AdmittedWork(tenant, work))

    def release(self, *names: str) -> None:
        for name in names:
            self._gates[name].set()

    def wait_for(self, *names: str) -> None:
        with self._news:
            assert self._news.wait_for(lambda: sorted(self.running) == sorted(names), 30), self.running


class _Threads(Executor):
    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        threading.Thread(target=fn, args=args, daemon=True).start()
        return Future()


@pytest.fixture
def held_calls() -> Iterator[HeldCalls]:
    held = HeldCalls(Shares(threads=8, share=3, computing=2, waiting=4, gates=2, parked_share=4))
    yield held
    while held.running:
        held.release(*list(held.running))


def test_a_tenant_has_few_calls_that_compute_and_others_begin_at_once(held_calls: HeldCalls) -> None:
    for number in range(6):
        held_calls.call("busy", f"b{number}")
    held_calls.wait_for("b0", "b1")
    held_calls.call("calm", "c0")
    held_calls.wait_for("b0", "b1", "c0")


def test_what_waits_elsewhere_lets_others_of_its_tenant_compute_up_to_its_share(held_calls: HeldCalls) -> None:
    for number in range(6):
        held_calls.call("busy", f"b{number}", away=True)
    held_calls.wait_for("b0", "b1", "b2")
    held_calls.release("b1")
    held_calls.wait_for("b0", "b2", "b3")
    held_calls.call("calm", "c0")
    held_calls.wait_for("b0", "b2", "b3", "c0")


def test_calls_that_pause_take_no_place_from_others_of_their_tenant_and_more_than_may_pause_return(
    held_calls: HeldCalls,
) -> None:
    # More than the three threads of its share wait for a message, and whoever sends it still has a turn.
    paused = [held_calls.call("busy", f"p{number}", pauses=True) for number in range(4)]
    held_calls.wait_for("p0", "p1", "p2", "p3")
    assert held_calls.call("busy", "p4", pauses=True).result(30) == "no room"
    held_calls.call("busy", "b0")
    held_calls.call("busy", "b1")
    held_calls.wait_for("p0", "p1", "p2", "p3", "b0", "b1")
    held_calls.release("p0", "b0", "b1")
    assert paused[0].result(30) == "p0"
    held_calls.wait_for("p1", "p2", "p3")
    held_calls.call("busy", "p5", pauses=True)
    held_calls.wait_for("p1", "p2", "p3", "p5")


def test_who_lets_in_is_not_held_up_by_what_is_let_in(held_calls: HeldCalls) -> None:
    """One after the other, on one thread: until the first of them takes its time."""
    held_calls.call("a", "a0")
    held_calls.wait_for("a0")
    assert held_calls.threads.enter(lambda: "refused").result(30) == "refused"


def test_what_ends_makes_room_for_the_oldest_that_waits(held_calls: HeldCalls) -> None:
    calls = [held_calls.call("busy", f"b{number}") for number in range(2)]
    held_calls.wait_for("b0", "b1")
    waiting = [held_calls.call("busy", f"b{number}") for number in (2, 3)]
    held_calls.release("b1")
    assert calls[1].result(30) == "b1"
    held_calls.wait_for("b0", "b2")
    assert not waiting[1].done()


def test_a_tenant_may_hold_as_many_as_are_free_so_that_newcomers_find_one() -> None:
    turns: FairQueue[str] = FairQueue(Shares(threads=8, share=4, computing=4))
    begun: dict[str, int] = {}
    for tenant in ("a", "b", "c", "d"):
        begun[tenant] = 0
        while turns.may_begin(tenant):
            turns.begin(tenant)
            begun[tenant] += 1
    assert begun == {"a": 4, "b": 2, "c": 1, "d": 1}


def test_over_its_room_to_wait_a_tenant_is_refused_and_others_are_not() -> None:
    executor, threads = stepping_threads(Shares(share=3, waiting=4, gates=1))
    for _ in range(7):
        threads.call(AdmittedWork("busy", lambda: "done"))
    with pytest.raises(Full) as refused:
        threads.call(AdmittedWork("busy", lambda: "done"))
    assert refused.value.tenant == "busy"
    calm = threads.call(AdmittedWork("calm", lambda: "done"))
    executor.run_all()
    assert calm.result(0) == "done"


def test_what_is_refused_at_the_gate_never_has_a_turn() -> None:
    executor, threads = stepping_threads(Shares(threads=1, gates=1, at_gate=3))
    calls = [threads.enter(lambda: "refused") for _ in range(3)]
    with pytest.raises(Full):
        threads.enter(lambda: "refused")
    executor.run_all()
    assert [call.result(0) for call in calls] == ["refused"] * 3


def test_what_was_withdrawn_is_never_begun() -> None:
    executor, threads = stepping_threads(Shares(threads=2, share=1, gates=1))
    done: list[str] = []
    first = threads.call(AdmittedWork("acme", lambda: done.append("first") or "first"))
    second = threads.call(AdmittedWork("acme", lambda: done.append("second") or "second"))
    third = threads.enter(lambda: done.append("third") or "third")
    assert threads.withdraw(second)
    assert threads.withdraw(third)
    executor.run_all()
    assert first.result(0) == "first"
    assert not threads.withdraw(first)
    assert done == ["first"]


def test_work_that_breaks_frees_its_thread() -> None:
    executor, threads = stepping_threads(Shares(threads=2, share=1, gates=1))
    broken = threads.enter(lambda: AdmittedWork("acme", lambda: str(1 // 0)))
    gate = threads.enter(lambda: str(1 // 0))
    after = threads.enter(lambda: AdmittedWork("acme", lambda: "fine"))
    executor.run_all()
    assert isinstance(broken.exception(0), ZeroDivisionError)
    assert isinstance(gate.exception(0), ZeroDivisionError)
    assert after.result(0) == "fine"


def test_tenants_that_wait_take_turns() -> None:
    executor, threads = stepping_threads(Shares())
    order: list[str] = []

    def call(tenant: str, name: str) -> None:
        threads.call(AdmittedWork(tenant, lambda: order.append(name) or name))

    for name in ("a1", "a2", "a3"):
        call("a", name)
    call("b", "b1")
    executor.run_all()
    assert order == ["a1", "b1", "a2", "a3"]


def test_neither_the_gate_nor_those_let_in_hold_up_the_others() -> None:
    executor, threads = stepping_threads(Shares())
    order: list[str] = []
    for _ in range(3):
        threads.call(AdmittedWork("a", lambda: order.append("turn") or ""))
    for _ in range(3 * LET_IN_A_TURN):
        threads.enter(lambda: order.append("gate") or "")
    executor.run_all()
    assert order == [*["gate"] * LET_IN_A_TURN, "turn"] * 3


def test_one_call_does_not_wait_for_all_that_another_tenant_sent_before() -> None:
    executor, threads = stepping_threads(Shares())
    order: list[str] = []
    for tenant in [*["busy"] * 10, "calm"]:
        threads.enter(lambda tenant=tenant: AdmittedWork(tenant, lambda: order.append(tenant) or ""))
    executor.run_all()
    assert order == ["busy", "calm", *["busy"] * 9]


def test_short_calls_one_after_the_other_need_one_thread() -> None:
    executor, threads = stepping_threads(Shares())
    calls = [threads.enter(lambda: AdmittedWork("acme", lambda: "done")) for _ in range(40)]
    assert len(executor.begun) == 1
    executor.run_all()
    assert [call.result(0) for call in calls] == ["done"] * 40
