"""Holds in a calendar that is kept here."""

from datetime import timedelta

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict
from tests.unit.families.calendar.services import NINE, draft, standing


def test_a_held_slot_is_taken_until_the_hold_is_over(bookings: BookingService, clock: FixedClock):
    bookings.hold("primary", NINE, NINE + timedelta(minutes=30), "for Bob", 60)

    with pytest.raises(Conflict, match='a hold "for Bob"'):
        bookings.book(draft(0))
    clock.instant += timedelta(seconds=60)
    bookings.book(draft(0))


def test_a_hold_is_booked_by_who_names_it(bookings: BookingService):
    held = bookings.hold("primary", NINE, NINE + timedelta(minutes=30), "", 60)

    booked = bookings.book(draft(0, hold_id=held.id))

    assert standing(bookings) == {booked.event.id: (0, 30)}
    assert not bookings.release("primary", held.id)


def test_a_hold_that_is_over_gives_no_right_to_a_taken_slot(bookings: BookingService, clock: FixedClock):
    held = bookings.hold("primary", NINE, NINE + timedelta(minutes=30), "", 60)
    clock.instant += timedelta(seconds=61)
    bookings.book(draft(0))

    with pytest.raises(Conflict):
        bookings.book(draft(0, hold_id=held.id))


def test_a_released_slot_is_free(bookings: BookingService):
    held = bookings.hold("primary", NINE, NINE + timedelta(minutes=30), "", 60)

    assert bookings.release("primary", held.id)
    bookings.book(draft(0))
