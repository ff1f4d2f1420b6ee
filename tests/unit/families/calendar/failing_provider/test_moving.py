"""Test that calendar and provider agree after moves and cancellations, whichever step fails."""

from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, Unavailable
from tests.unit.families.calendar.failing_provider.faults import (
    LOCK,
    Failure,
    Faults,
    ProcessKilled,
    agree,
    down,
    recover_repeatedly,
)
from tests.unit.families.calendar.services import NINE, REMOTE, draft, open_bookings


def test_a_booking_is_moved_and_cancelled_here_and_there(bookings: BookingService, tmp_path: Path):
    booked = bookings.book(draft(0, calendar=REMOTE))

    bookings.reschedule(REMOTE, booked.event.id, NINE + timedelta(minutes=20), None)
    assert agree(bookings, tmp_path) == {booked.event.id: (20, 50)}
    bookings.cancel(REMOTE, booked.event.id)
    assert agree(bookings, tmp_path) == {}


@pytest.mark.parametrize("moment", ["before_update", "after_update"])
@pytest.mark.parametrize("how", [down, ProcessKilled])
def test_a_move_that_failed_leaves_one_booking_in_one_place(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path, moment: str, how: Failure
):
    booked = bookings.book(draft(0, calendar=REMOTE))
    faults.plan(moment, how())
    moved = moment == "after_update"
    with nullcontext() if moved and how is down else pytest.raises((Unavailable, ProcessKilled)):
        bookings.reschedule(REMOTE, booked.event.id, NINE + timedelta(minutes=120), None)

    recover_repeatedly(bookings, clock)

    assert agree(bookings, tmp_path) == {booked.event.id: (120, 150) if moved else (0, 30)}
    bookings.reschedule(REMOTE, booked.event.id, NINE + timedelta(minutes=240), None)
    assert agree(bookings, tmp_path) == {booked.event.id: (240, 270)}


def test_a_move_that_arrives_after_it_was_given_up_finds_its_version_gone(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    booked = bookings.book(draft(0, calendar=REMOTE))

    def recover_later() -> None:
        clock.instant += LOCK
        open_bookings(tmp_path, clock).recover()

    faults.plan("before_update", recover_later)
    with pytest.raises(Conflict):
        bookings.reschedule(REMOTE, booked.event.id, NINE + timedelta(minutes=120), None)

    assert agree(bookings, tmp_path) == {booked.event.id: (0, 30)}


def test_while_a_booking_moves_both_slots_are_taken(bookings: BookingService, faults: Faults):
    booked = bookings.book(draft(0, calendar=REMOTE))
    faults.plan("before_update", ProcessKilled())
    with pytest.raises(ProcessKilled):
        bookings.reschedule(REMOTE, booked.event.id, NINE + timedelta(minutes=120), None)

    for minutes in (0, 120):
        with pytest.raises(Conflict):
            bookings.book(draft(minutes, calendar=REMOTE))


@pytest.mark.parametrize("moment", ["before_delete", "after_delete"])
@pytest.mark.parametrize("how", [down, ProcessKilled])
def test_a_cancellation_that_failed_is_carried_out_later(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path, moment: str, how: Failure
):
    booked = bookings.book(draft(0, calendar=REMOTE))
    faults.plan(moment, how())
    with nullcontext() if how is down else pytest.raises(ProcessKilled):
        assert bookings.cancel(REMOTE, booked.event.id)

    recover_repeatedly(bookings, clock)

    assert agree(bookings, tmp_path) == {}
    assert not bookings.cancel(REMOTE, booked.event.id)
