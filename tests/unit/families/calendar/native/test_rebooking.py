"""Bookings cancelled and moved in a calendar that is kept here."""

from datetime import timedelta

import pytest

from almanac.families.calendar.booking.booking import book
from almanac.families.calendar.booking.holds import hold
from almanac.families.calendar.booking.rebooking import cancel, reschedule
from almanac.families.calendar.booking.service import Desk
from almanac.families.calendar.model.booking_ids import booking_id_of
from almanac.families.calendar.model.events import Event, Timed
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.platform.bus.outbox import messages_in
from almanac.platform.store.keys import Key, Partition, sort_key
from tests.unit.families.calendar.desks import NINE, SCOPE, draft, file, standing


def test_a_cancelled_booking_leaves_its_slot_free(desk: Desk):
    booked = book(desk, draft(0))

    assert cancel(desk, "primary", booking_id_of(booked.event.id))
    assert not cancel(desk, "primary", booking_id_of(booked.event.id))
    book(desk, draft(0))


def test_what_was_made_elsewhere_is_cancelled_too_but_not_what_is_unknown_or_a_hold(desk: Desk):
    start, end = (Timed((NINE + timedelta(minutes=m)).replace(tzinfo=None), "UTC") for m in (0, 30))
    file(desk, "primary", Event(id="imported", uid="i", start=start, end=end))
    held = hold(desk, "primary", NINE + timedelta(hours=2), NINE + timedelta(hours=3), "", 300)

    assert [cancel(desk, "primary", "imported") for _ in range(2)] == [True, False]
    assert standing(desk) == {}
    with pytest.raises(NotFound):
        cancel(desk, "primary", "nothing")
    with pytest.raises(InvalidInput, match="is a hold"):
        cancel(desk, "primary", held.id)


def test_a_booking_moves_as_one_and_may_overlap_where_it_was(desk: Desk):
    booked = book(desk, draft(0))

    moved = reschedule(desk, "primary", booked.event.id, NINE + timedelta(minutes=15), None)

    assert moved.event.id == booked.event.id
    assert moved.event.sequence == booked.event.sequence + 1
    assert standing(desk) == {booked.event.id: (15, 45)}


def test_a_booking_gets_another_length_at_the_same_start(desk: Desk):
    booked = book(desk, draft(0))

    reschedule(desk, "primary", booked.event.id, NINE, NINE + timedelta(minutes=50))

    assert standing(desk) == {booked.event.id: (0, 50)}


def test_a_booking_that_cannot_move_stays(desk: Desk):
    booked, other = book(desk, draft(0)), book(desk, draft(60))

    with pytest.raises(Conflict):
        reschedule(desk, "primary", booked.event.id, NINE + timedelta(minutes=45), None)

    assert standing(desk) == {booked.event.id: (0, 30), other.event.id: (60, 90)}


def test_a_cancelled_booking_does_not_move(desk: Desk):
    booked = book(desk, draft(0))
    cancel(desk, "primary", booked.event.id)

    with pytest.raises(Conflict, match="was cancelled"):
        reschedule(desk, "primary", booked.event.id, NINE + timedelta(hours=1), None)


def test_every_change_is_announced_with_it(desk: Desk):
    booked = book(desk, draft(0))
    place = Key(Partition.in_project(SCOPE, "outbox", f"calendar/primary/{booked.event.id}"), sort_key("outbox"))
    kinds: list[str] = []
    for change in (
        lambda: None,
        lambda: reschedule(desk, "primary", booked.event.id, NINE + timedelta(hours=1), None),
        lambda: cancel(desk, "primary", booked.event.id),
    ):
        change()
        item = desk.calendars.store.get(place)
        assert item is not None
        kinds += [message.event.kind for message in messages_in(item.attributes)]

    assert kinds == ["slot_booked", "booking_rescheduled", "booking_cancelled"]
