"""Test locks: they last as long as a booking is under way, and half-made bookings are settled."""

from pathlib import Path

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, Unavailable
from tests.unit.families.calendar.failing_provider.faults import (
    LOCK,
    Faults,
    ProcessKilled,
    agree,
    down,
    recover_repeatedly,
)
from tests.unit.families.calendar.services import REMOTE, draft, minutes_by_event, open_bookings


@pytest.mark.parametrize(("moment", "stands"), [("before_create", False), ("after_create", True)])
def test_a_booking_whose_process_died_is_settled_by_what_the_provider_shows(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path, moment: str, stands: bool
):
    faults.plan(moment, ProcessKilled())
    with pytest.raises(ProcessKilled):
        bookings.book(draft(0, calendar=REMOTE))

    recover_repeatedly(bookings, clock)

    assert len(agree(bookings, tmp_path)) == stands


def test_a_slot_stays_locked_while_its_booking_is_under_way_and_no_longer_than_its_lock(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    faults.plan("before_create", ProcessKilled())
    with pytest.raises(ProcessKilled):
        bookings.book(draft(0, calendar=REMOTE))

    with pytest.raises(Conflict) as refused:
        bookings.book(draft(10, calendar=REMOTE))
    assert refused.value.code == "slot_pending"
    clock.instant += LOCK
    booked = bookings.book(draft(10, calendar=REMOTE))

    assert agree(bookings, tmp_path) == {booked.event.id: (10, 40)}


def test_a_slot_whose_booking_arrived_before_its_process_died_is_taken(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    faults.plan("after_create", ProcessKilled())
    with pytest.raises(ProcessKilled):
        bookings.book(draft(0, calendar=REMOTE, idempotency_key="k"))
    clock.instant += LOCK

    with pytest.raises(Conflict) as refused:
        bookings.book(draft(10, calendar=REMOTE))

    assert refused.value.code == "slot_taken"
    assert bookings.book(draft(0, calendar=REMOTE, idempotency_key="k")).replayed
    assert len(agree(bookings, tmp_path)) == 1


def test_a_lock_that_lapsed_while_the_provider_wrote_cannot_commit_over_who_came_after(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    other = open_bookings(tmp_path, clock, actor="bob")
    booked: list[str] = []

    def slow() -> None:
        clock.instant += LOCK
        booked.append(other.book(draft(10, calendar=REMOTE)).event.id)

    faults.plan("before_create", slow)
    with pytest.raises(Unavailable, match="longer to answer"):
        bookings.book(draft(0, calendar=REMOTE))

    recover_repeatedly(bookings, clock)
    assert agree(bookings, tmp_path) == {booked[0]: (10, 40)}


def test_a_lock_that_lapsed_without_anybody_coming_is_settled_by_its_owner(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    def slow() -> None:
        clock.instant += LOCK
        faults.plan("before_find", down())

    faults.plan("after_create", slow)

    booked = bookings.book(draft(0, calendar=REMOTE))

    assert agree(bookings, tmp_path) == {booked.event.id: (0, 30)}


def test_a_booking_that_somebody_else_settled_meanwhile_is_told_as_made(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    def recover_later() -> None:
        clock.instant += LOCK
        open_bookings(tmp_path, clock).recover()

    faults.plan("after_create", recover_later)

    booked = bookings.book(draft(0, calendar=REMOTE))

    assert agree(bookings, tmp_path) == {booked.event.id: (0, 30)}


def test_a_provider_that_stays_down_is_reported_and_tried_again(
    bookings: BookingService, faults: Faults, clock: FixedClock
):
    faults.plan("after_create", ProcessKilled())
    with pytest.raises(ProcessKilled):
        bookings.book(draft(0, calendar=REMOTE))
    faults.plan("before_find", down())
    clock.instant += LOCK

    assert bookings.recover().failed.keys() == {REMOTE}
    clock.instant += LOCK
    assert bookings.recover().resolved == 1
    assert len(minutes_by_event(bookings, REMOTE)) == 1
