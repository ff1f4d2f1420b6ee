"""Leases of expensive calls, against a model: containers that come, go and die while the clock runs."""

import random
from collections import defaultdict
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta

import pytest

from almanac.identity.access.call_leases import CALL_MS, KEPT_MS, CallLeases
from almanac.identity.access.refusals import Refusal
from almanac.kernel.clock import FixedClock
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Store
from tests.bench.metered_store import MeteredStore

LONGEST_CALL = timedelta(seconds=28)


@pytest.fixture
def open_leases(store: Store, clock: FixedClock) -> Callable[[], CallLeases]:
    chance = random.Random(3)
    return lambda: CallLeases(store, clock, chance.randbytes)


def start(leases: CallLeases, most: int, tenant: str = "acme") -> ExitStack | Refusal:
    """Begin a call, which ends when the stack is closed."""
    running = ExitStack()
    refusal = running.enter_context(leases.hold(tenant, most))
    return running if refusal is None else refusal


def start_call(leases: CallLeases, most: int, tenant: str = "acme") -> ExitStack:
    running = start(leases, most, tenant)
    assert isinstance(running, ExitStack)
    return running


@pytest.mark.parametrize("most", [1, 2, 3, 5, 20])
def test_as_many_calls_as_allowed_run_at_once_whoever_runs_them(
    open_leases: Callable[[], CallLeases], most: int
) -> None:
    running = [start_call(open_leases(), most) for _ in range(most)]
    refusal = start(open_leases(), most)
    assert isinstance(refusal, Refusal)
    assert (refusal.status, refusal.code, refusal.retry_after_seconds) == (429, "limit_exceeded", 1)
    assert f"{most} expensive calls" in refusal.message
    assert isinstance(start(open_leases(), most, "other"), ExitStack)
    # The later half were given back, the earlier are kept by their processes.
    for each in running:
        each.close()
    again = [start_call(open_leases(), most) for _ in range(most - most // 2)]
    assert again
    assert isinstance(start(open_leases(), most), Refusal)


def test_several_calls_of_one_process_have_a_lease_each(open_leases: Callable[[], CallLeases]) -> None:
    leases = open_leases()
    running = [start_call(leases, 4) for _ in range(4)]
    assert isinstance(start(leases, 4), Refusal)
    for each in running:
        each.close()
    assert len([start_call(leases, 4) for _ in range(4)]) == 4


def test_a_process_writes_once_for_all_calls_of_half_a_minute(store: Store, clock: FixedClock) -> None:
    meter = MeteredStore(store)
    leases = CallLeases(meter, clock, random.Random(1).randbytes)
    for _ in range(100):
        start_call(leases, 20).close()
        clock.instant += timedelta(milliseconds=250)
    assert [(charge.kind, charge.written) for charge in meter.charges] == [("write", 1)]
    clock.instant += timedelta(milliseconds=KEPT_MS - CALL_MS - 25_000 + 1)
    start_call(leases, 20).close()
    assert meter.written == 2, "the lease ends before a call might, so it is extended"
    clock.instant += timedelta(minutes=2)
    start_call(leases, 20).close()
    assert meter.written == 3


def test_a_call_beyond_the_kept_half_costs_three_writes_and_a_read(store: Store, clock: FixedClock) -> None:
    idle = [CallLeases(store, clock, random.Random(seed).randbytes) for seed in range(10)]
    calls = [start_call(leases, 20) for leases in idle]
    for each in calls:
        each.close()
    meter = MeteredStore(store)
    start_call(CallLeases(meter, clock, random.Random(99).randbytes), 20).close()
    assert (meter.read, meter.written) == (1, 3)


def test_a_refused_call_costs_a_write_and_a_read(store: Store, clock: FixedClock) -> None:
    running = [start_call(CallLeases(store, clock, random.Random(seed).randbytes), 20) for seed in range(20)]
    meter = MeteredStore(store)
    assert isinstance(start(CallLeases(meter, clock, random.Random(99).randbytes), 20), Refusal)
    assert len(running) == 20
    assert (meter.read, meter.written) == (1, 1)


def test_leases_of_a_process_that_died_end_by_themselves(
    open_leases: Callable[[], CallLeases], clock: FixedClock
) -> None:
    lost = [start_call(open_leases(), 3) for _ in range(3)]
    assert isinstance(start(open_leases(), 3), Refusal)
    clock.instant += timedelta(milliseconds=KEPT_MS)
    assert len(lost) == len([start_call(open_leases(), 3) for _ in range(3)])


def test_a_lease_that_another_process_has_by_now_is_not_deleted(
    open_leases: Callable[[], CallLeases], clock: FixedClock
) -> None:
    late = start_call(open_leases(), 1)
    clock.instant += timedelta(milliseconds=CALL_MS)
    holding = start_call(open_leases(), 1)
    late.close()
    assert isinstance(start(open_leases(), 1), Refusal)
    holding.close()


def test_a_lowered_limit_holds_for_the_next_call_and_a_raised_one_too(open_leases: Callable[[], CallLeases]) -> None:
    leases = [open_leases() for _ in range(8)]
    for each in [start_call(one, 16) for one in leases]:
        each.close()
    running = [start_call(one, 2) for one in leases if isinstance(start(one, 2), ExitStack)]
    assert len(running) <= 2
    assert isinstance(start(open_leases(), 16), ExitStack)


class World:
    """Containers that each run one call at a time, as Lambda's do, and a model of them without a store."""

    def __init__(self, store: Store, clock: FixedClock, most: dict[str, int], chance: random.Random) -> None:
        self.clock, self.most, self.chance = clock, most, chance
        self.open = lambda: CallLeases(store, clock, chance.randbytes)
        self.containers = [self.open() for _ in range(12)]
        self.running: dict[int, tuple[str, ExitStack, int]] = {}
        self.lost: defaultdict[str, list[int]] = defaultdict(list)
        self.refused = 0

    def step(self) -> None:
        kind = self.chance.choices([self._call, self._end, self._wait, self._die], [10, 6, 4, 1])[0]
        kind()
        for tenant, most in self.most.items():
            assert self._count(tenant) <= most

    def _count(self, tenant: str) -> int:
        return sum(each[0] == tenant for each in self.running.values())

    def _call(self) -> None:
        idle = [number for number in range(len(self.containers)) if number not in self.running]
        if not idle:
            return
        number, tenant = self.chance.choice(idle), self.chance.choice(list(self.most))
        now, most = now_ms(self.clock), self.most[tenant]
        call = start(self.containers[number], most, tenant)
        if isinstance(call, ExitStack):
            self.running[number] = (tenant, call, now)
            return
        self.refused += 1
        standing = [ends for ends in self.lost[tenant] if ends > now]
        assert self._count(tenant) + len(standing) >= most - most // 2, "a kept lease never takes from the other half"

    def _end(self) -> None:
        if self.running:
            self.running.pop(self.chance.choice(list(self.running)))[1].close()

    def _wait(self) -> None:
        """Let time pass. Lambda ends calls over 28 seconds, and their containers with them."""
        self.clock.instant += timedelta(milliseconds=self.chance.choice([5, 300, 2_000, 9_000, 40_000]))
        for number, (_, _, begun) in list(self.running.items()):
            if now_ms(self.clock) - begun > LONGEST_CALL.total_seconds() * 1000:
                self._kill(number)

    def _die(self) -> None:
        self._kill(self.chance.randrange(len(self.containers)))

    def _kill(self, number: int) -> None:
        if (call := self.running.pop(number, None)) is not None:
            self.lost[call[0]].append(call[2] + KEPT_MS)
        self.containers[number] = self.open()


@pytest.mark.parametrize("seed", range(6))
def test_no_tenant_runs_more_than_it_may_nor_is_refused_while_half_of_its_leases_are_unused(
    store: Store, clock: FixedClock, seed: int
) -> None:
    world = World(store, clock, {"one": 1, "four": 4, "seven": 7}, random.Random(seed))
    for _ in range(400):
        world.step()
    assert world.refused
