"""Threads that tenants share: what one may hold, whose turn it is, and what happens where there is no room."""

import threading
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from typing import Any

import pytest

from almanac.local.http.fair_threads import Admitted, FairThreads, Full, Shares


class Stepping(Executor):
    """Threads that only begin what a test lets them: each holds until it is told to go on."""

    def __init__(self) -> None:
        self.begun: list[Any] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.begun.append((fn, args))
        return Future()

    def run_one(self) -> None:
        fn, args = self.begun.pop(0)
        fn(*args)


class House:
    """Calls that last until they are released, on threads of their own."""

    def __init__(self, shares: Shares) -> None:
        self.threads: FairThreads[str] = FairThreads(_Threads(), shares)
        self.running: list[str] = []
        self._gates: dict[str, threading.Event] = {}
        self._news = threading.Condition()

    def call(self, tenant: str, name: str) -> Future[str]:
        gate = self._gates[name] = threading.Event()

        def work() -> str:
            with self._news:
                self.running.append(name)
                self._news.notify_all()
            assert gate.wait(30)
            with self._news:
                self.running.remove(name)
                self._news.notify_all()
            return name

        return self.threads.enter(lambda: Admitted(tenant, work))

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
def house() -> Iterator[House]:
    house = House(Shares(threads=8, share=3, waiting=4, gates=2))
    yield house
    while house.running:
        house.release(*list(house.running))


def test_a_tenant_holds_no_more_than_its_share_and_others_begin_at_once(house: House) -> None:
    for number in range(7):
        house.call("busy", f"b{number}")
    house.wait_for("b0", "b1", "b2")
    house.call("calm", "c0")
    house.wait_for("b0", "b1", "b2", "c0")


def test_what_ends_makes_room_for_the_oldest_that_waits(house: House) -> None:
    calls = [house.call("busy", f"b{number}") for number in range(3)]
    house.wait_for("b0", "b1", "b2")
    waiting = [house.call("busy", f"b{number}") for number in (3, 4)]
    while len(house.threads._waiting.get("busy", ())) < 2:  # type: ignore[attr-defined]
        pass
    house.release("b1")
    assert calls[1].result(30) == "b1"
    house.wait_for("b0", "b2", "b3")
    assert not waiting[1].done()


def test_a_tenant_may_hold_as_many_as_are_free_so_that_newcomers_find_one() -> None:
    stepping = Stepping()
    threads: FairThreads[str] = FairThreads(stepping, Shares(threads=8, share=4, gates=1))
    begun: dict[str, int] = {}
    for tenant in ("a", "b", "c", "d"):
        before = len(stepping.begun)
        for _ in range(6):
            threads.call(Admitted(tenant, lambda: "done"))
        begun[tenant] = len(stepping.begun) - before
    assert begun == {"a": 4, "b": 2, "c": 1, "d": 1}


def test_over_its_room_to_wait_a_tenant_is_refused_and_others_are_not() -> None:
    stepping = Stepping()
    threads: FairThreads[str] = FairThreads(stepping, Shares(threads=8, share=3, waiting=4, gates=1))
    for _ in range(7):
        threads.call(Admitted("busy", lambda: "done"))
    with pytest.raises(Full) as refused:
        threads.call(Admitted("busy", lambda: "done"))
    assert refused.value.tenant == "busy"
    threads.call(Admitted("calm", lambda: "done"))
    assert len(stepping.begun) == 4


def test_what_is_refused_at_the_gate_never_reaches_a_tenants_thread() -> None:
    stepping = Stepping()
    threads: FairThreads[str] = FairThreads(stepping, Shares(threads=1, gates=1, at_gate=2))
    calls = [threads.enter(lambda: "refused") for _ in range(3)]
    with pytest.raises(Full):
        threads.enter(lambda: "refused")
    assert len(stepping.begun) == 1
    stepping.run_one()
    assert [call.result(0) for call in calls] == ["refused"] * 3
    assert stepping.begun == []


def test_what_was_withdrawn_is_never_begun() -> None:
    stepping = Stepping()
    threads: FairThreads[str] = FairThreads(stepping, Shares(threads=2, share=1, gates=1))
    done: list[str] = []
    first = threads.call(Admitted("acme", lambda: done.append("first") or "first"))
    second = threads.call(Admitted("acme", lambda: done.append("second") or "second"))
    assert threads.withdraw(second)
    stepping.run_one()
    assert first.result(0) == "first"
    assert not threads.withdraw(first)
    assert done == ["first"]


def test_work_that_breaks_frees_its_thread() -> None:
    stepping = Stepping()
    threads: FairThreads[str] = FairThreads(stepping, Shares(threads=2, share=1, gates=1))
    broken = threads.enter(lambda: Admitted("acme", lambda: str(1 // 0)))
    stepping.run_one()
    assert isinstance(broken.exception(0), ZeroDivisionError)
    gate = threads.enter(lambda: str(1 // 0))
    stepping.run_one()
    assert isinstance(gate.exception(0), ZeroDivisionError)
    after = threads.enter(lambda: Admitted("acme", lambda: "fine"))
    stepping.run_one()
    assert after.result(0) == "fine"


def test_tenants_that_wait_take_turns() -> None:
    stepping = Stepping()
    threads: FairThreads[str] = FairThreads(stepping, Shares(threads=2, share=1, gates=1))
    order: list[str] = []

    def call(tenant: str, name: str) -> None:
        threads.call(Admitted(tenant, lambda: order.append(name) or name))

    call("other", "o")
    call("a", "a1")
    for name in ("a2", "a3"):
        call("a", name)
    call("b", "b1")
    while stepping.begun:
        stepping.run_one()
    assert order.index("b1") < order.index("a3")
