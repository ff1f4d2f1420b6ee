"""Bookings in a calendar whose shadow is kept: neither hides nor undoes the other."""

import os
from datetime import UTC, datetime, timedelta

import pytest
from msgspec.structs import replace

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.view import event_of
from almanac.families.calendar.model.events import convert_to_zone, instant_of
from almanac.families.time.core.zones import UTC_ZONE, find_zone
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, Unavailable
from almanac.platform.store.contention import Backoff
from tests.unit.families.calendar.shadows.remote import SCOPE, WEEK, WORK, Remote, event, shown_ids


def draft(hour: int) -> Draft:
    start = datetime(2026, 3, 3, hour, tzinfo=UTC)
    return Draft(calendar_id=WORK, start=start, end=start + timedelta(hours=1), summary="Booked")


def test_native_calendars_do_not_notice(bookings: BookingService, remote: Remote) -> None:
    remote.down = Unavailable("The remote is down.", "Wait.")
    assert bookings.book(replace(draft(9), calendar_id="primary")).event.summary == "Booked"


def test_a_booking_sees_what_was_entered_elsewhere_a_moment_ago(bookings: BookingService, remote: Remote) -> None:
    bookings.calendars.readable(WORK)
    remote.put(event("lunch", 10))
    with pytest.raises(Conflict):
        bookings.book(draft(9))
    assert bookings.book(draft(10)).event.id in remote.events


def test_a_booking_stands_once_after_it_comes_back_with_the_next_pull(
    bookings: BookingService, remote: Remote, clock: FixedClock
) -> None:
    booked = bookings.book(draft(9)).event
    clock.instant += timedelta(minutes=2)
    assert shown_ids(bookings.calendars) == [booked.id]
    assert bookings.cancel(WORK, booked.id)
    assert remote.events == {}
    clock.instant += timedelta(minutes=2)
    assert shown_ids(bookings.calendars) == []


def test_a_booking_that_was_deleted_elsewhere_is_known_to_be_cancelled(
    bookings: BookingService, remote: Remote, clock: FixedClock
) -> None:
    booked = bookings.book(draft(9)).event
    remote.drop(booked.id)
    clock.instant += timedelta(minutes=2)
    assert shown_ids(bookings.calendars) == []
    assert bookings.cancel(WORK, booked.id) is False


def test_a_booking_during_a_pull_is_not_undone_by_what_the_provider_said_before(
    connector: Connector, bookings: BookingService, remote: Remote, clock: FixedClock
) -> None:
    rival = BookingService(
        Calendars(connector.calendars.store, SCOPE, clock=clock, gateway=connector.connected),
        actor="ben",
        random_bytes=os.urandom,
        backoff=Backoff(lambda _: None, lambda: 0.5),
    )
    remote.put(event("one", 15))
    booked: list[str] = []

    def book_meanwhile() -> None:
        remote.meanwhile = lambda: None
        booked.append(rival.book(draft(9)).event.id)

    remote.meanwhile = book_meanwhile
    connector.connected.sync(bookings.calendars.find(WORK))
    assert set(shown_ids(bookings.calendars)) == {booked[0], "one"}


def test_what_an_operation_is_busy_with_is_asked_for_again(
    connector: Connector, bookings: BookingService, remote: Remote, clock: FixedClock
) -> None:
    booked = bookings.book(draft(9)).event
    bookings.calendars.readable(WORK)
    remote.meanwhile = lambda: setattr(remote, "down", Unavailable("The remote is down.", "Wait."))
    with pytest.raises(Unavailable, match="will be cancelled"):
        bookings.cancel(WORK, booked.id)
    remote.down, remote.meanwhile = None, lambda: None
    remote.put(replace(remote.events[booked.id], summary="Changed elsewhere"))
    before = connector.connected.state(bookings.calendars.find(WORK))
    connector.connected.sync(bookings.calendars.find(WORK))
    after = connector.connected.state(bookings.calendars.find(WORK))
    assert before is not None
    assert after is not None
    assert after.token == before.token
    clock.instant += timedelta(minutes=5)
    assert bookings.recover().resolved == 1
    assert remote.events == {}
    assert shown_ids(bookings.calendars) == []


def test_a_booking_that_was_taken_back_and_arrives_later_is_deleted_there_however_often_it_takes(
    connector: Connector, bookings: BookingService, remote: Remote, clock: FixedClock
) -> None:
    calendar = bookings.calendars.find(WORK)
    bookings.calendars.readable(WORK)
    remote.meanwhile = lambda: setattr(remote, "down", Unavailable("The remote is down.", "Wait."))
    with pytest.raises(Unavailable):
        bookings.book(draft(9))
    late = next(event_of(one) for one in bookings.calendars.list_entries(bookings.calendars.find(WORK), WEEK))
    remote.down = None
    for _ in range(3):
        clock.instant += timedelta(minutes=1)
        bookings.recover()
    assert late is not None
    remote.put(late)

    connector.connected.sync(calendar)  # the remote goes down before it can be deleted
    remote.down, remote.meanwhile = None, lambda: None
    assert remote.events.keys() == {late.id}
    connector.connected.sync(calendar)

    assert remote.events == {}
    assert shown_ids(bookings.calendars) == []


def test_an_instance_that_was_cancelled_is_known_as_such_after_the_next_pull(
    bookings: BookingService, remote: Remote, clock: FixedClock
) -> None:
    once = event("weekly", 9)
    series = remote.put(replace(once, rrule="FREQ=WEEKLY;COUNT=4"))
    slot = convert_to_zone(instant_of(once.start, UTC_ZONE) + timedelta(days=7), find_zone("Europe/Berlin"))
    later = convert_to_zone(instant_of(slot, UTC_ZONE) + timedelta(hours=5), find_zone("Europe/Berlin"))
    name = f"weekly_{instant_of(slot, UTC_ZONE):%Y%m%dT%H%M%SZ}"
    moved = remote.put(replace(once, id=name, start=later, end=later, recurrence_id=slot))
    assert bookings.cancel(WORK, name)
    assert name not in remote.events
    remote.put(replace(series, exdates=(slot,)))

    for _ in range(2):
        clock.instant += timedelta(minutes=2)
        assert bookings.cancel(WORK, name) is False

    # Somebody brings it back at the provider.
    remote.put(replace(moved, summary="Back"))
    clock.instant += timedelta(minutes=2)
    assert bookings.cancel(WORK, name)
