"""Events from outside, by import or by pull."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.cache import CalendarCache
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.codec import place_of
from almanac.families.calendar.entries.records import EVENTS, PlaceInCalendar
from almanac.families.calendar.entries.window_index import WindowIndex
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event, ZonedTime
from almanac.kernel.clock import FixedClock
from tests.unit.families.calendar.services import NOW, draft, file, minutes_by_event, open_bookings, window


@pytest.fixture
def bookings(tmp_path: Path) -> BookingService:
    return open_bookings(tmp_path, FixedClock(NOW))


def make_meeting(number: int, minutes: int = 30) -> Event:
    start = datetime(2026, 3, 16, 9) + timedelta(hours=number)
    end = start + timedelta(minutes=minutes)
    return Event(id=f"e{number}", uid=f"u{number}", start=ZonedTime(start, "UTC"), end=ZonedTime(end, "UTC"))


def test_many_events_come_in_whole(bookings: BookingService):
    assert file(bookings, "primary", *[make_meeting(number) for number in range(60)]) == 60
    assert len(minutes_by_event(bookings)) == 60


def test_an_event_that_comes_again_takes_the_place_of_the_old_one(bookings: BookingService):
    file(bookings, "primary", make_meeting(0))
    minutes_by_event(bookings)
    later = replace(make_meeting(2), id="e0")

    file(bookings, "primary", later)

    assert minutes_by_event(bookings) == {"e0": (120, 150)}


def test_events_of_others_may_overlap(bookings: BookingService):
    bookings.book(draft(0))

    file(bookings, "primary", make_meeting(0))

    assert len(minutes_by_event(bookings)) == 2


def test_a_booking_that_was_changed_elsewhere_is_still_a_booking(bookings: BookingService):
    booked = bookings.book(draft(0))

    file(bookings, "primary", replace(booked.event, summary="Renamed"))

    assert bookings.cancel("primary", booked.event.id)


def test_every_event_is_there_to_be_exported_series_as_a_whole(bookings: BookingService):
    events = [make_meeting(0), replace(make_meeting(1), rrule="FREQ=DAILY"), make_meeting(2, 3 * 24 * 60)]
    file(bookings, "primary", *events)

    exported = bookings.calendars.events(bookings.calendars.find("primary"))

    assert [replace(event, indexed=None) for event in sorted(exported, key=lambda event: event.id)] == events


def test_an_event_filed_by_older_zone_rules_is_shown_by_those_of_today(bookings: BookingService):
    file(bookings, "primary", make_meeting(0))
    filed = EVENTS.within(bookings.calendars.store, bookings.calendars.scope)
    entry = filed.query("primary", "narrow").records[0]
    hour = 3_600_000
    moved = replace(entry, start=entry.start - hour, end=entry.end - hour, rules="2019a")
    place = PlaceInCalendar(moved.reach, moved.start, moved.id)
    calendar = bookings.calendars.find("primary")
    gone = filed.delete("primary", entry.reach, entry.start, entry.id)

    bookings.calendars.versioned_writes.write(calendar, [gone, filed.put(moved)], gone=[place_of(entry)])

    other = Calendars(bookings.calendars.store, bookings.calendars.scope, clock=FixedClock(NOW))
    shown = other.list_entries(calendar := other.find("primary"), window())
    assert [(one.start, one.filed) for one in shown] == [(entry.start, place)]
    assert other.busy(calendar, window()) == [shown[0].interval]


def test_what_is_remembered_of_calendars_is_bounded():
    cache = CalendarCache()
    for number in range(200):
        cache.keep_narrow(("t", "p", f"c{number}"), 1, WindowIndex(Interval(0, 10), ()))

    kept = [number for number in range(200) if cache.narrow(("t", "p", f"c{number}"), 1, Interval(0, 10)) is not None]
    assert kept == list(range(136, 200))


def test_an_older_version_never_replaces_what_is_remembered():
    cache, key = CalendarCache(), ("t", "p", "c")
    newer, older = WindowIndex(Interval(0, 10), ()), WindowIndex(Interval(0, 10), ())
    cache.keep_narrow(key, 2, newer)
    cache.keep_narrow(key, 1, older)

    assert cache.narrow(key, 2, Interval(0, 10)) is newer
    assert cache.narrow(key, 1, Interval(0, 10)) is None
