"""Test a change of a calendar's zone. Its days and floating times move with it."""

import os
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from almanac.families.calendar.accounts.exchange import import_text
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.codec import event_entry
from almanac.families.calendar.entries.records import EVENTS, CalendarRecord
from almanac.families.calendar.entries.view import event_of
from almanac.families.calendar.entries.zone_change import rezone
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import AllDay, Event, ZonedTime
from almanac.families.calendar.model.instances import interval_of
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import milliseconds
from almanac.platform.store.port import Change
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.families.calendar.services import NOW, file, open_bookings

FLOATING = b"""BEGIN:VCALENDAR
BEGIN:VEVENT
UID:floating
DTSTART:20260316T090000
DURATION:PT1H
SUMMARY:Alarm clock
END:VEVENT
END:VCALENDAR
"""


class ProcessKilled(BaseException):
    pass


class MortalStore(SqliteStore):
    """Dies in the write after so many others."""

    writes_left = 10**9

    def write(self, changes: Sequence[Change]) -> None:
        self.writes_left -= 1
        if self.writes_left < 0:
            raise ProcessKilled
        super().write(changes)


@pytest.fixture
def store(tmp_path: Path) -> MortalStore:
    return MortalStore(tmp_path / "store.db", clock=FixedClock(NOW), cursor_secret=b"a secret of the tests")


@pytest.fixture
def bookings(tmp_path: Path, store: MortalStore) -> BookingService:
    bookings = open_bookings(tmp_path, FixedClock(NOW), store=store)
    bookings.calendars.create(CalendarRecord(id="team", name="Team", timezone="Europe/Berlin", created_at=0))
    return bookings


def days(count: int) -> list[Event]:
    first = date(2026, 3, 1)
    starts = [first + timedelta(days=number) for number in range(count)]
    return [Event(id=f"d{at}", uid=f"d{at}", start=AllDay(at), end=AllDay(at + timedelta(days=1))) for at in starts]


@pytest.mark.parametrize("zone", ["EST", "Nowhere/Land"])
def test_a_calendar_in_a_zone_that_the_rules_lack_stays_readable(bookings: BookingService, zone: str) -> None:
    """Providers and settings of a project may name such a zone; the calendar's days are then filed by UTC."""
    calendars = bookings.calendars
    reader = Calendars(
        calendars.store, calendars.scope, clock=FixedClock(NOW), default_zone="Asia/Tokyo", project_zone=zone
    )
    text = FLOATING.replace(b"20260316T090000", b"20260316T090000Z")
    import_text(reader, "primary", text, actor="ann", random_bytes=os.urandom)

    calendar = reader.readable("primary")

    day = Interval(milliseconds(NOW.replace(day=16, hour=0)), milliseconds(NOW.replace(day=17)))
    assert calendar.known_zone == zone
    assert [event.summary for one in reader.list_entries(calendar, day) if (event := event_of(one))] == ["Alarm clock"]


def misfiled_ids(bookings: BookingService) -> list[str]:
    """Return ids of entries that are not filed by the calendar's zone."""
    calendar = bookings.calendars.find("team")
    rows = EVENTS.within(bookings.calendars.store, bookings.calendars.scope)
    wrong: list[str] = []
    for event in bookings.calendars.events(calendar):
        wanted = event_entry(calendar.id, event, calendar.zone)
        if rows.get(calendar.id, wanted.reach, wanted.start, wanted.id) != wanted:
            wrong.append(event.id)
    return wrong


def test_days_are_filed_by_the_new_zone_and_found_by_their_ids(bookings: BookingService):
    file(bookings, "team", *days(70))

    calendar = rezone(bookings.calendars, bookings.calendars.find("team"), "asia/tokyo")

    assert (calendar.timezone, calendar.rezoning) == ("Asia/Tokyo", False)
    assert bookings.calendars.find("team") == calendar
    assert misfiled_ids(bookings) == []
    found = bookings.calendars.event(calendar, "d2026-03-05")
    assert found is not None
    assert found.start == AllDay(date(2026, 3, 5))
    assert len(bookings.calendars.events(calendar)) == 70


def test_floating_times_move_and_fixed_ones_stay(bookings: BookingService):
    fixed = Event(
        id="fixed",
        uid="fixed",
        start=ZonedTime(datetime(2026, 3, 16, 9), "Europe/Berlin"),
        end=ZonedTime(datetime(2026, 3, 16, 10), "Europe/Berlin"),
    )
    file(bookings, "team", fixed)
    import_text(bookings.calendars, "team", FLOATING, actor="ann", random_bytes=os.urandom)

    calendar = rezone(bookings.calendars, bookings.calendars.find("team"), "Asia/Tokyo")

    starts = {one.uid: interval_of(one, calendar.zone).start for one in bookings.calendars.events(calendar)}
    assert starts["fixed"] == datetime(2026, 3, 16, 8, tzinfo=UTC).timestamp() * 1000
    assert starts["floating"] == datetime(2026, 3, 16, 0, tzinfo=UTC).timestamp() * 1000
    assert misfiled_ids(bookings) == []


def test_a_change_that_was_cut_short_is_finished_by_the_next_call(bookings: BookingService, store: MortalStore):
    file(bookings, "team", *days(80))
    store.writes_left = 2

    with pytest.raises(ProcessKilled):
        rezone(bookings.calendars, bookings.calendars.find("team"), "Asia/Tokyo")
    store.writes_left = 10**9
    cut_short = bookings.calendars.find("team")
    assert (cut_short.timezone, cut_short.rezoning) == ("Asia/Tokyo", True)
    assert misfiled_ids(bookings)

    calendar = bookings.calendars.writable("team")

    assert not calendar.rezoning
    assert misfiled_ids(bookings) == []
    assert len(bookings.calendars.events(calendar)) == 80


def test_the_same_zone_again_writes_nothing(bookings: BookingService, store: MortalStore):
    file(bookings, "team", *days(3))
    before = bookings.calendars.find("team")
    store.writes_left = 0

    assert rezone(bookings.calendars, before, "Europe/Berlin") == before


def test_a_calendar_kept_here_without_a_zone_follows_that_of_the_project(bookings: BookingService):
    calendars = bookings.calendars
    import_text(calendars, "primary", FLOATING, actor="ann", random_bytes=os.urandom)
    (shell,) = calendars.events(calendars.find("primary"))
    tokyo = Calendars(calendars.store, calendars.scope, clock=FixedClock(NOW), project_zone="Asia/Tokyo")

    (server,) = tokyo.events(tokyo.readable("primary"))

    assert (shell.start, server.start) == (
        ZonedTime(datetime(2026, 3, 16, 9), "UTC", floating=True),
        ZonedTime(datetime(2026, 3, 16, 9), "Asia/Tokyo", floating=True),
    )
    assert (tokyo.find("primary").timezone, tokyo.find("primary").rezoning) == (None, False)


def test_an_unknown_zone_changes_nothing(bookings: BookingService):
    with pytest.raises(InvalidInput):
        rezone(bookings.calendars, bookings.calendars.find("team"), "Europe/Nowhere")

    assert bookings.calendars.find("team").timezone == "Europe/Berlin"
