"""Holds in a calendar that is kept here."""

from datetime import timedelta
from pathlib import Path

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, Forbidden
from tests.unit.families.calendar.services import NINE, draft, minutes_by_event, open_bookings


def test_a_held_slot_is_taken_until_the_hold_is_over(bookings: BookingService, clock: FixedClock):
    bookings.hold("primary", NINE, NINE + timedelta(minutes=30), "for Bob", 60)

    with pytest.raises(Conflict, match='a hold "for Bob"'):
        bookings.book(draft(0))
    clock.instant += timedelta(seconds=60)
    bookings.book(draft(0))


def test_a_hold_is_booked_by_who_names_it(bookings: BookingService):
    held = bookings.hold("primary", NINE, NINE + timedelta(minutes=30), "", 60)

    booked = bookings.book(draft(0, hold_id=held.id))

    assert minutes_by_event(bookings) == {booked.event.id: (0, 30)}
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


def test_a_hold_is_booked_and_released_by_its_actor_alone(bookings: BookingService, tmp_path: Path, clock: FixedClock):
    held = bookings.hold("primary", NINE, NINE + timedelta(minutes=30), "", 60)
    bob = open_bookings(tmp_path, clock, actor="bob")

    for act in (lambda: bob.release("primary", held.id), lambda: bob.book(draft(0, hold_id=held.id))):
        with pytest.raises(Forbidden, match="belongs to another actor, ann") as refused:
            act()
        assert refused.value.code == "hold_of_another"

    assert minutes_by_event(bookings) == {}
    clock.instant += timedelta(seconds=60)
    assert not bob.release("primary", held.id)
    bob.book(draft(0, hold_id=held.id))
