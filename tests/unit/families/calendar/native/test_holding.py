"""Holds in a calendar that is kept here."""

from datetime import timedelta

import pytest

from almanac.families.calendar.booking.booking import book
from almanac.families.calendar.booking.holds import hold, release
from almanac.families.calendar.booking.service import Desk
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict
from tests.unit.families.calendar.desks import NINE, draft, standing


def test_a_held_slot_is_taken_until_the_hold_is_over(desk: Desk, clock: FixedClock):
    hold(desk, "primary", NINE, NINE + timedelta(minutes=30), "for Bob", 60)

    with pytest.raises(Conflict, match='a hold "for Bob"'):
        book(desk, draft(0))
    clock.instant += timedelta(seconds=60)
    book(desk, draft(0))


def test_a_hold_is_booked_by_who_names_it(desk: Desk):
    held = hold(desk, "primary", NINE, NINE + timedelta(minutes=30), "", 60)

    booked = book(desk, draft(0, hold_id=held.id))

    assert standing(desk) == {booked.event.id: (0, 30)}
    assert not release(desk, "primary", held.id)


def test_a_hold_that_is_over_gives_no_right_to_a_taken_slot(desk: Desk, clock: FixedClock):
    held = hold(desk, "primary", NINE, NINE + timedelta(minutes=30), "", 60)
    clock.instant += timedelta(seconds=61)
    book(desk, draft(0))

    with pytest.raises(Conflict):
        book(desk, draft(0, hold_id=held.id))


def test_a_released_slot_is_free(desk: Desk):
    held = hold(desk, "primary", NINE, NINE + timedelta(minutes=30), "", 60)

    assert release(desk, "primary", held.id)
    book(desk, draft(0))
