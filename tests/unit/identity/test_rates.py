"""The rate of a tenant's tier, which several processes count roughly."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from almanac.identity.access.limits import RequestLimits
from almanac.identity.access.principal import Principal
from almanac.identity.access.rates import TenantRates, block_of
from almanac.identity.access.refusals import Refusal
from almanac.kernel.caller import Caller
from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Store
from tests.bench.metered_store import MeteredStore


def count_admitted(rates: TenantRates, per_minute: int, times: int, tenant: str = "acme") -> int:
    return sum(rates.admit(tenant, per_minute) is None for _ in range(times))


def fail_if_opened() -> Store:
    raise AssertionError("the store was opened")


@pytest.mark.parametrize("per_minute", [1, 19, 120, 3000])
def test_the_first_requests_of_a_minute_open_no_store(clock: FixedClock, per_minute: int) -> None:
    rates = TenantRates(fail_if_opened, clock)
    for _ in range(3):
        assert count_admitted(rates, per_minute, block_of(per_minute)) == block_of(per_minute)
        clock.instant += timedelta(minutes=1)


def test_a_busy_tenant_costs_a_write_for_each_block(store: Store, clock: FixedClock) -> None:
    meter = MeteredStore(store)
    rates = TenantRates(lambda: meter, clock)
    assert count_admitted(rates, 3000, 420) == 420
    # The first write finds no count and is made again as the one that begins it.
    assert meter.written == 20 + 1


def test_what_is_over_is_refused_without_a_write_until_the_minute_ends(store: Store, clock: FixedClock) -> None:
    clock.instant = datetime(2026, 2, 18, 14, 30, 15, tzinfo=UTC)
    meter = MeteredStore(store)
    rates = TenantRates(lambda: meter, clock)
    count_admitted(rates, 120, 200)
    meter.reset()
    refusal = rates.admit("acme", 120)
    assert isinstance(refusal, Refusal)
    assert (refusal.status, refusal.retry_after_seconds) == (429, 45)
    assert "120 per minute" in refusal.message
    assert not meter.charges
    assert rates.admit("other", 120) is None
    clock.instant += timedelta(seconds=45)
    assert rates.admit("acme", 120) is None


@pytest.mark.parametrize("per_minute", [1, 7, 40, 130, 500])
def test_a_process_alone_answers_the_limit_and_less_than_two_blocks_more(
    store: Store, clock: FixedClock, per_minute: int
) -> None:
    served = count_admitted(TenantRates(lambda: store, clock), per_minute, 3 * per_minute + 100)
    assert per_minute <= served < per_minute + 2 * block_of(per_minute)


@pytest.mark.parametrize("seed", range(5))
def test_processes_together_never_refuse_below_the_limit_and_pass_it_by_a_block_each_at_most(
    store: Store, clock: FixedClock, seed: int
) -> None:
    clock.instant = datetime(2026, 2, 18, 14, 30, tzinfo=UTC)
    chance = random.Random(seed)
    per_minute = chance.choice([1, 7, 40, 130, 500])
    processes = [TenantRates(lambda: store, clock) for _ in range(chance.randint(1, 9))]
    weights = [chance.random() for _ in processes]
    for _ in range(3):
        served, refused_at = 0, None
        for _ in range(per_minute * 3 + 400):
            (process,) = chance.choices(processes, weights)
            if process.admit("acme", per_minute) is None:
                served += 1
            elif refused_at is None:
                refused_at = served
        assert refused_at is not None
        assert refused_at >= per_minute
        assert served < per_minute + (len(processes) + 1) * block_of(per_minute)
        clock.instant += timedelta(minutes=1)


def test_the_exact_limit_of_a_key_holds_beside_it(store: Store, clock: FixedClock, caller: Caller) -> None:
    clock.instant = datetime(2026, 2, 18, 14, 30, tzinfo=UTC)
    limits = RequestLimits(lambda: store, clock)
    allowed = Principal(caller, per_minute=3, default_per_minute=600)
    assert sum(limits.admit(allowed) is None for _ in range(10)) == 3


def test_a_tenant_with_a_default_rate_alone_opens_no_store_for_a_few_calls(caller: Caller, clock: FixedClock) -> None:
    limits = RequestLimits(fail_if_opened, clock)
    assert limits.admit(Principal(caller, default_per_minute=3000)) is None
