"""The lease: one holder at a time, and a former holder that can do nothing more."""

from collections.abc import Callable
from datetime import timedelta

import pytest

from almanac.kernel.clock import FixedClock
from almanac.kernel.instants import now_ms
from almanac.platform.bus.delivery import LostLease
from almanac.platform.bus.lease import HeldLease, Lease, slowest_position
from almanac.platform.store.sqlite.store import SqliteStore


def _take(store: SqliteStore, clock: FixedClock, holder: str, worker: str = "w") -> HeldLease | None:
    return Lease(store, clock, worker=worker, holder=holder, length_ms=1000).take()


def _take_lease(store: SqliteStore, clock: FixedClock, holder: str, worker: str = "w") -> HeldLease:
    held = _take(store, clock, holder, worker)
    assert held is not None
    return held


def test_only_one_holds_it(store: SqliteStore, clock: FixedClock):
    _take_lease(store, clock, "a")
    assert _take(store, clock, "b") is None


def test_a_lease_that_is_kept_stays(store: SqliteStore, clock: FixedClock):
    held = _take_lease(store, clock, "a")
    for _ in range(5):
        clock.instant += timedelta(milliseconds=900)
        held.keep()
        assert _take(store, clock, "b") is None


def test_a_lease_that_is_not_kept_goes_to_the_next_with_the_position(store: SqliteStore, clock: FixedClock):
    _take_lease(store, clock, "a").advance(7)
    clock.instant += timedelta(milliseconds=1000)
    assert _take_lease(store, clock, "b").position == 7


def test_a_lease_that_is_released_can_be_taken_at_once(store: SqliteStore, clock: FixedClock):
    _take_lease(store, clock, "a").release()
    assert _take_lease(store, clock, "b")


def test_a_worker_that_stumbled_takes_its_own_lease_again(store: SqliteStore, clock: FixedClock):
    _take_lease(store, clock, "a")
    assert _take_lease(store, clock, "a")


def _advance(held: HeldLease) -> None:
    held.advance(1)


@pytest.mark.parametrize("change", [HeldLease.keep, HeldLease.release, _advance])
def test_a_former_holder_changes_nothing(store: SqliteStore, clock: FixedClock, change: Callable[[HeldLease], None]):
    former = _take_lease(store, clock, "a")
    clock.instant += timedelta(seconds=1)
    holder = _take_lease(store, clock, "b")
    with pytest.raises(LostLease):
        change(former)
    assert former.lost
    with pytest.raises(LostLease):
        change(former)
    holder.keep()
    assert _take(store, clock, "c") is None


def test_a_lapsed_lease_that_nobody_took_is_still_good(store: SqliteStore, clock: FixedClock):
    held = _take_lease(store, clock, "a")
    clock.instant += timedelta(hours=1)
    held.advance(3)
    assert not held.lost


def test_workers_of_different_names_do_not_meet(store: SqliteStore, clock: FixedClock):
    assert _take_lease(store, clock, "a", "one")
    assert _take_lease(store, clock, "b", "two")


def test_the_slowest_worker_says_how_far_the_table_is_needed(store: SqliteStore, clock: FixedClock):
    _take_lease(store, clock, "a", "one").advance(9)
    _take_lease(store, clock, "a", "two").advance(4)
    assert slowest_position(store, now_ms(clock)) == 4


def test_a_worker_that_stopped_for_good_does_not_hold_the_table_for_ever(store: SqliteStore, clock: FixedClock):
    stopped = _take_lease(store, clock, "a", "stopped")
    stopped.advance(4)
    stopped.release()
    clock.instant += timedelta(days=29)
    _take_lease(store, clock, "a", "working").advance(9)
    assert slowest_position(store, now_ms(clock)) == 4
    clock.instant += timedelta(days=2)
    assert slowest_position(store, now_ms(clock)) == 9


def test_before_any_worker_ran_all_of_the_table_is_needed(store: SqliteStore, clock: FixedClock):
    assert slowest_position(store, now_ms(clock)) == 0
