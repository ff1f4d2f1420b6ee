"""Bookings cancelled and moved in a calendar that is kept here."""

from datetime import timedelta

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.model.booking_ids import booking_id_of
from almanac.families.calendar.model.events import Event, ZonedTime
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.platform.bus.outbox import messages_in
from almanac.platform.store.keys import Key, Partition, sort_key
from tests.unit.families.calendar.services import NINE, SCOPE, draft, file, minutes_by_event


def test_a_cancelled_booking_leaves_its_slot_free(bookings: BookingService):
    booked = bookings.book(draft(0))

    assert bookings.cancel("primary", booking_id_of(booked.event.id))
    assert not bookings.cancel("primary", booking_id_of(booked.event.id))
    bookings.book(draft(0))


def test_what_was_made_elsewhere_is_cancelled_too_but_not_what_is_unknown_or_a_hold(bookings: BookingService):
    start, end = (ZonedTime((NINE + timedelta(minutes=m)).replace(tzinfo=None), "UTC") for m in (0, 30))
    file(bookings, "primary", Event(id="imported", uid="i", start=start, end=end))
    held = bookings.hold("primary", NINE + timedelta(hours=2), NINE + timedelta(hours=3), "", 300)

    assert [bookings.cancel("primary", "imported") for _ in range(2)] == [True, False]
    assert minutes_by_event(bookings) == {}
    with pytest.raises(NotFound):
        bookings.cancel("primary", "nothing")
    with pytest.raises(InvalidInput, match="is a hold"):
        bookings.cancel("primary", held.id)


def test_a_booking_moves_as_one_and_may_overlap_where_it_was(bookings: BookingService):
    booked = bookings.book(draft(0))

    moved = bookings.reschedule("primary", booked.event.id, NINE + timedelta(minutes=15), None)

    assert moved.event.id == booked.event.id
    assert moved.event.sequence == booked.event.sequence + 1
    assert minutes_by_event(bookings) == {booked.event.id: (15, 45)}


def test_a_booking_gets_another_length_at_the_same_start(bookings: BookingService):
    booked = bookings.book(draft(0))

    bookings.reschedule("primary", booked.event.id, NINE, NINE + timedelta(minutes=50))

    assert minutes_by_event(bookings) == {booked.event.id: (0, 50)}


def test_a_booking_that_cannot_move_stays(bookings: BookingService):
    booked, other = bookings.book(draft(0)), bookings.book(draft(60))

    with pytest.raises(Conflict):
        bookings.reschedule("primary", booked.event.id, NINE + timedelta(minutes=45), None)

    assert minutes_by_event(bookings) == {booked.event.id: (0, 30), other.event.id: (60, 90)}


def test_a_cancelled_booking_does_not_move(bookings: BookingService):
    booked = bookings.book(draft(0))
    bookings.cancel("primary", booked.event.id)

    with pytest.raises(Conflict, match="was cancelled"):
        bookings.reschedule("primary", booked.event.id, NINE + timedelta(hours=1), None)


def test_every_change_is_announced_with_it(bookings: BookingService):
    booked = bookings.book(draft(0))
    head = Key(Partition.in_project(SCOPE, "calendars"), sort_key("primary"))
    kinds: list[str] = []
    for change in (
        lambda: None,
        lambda: bookings.reschedule("primary", booked.event.id, NINE + timedelta(hours=1), None),
        lambda: bookings.cancel("primary", booked.event.id),
    ):
        change()
        item = bookings.calendars.store.get(head)
        assert item is not None
        kinds += [message.event.kind for message in messages_in(item.attributes)]

    assert kinds == ["slot_booked", "booking_rescheduled", "booking_cancelled"]


def test_what_was_told_is_not_carried_on_by_a_write_that_tells_nothing(bookings: BookingService):
    bookings.book(draft(0))
    held = bookings.hold("primary", NINE + timedelta(hours=2), NINE + timedelta(hours=3), "Held", 60)
    item = bookings.calendars.store.get(Key(Partition.in_project(SCOPE, "calendars"), sort_key("primary")))

    assert item is not None
    assert messages_in(item.attributes) == []
    assert bookings.release("primary", held.id)
