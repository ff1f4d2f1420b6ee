"""Test that calendar and provider agree after a booking, whichever step fails."""

from datetime import timedelta
from pathlib import Path

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.view import EntryView, event_of
from almanac.families.calendar.model.events import Event
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, Forbidden, Unavailable
from tests.unit.families.calendar.failing_provider.faults import Faults, agree, down, recover_repeatedly
from tests.unit.families.calendar.services import (
    NINE,
    REMOTE,
    FolderProvider,
    draft,
    minutes_by_event,
    open_bookings,
    window,
)


def test_a_booking_stands_here_and_there(bookings: BookingService, tmp_path: Path):
    booked = bookings.book(draft(0, calendar=REMOTE))

    assert agree(bookings, tmp_path) == {booked.event.id: (0, 30)}
    assert booked.event.etag is not None
    with pytest.raises(Conflict):
        bookings.book(draft(10, calendar=REMOTE))


def test_a_booking_that_did_not_reach_the_provider_is_taken_back(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    faults.plan("before_create", down())

    with pytest.raises(Unavailable, match="Nothing was booked"):
        bookings.book(draft(0, calendar=REMOTE, idempotency_key="k"))

    assert minutes_by_event(bookings, REMOTE) == {}
    recover_repeatedly(bookings, clock)
    assert agree(bookings, tmp_path) == {}
    assert not bookings.book(draft(0, calendar=REMOTE, idempotency_key="k")).replayed


def test_a_write_that_arrives_after_it_was_taken_back_is_removed_at_the_second_look(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    late = open_bookings(tmp_path, clock)
    provider = FolderProvider(tmp_path / "provider")
    seen: list[str] = []
    faults.plan("before_create", down())
    # The id is learnt from what is prepared: the provider never saw it.
    faults.plan("before_delete", lambda: seen.extend(one.filed.id for one in _operations(late)))
    with pytest.raises(Unavailable):
        bookings.book(draft(0, calendar=REMOTE))
    other = bookings.book(draft(0, calendar=REMOTE))
    operation = _operations(bookings)[0]
    event = _event_of(operation)
    provider.create(bookings.calendars.find(REMOTE).at_provider(), event)

    recover_repeatedly(bookings, clock)

    assert seen
    assert agree(bookings, tmp_path) == {other.event.id: (0, 30)}


def test_a_refusal_of_the_provider_is_told_and_nothing_is_left(
    bookings: BookingService, faults: Faults, tmp_path: Path
):
    faults.plan("before_create", Forbidden("The credentials do not allow it.", "Connect the calendar again."))

    with pytest.raises(Forbidden):
        bookings.book(draft(0, calendar=REMOTE))

    assert agree(bookings, tmp_path) == {}
    bookings.book(draft(0, calendar=REMOTE))


def test_a_hold_outlives_a_booking_that_failed(bookings: BookingService, faults: Faults):
    held = bookings.hold(REMOTE, NINE, NINE + timedelta(minutes=30), "", 300)
    faults.plan("before_create", down())
    with pytest.raises(Unavailable):
        bookings.book(draft(0, calendar=REMOTE, hold_id=held.id))

    with pytest.raises(Conflict, match="a hold"):
        bookings.book(draft(0, calendar=REMOTE))
    bookings.book(draft(0, calendar=REMOTE, hold_id=held.id))


def _operations(bookings: BookingService) -> list[EntryView]:
    shown = bookings.calendars.list_entries(bookings.calendars.find(REMOTE), window())
    return [one for one in shown if one.kind == "operation"]


def _event_of(operation: EntryView) -> Event:
    event = event_of(operation)
    assert event is not None
    return event
