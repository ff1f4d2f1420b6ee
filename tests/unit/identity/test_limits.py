"""Requests per minute and per day."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from almanac.identity.access.limits import RequestLimits
from almanac.identity.access.principal import Principal
from almanac.kernel.caller import Caller
from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Store


@pytest.fixture
def limits(store: Store, clock: FixedClock) -> RequestLimits:
    clock.instant = datetime(2026, 2, 18, 14, 30, 15, tzinfo=UTC)
    return RequestLimits(lambda: store, clock)


def count_admitted(limits: RequestLimits, allowed: Principal, times: int) -> int:
    return sum(limits.admit(allowed) is None for _ in range(times))


def test_a_key_without_limits_is_always_admitted_and_never_counted(caller: Caller, clock: FixedClock) -> None:
    class NoStore:
        def __getattr__(self, name: str) -> None:
            raise AssertionError(f"the store was asked to {name}")

    assert RequestLimits(NoStore, clock).admit(Principal(caller)) is None  # pyright: ignore[reportArgumentType]


def test_exactly_as_many_requests_as_allowed_are_admitted_in_a_minute(limits: RequestLimits, caller: Caller) -> None:
    assert count_admitted(limits, Principal(caller, per_minute=5), 9) == 5


def test_the_next_minute_begins_anew(limits: RequestLimits, caller: Caller, clock: FixedClock) -> None:
    allowed = Principal(caller, per_minute=2)
    assert count_admitted(limits, allowed, 3) == 2
    clock.instant += timedelta(seconds=45)
    assert count_admitted(limits, allowed, 3) == 2


def test_a_refusal_says_in_how_many_seconds_the_window_ends(limits: RequestLimits, caller: Caller) -> None:
    allowed = Principal(caller, per_minute=1)
    limits.admit(allowed)
    refusal = limits.admit(allowed)
    assert refusal is not None
    assert (refusal.status, refusal.retry_after_seconds) == (429, 45)
    assert "1 per minute" in refusal.message


def test_the_day_is_a_limit_of_its_own(limits: RequestLimits, caller: Caller, clock: FixedClock) -> None:
    allowed = Principal(caller, per_minute=3, per_day=4)
    assert count_admitted(limits, allowed, 5) == 3
    clock.instant += timedelta(minutes=1)
    assert count_admitted(limits, allowed, 5) == 1
    refusal = limits.admit(allowed)
    assert refusal is not None
    assert "4 per day" in refusal.message
    assert refusal.retry_after_seconds == (9 * 60 + 28) * 60 + 45


def test_a_request_that_one_limit_refuses_does_not_count_against_the_other(
    limits: RequestLimits, caller: Caller, clock: FixedClock
) -> None:
    allowed = Principal(caller, per_minute=1, per_day=3)
    assert count_admitted(limits, allowed, 10) == 1
    for _ in range(2):
        clock.instant += timedelta(minutes=1)
        assert count_admitted(limits, allowed, 10) == 1


def test_keys_are_counted_apart(limits: RequestLimits, caller: Caller) -> None:
    other = Caller(caller.scope, "bob", "another")
    assert count_admitted(limits, Principal(caller, per_minute=2), 3) == 2
    assert count_admitted(limits, Principal(other, per_minute=2), 3) == 2


def test_threads_that_race_share_one_limit(limits: RequestLimits, caller: Caller) -> None:
    allowed = Principal(caller, per_minute=25, per_day=1000)
    with ThreadPoolExecutor(8) as threads:
        racing = [threads.submit(count_admitted, limits, allowed, 10) for _ in range(8)]
    assert sum(each.result() for each in racing) == 25
