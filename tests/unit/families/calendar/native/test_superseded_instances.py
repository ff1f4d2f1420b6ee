"""Instances that differ from their series, where the series has changed since and has them no more."""

import os
from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from almanac.families.calendar.accounts.exchange import export_text, import_text
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.entries.view import event_of
from almanac.families.calendar.ical.parser import read_events
from almanac.families.calendar.ical.writer import write_events
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event, convert_to_zone
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.instants import milliseconds
from tests.unit.families.calendar.services import file

WEEKS = Interval(*(milliseconds(datetime(2026, 3, day, tzinfo=UTC)) for day in (1, 30)))


def at(day: int, hour: int = 9) -> Event:
    start, end = (convert_to_zone(datetime(2026, 3, day, hour, minute, tzinfo=UTC), UTC_ZONE) for minute in (0, 30))
    return Event(id="series", uid="series", start=start, end=end, summary="Daily")


SERIES = replace(at(2), rrule="FREQ=DAILY;UNTIL=20260302T090000Z", sequence=3)
CHANGED = replace(at(3, 15), id="series_20260303", recurrence_id=at(3).start, summary="Moved", sequence=1, rrule=None)


@pytest.fixture
def changed_calendars(bookings: BookingService) -> Calendars:
    """An instance was changed, and then the rule of its series."""
    for name in ("team", "other"):
        bookings.calendars.create(CalendarRecord(id=name, name=name, created_at=0, timezone="UTC"))
    file(bookings, "team", SERIES, CHANGED)
    return bookings.calendars


def shown_summaries(calendars: Calendars, name: str) -> list[str]:
    shown = calendars.list_entries(calendars.find(name), WEEKS)
    return [event.summary for one in shown if (event := event_of(one)) is not None]


def test_one_that_was_changed_here_stands_though_the_rule_changed_after_it(changed_calendars: Calendars) -> None:
    assert shown_summaries(changed_calendars, "team") == ["Daily", "Moved"]


def test_it_stands_where_the_calendar_is_taken_elsewhere(changed_calendars: Calendars) -> None:
    text = export_text(changed_calendars, "team").text

    import_text(changed_calendars, "other", text, actor="ann", random_bytes=os.urandom)

    assert shown_summaries(changed_calendars, "other") == ["Daily", "Moved"]


def test_another_programs_text_may_still_hold_one_that_is_gone() -> None:
    text = write_events([SERIES, CHANGED, replace(CHANGED, recurrence_id=SERIES.start)])

    assert [event.recurrence_id for event in read_events(text, UTC_ZONE).events] == [None, SERIES.start]
