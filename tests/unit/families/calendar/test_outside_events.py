"""Events from outside, by import or by pull."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from almanac.families.calendar.booking.booking import book
from almanac.families.calendar.booking.rebooking import cancel
from almanac.families.calendar.booking.service import Desk
from almanac.families.calendar.entries.cache import Memory
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.codec import place_of
from almanac.families.calendar.entries.records import EVENTS, PlaceInCalendar
from almanac.families.calendar.entries.window_index import Stretch
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event, Timed
from almanac.kernel.clock import FixedClock
from tests.unit.families.calendar.desks import NOW, draft, file, open_desk, standing, window


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return open_desk(tmp_path, FixedClock(NOW))


def meeting(number: int, minutes: int = 30) -> Event:
    start = datetime(2026, 3, 16, 9) + timedelta(hours=number)
    end = start + timedelta(minutes=minutes)
    return Event(id=f"e{number}", uid=f"u{number}", start=Timed(start, "UTC"), end=Timed(end, "UTC"))


def test_many_events_come_in_whole(desk: Desk):
    assert file(desk, "primary", *[meeting(number) for number in range(60)]) == 60
    assert len(standing(desk)) == 60


def test_an_event_that_comes_again_takes_the_place_of_the_old_one(desk: Desk):
    file(desk, "primary", meeting(0))
    standing(desk)
    later = replace(meeting(2), id="e0")

    file(desk, "primary", later)

    assert standing(desk) == {"e0": (120, 150)}


def test_events_of_others_may_overlap(desk: Desk):
    book(desk, draft(0))

    file(desk, "primary", meeting(0))

    assert len(standing(desk)) == 2


def test_a_booking_that_was_changed_elsewhere_is_still_a_booking(desk: Desk):
    booked = book(desk, draft(0))

    file(desk, "primary", replace(booked.event, summary="Renamed"))

    assert cancel(desk, "primary", booked.event.id)


def test_every_event_is_there_to_be_exported_series_as_a_whole(desk: Desk):
    events = [meeting(0), replace(meeting(1), rrule="FREQ=DAILY"), meeting(2, 3 * 24 * 60)]
    file(desk, "primary", *events)

    exported = desk.calendars.events(desk.calendars.find("primary"))

    assert sorted(exported, key=lambda event: event.id) == events


def test_an_event_filed_by_older_zone_rules_is_shown_by_those_of_today(desk: Desk):
    file(desk, "primary", meeting(0))
    filed = EVENTS.within(desk.calendars.store, desk.calendars.scope)
    entry = filed.query("primary", "narrow").records[0]
    hour = 3_600_000
    moved = replace(entry, start=entry.start - hour, end=entry.end - hour, rules="2019a")
    place = PlaceInCalendar(moved.reach, moved.start, moved.id)
    calendar = desk.calendars.find("primary")
    gone = filed.delete("primary", entry.reach, entry.start, entry.id)

    desk.calendars.write(calendar, [gone, filed.put(moved)], gone=[place_of(entry)])

    other = Calendars(desk.calendars.store, desk.calendars.scope, clock=FixedClock(NOW))
    shown = other.shown(calendar := other.find("primary"), window())
    assert [(one.start, one.filed) for one in shown] == [(entry.start, place)]
    assert other.busy(calendar, window()) == [shown[0].interval]


def test_what_is_remembered_of_calendars_is_bounded():
    memory = Memory()
    for number in range(200):
        memory.keep_narrow(("t", "p", f"c{number}"), 1, Stretch(Interval(0, 10), ()))

    kept = [number for number in range(200) if memory.narrow(("t", "p", f"c{number}"), 1, Interval(0, 10)) is not None]
    assert kept == list(range(136, 200))


def test_an_older_version_never_replaces_what_is_remembered():
    memory, key = Memory(), ("t", "p", "c")
    newer, older = Stretch(Interval(0, 10), ()), Stretch(Interval(0, 10), ())
    memory.keep_narrow(key, 2, newer)
    memory.keep_narrow(key, 1, older)

    assert memory.narrow(key, 2, Interval(0, 10)) is newer
    assert memory.narrow(key, 1, Interval(0, 10)) is None
