"""Test moving a whole series at a CalDAV server, with its exceptions, in a single conditional write."""

import os
from collections.abc import Generator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.model.availability import Interval
from almanac.kernel.errors import Conflict, InvalidInput
from almanac.kernel.instants import instant_at, milliseconds
from tests.integration.caldav.conftest import Account
from tests.integration.caldav.installations import WORK, Installation

BERLIN = ZoneInfo("Europe/Berlin")
SERIES = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//Else//EN
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
UID:standup
DTSTAMP:20260101T000000Z
DTSTART;TZID=Europe/Berlin:20310317T090000
DTEND;TZID=Europe/Berlin:20310317T093000
RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=6
EXDATE;TZID=Europe/Berlin:20310319T090000
SUMMARY:Standup
X-OTHER:kept
END:VEVENT
BEGIN:VEVENT
UID:standup
DTSTAMP:20260101T000000Z
RECURRENCE-ID;TZID=Europe/Berlin:20310324T090000
DTSTART;TZID=Europe/Berlin:20310324T110000
DTEND;TZID=Europe/Berlin:20310324T120000
SUMMARY:Long standup
END:VEVENT
BEGIN:VEVENT
UID:standup
DTSTAMP:20260101T000000Z
RECURRENCE-ID:20310326T080000Z
DTSTART;TZID=Europe/Berlin:20310327T090000
DTEND;TZID=Europe/Berlin:20310327T093000
SUMMARY:A day late
END:VEVENT
END:VCALENDAR
"""


@pytest.fixture
def bookings(account: Account, tmp_path: Path) -> Generator[BookingService]:
    installation = Installation(tmp_path / "installation", account)
    yield installation.bookings()
    installation.close()


def put(account: Account, text: str = SERIES, name: str = "standup") -> None:
    answer = account.dav.send("PUT", f"{account.collection}{name}.ics", text.encode(), Content_Type="text/calendar")
    assert answer.status in {201, 204}


def at(day: int, hour: int, minute: int = 0, month: int = 3) -> datetime:
    return datetime(2031, month, day, hour, minute, tzinfo=BERLIN)


def shown_spans(bookings: BookingService) -> list[str]:
    """Starts and ends on the clocks of Berlin."""
    calendar = bookings.calendars.readable(WORK)
    window = Interval(milliseconds(at(1, 0)), milliseconds(at(30, 0, month=4)))
    spans = [(instant_at(one.start), instant_at(one.end)) for one in bookings.calendars.list_entries(calendar, window)]
    return [f"{one.astimezone(BERLIN):%m-%d %H:%M}-{until.astimezone(BERLIN):%H:%M}" for one, until in spans]


def at_the_server(account: Account, tmp_path: Path) -> list[str]:
    """Return the events as an installation sees them that reads the calendar for the first time."""
    other = Installation(tmp_path / os.urandom(4).hex(), account)
    try:
        return shown_spans(other.bookings())
    finally:
        other.close()


def test_a_series_moves_with_its_exceptions_over_a_clock_change(
    bookings: BookingService, account: Account, tmp_path: Path
) -> None:
    put(account)
    moved = bookings.reschedule(WORK, "standup", at(18, 10), None)
    expected = [
        *("03-18 10:00-10:30", "03-25 12:00-13:00", "03-28 10:00-10:30"),
        *("04-01 10:00-10:30", "04-03 10:00-10:30"),
    ]
    assert shown_spans(bookings) == expected
    assert at_the_server(account, tmp_path) == expected
    assert moved.event.rrule == "FREQ=WEEKLY;COUNT=6;BYDAY=TU,TH;WKST=TU"
    text = account.dav.send("GET", f"{account.collection}standup.ics").body.decode()
    assert "X-OTHER:kept" in text


def test_a_series_gets_another_length_and_exceptions_keep_their_distance_from_its_end(
    bookings: BookingService, account: Account, tmp_path: Path
) -> None:
    put(account)
    bookings.reschedule(WORK, "standup", at(17, 9), at(17, 10))
    expected = [
        *("03-17 09:00-10:00", "03-24 11:00-12:30", "03-27 09:00-10:00"),
        *("03-31 09:00-10:00", "04-02 09:00-10:00"),
    ]
    assert at_the_server(account, tmp_path) == shown_spans(bookings) == expected


def test_a_series_moves_by_as_much_as_its_instances_are_apart(
    bookings: BookingService, account: Account, tmp_path: Path
) -> None:
    put(account)
    bookings.reschedule(WORK, "standup", at(24, 9), None)
    assert at_the_server(account, tmp_path) == [
        *("03-24 09:00-09:30", "03-31 11:00-12:00", "04-03 09:00-09:30"),
        *("04-07 09:00-09:30", "04-09 09:00-09:30"),
    ]


@pytest.mark.parametrize("blocked", [at(2, 10, 15, month=4), at(24, 12)])
def test_a_series_does_not_move_over_another_event(
    bookings: BookingService, account: Account, tmp_path: Path, blocked: datetime
) -> None:
    """Neither an instance of its rule nor an exception does."""
    put(account)
    bookings.book(Draft(calendar_id=WORK, start=blocked, end=blocked + timedelta(minutes=30), summary="Dentist"))
    before = at_the_server(account, tmp_path)
    with pytest.raises(Conflict) as refused:
        bookings.reschedule(WORK, "standup", at(17, 10), None)
    assert refused.value.code == "slot_taken"
    assert at_the_server(account, tmp_path) == before


def test_a_rule_that_cannot_be_written_for_the_new_days_is_refused(
    bookings: BookingService, account: Account, tmp_path: Path
) -> None:
    monthly = SERIES.replace("FREQ=WEEKLY;BYDAY=MO,WE;COUNT=6", "FREQ=MONTHLY;BYDAY=3MO")
    alone = monthly.split("END:VEVENT\n")[0] + "END:VEVENT\nEND:VCALENDAR\n"
    put(account, alone)
    before = at_the_server(account, tmp_path)
    with pytest.raises(InvalidInput):
        bookings.reschedule(WORK, "standup", at(18, 9), None)
    assert at_the_server(account, tmp_path) == before
    bookings.reschedule(WORK, "standup", at(24, 9), None)
    assert at_the_server(account, tmp_path) == ["03-24 09:00-09:30", "04-28 09:00-09:30"]


def test_a_version_that_the_server_no_longer_has_is_not_written_over(
    bookings: BookingService, account: Account, tmp_path: Path
) -> None:
    put(account)
    calendar = bookings.calendars.readable(WORK)
    known = bookings.calendars.event(calendar, "standup")
    put(account, SERIES.replace("SUMMARY:Standup", "SUMMARY:Daily"))
    provider = bookings.calendars.gateway.provider(calendar)
    assert known is not None
    with pytest.raises(Conflict):
        provider.update(calendar.at_provider(), known, known.etag)


def test_a_series_that_was_booked_here_moves_too(bookings: BookingService, account: Account, tmp_path: Path) -> None:
    slot = Draft(
        calendar_id=WORK, start=at(3, 9), end=at(3, 10), summary="Sync", recurrence="FREQ=WEEKLY;UNTIL=20310317T225959Z"
    )
    booked = bookings.book(slot)
    moved = bookings.reschedule(WORK, booked.event.id, at(4, 14), None)
    assert len(moved.slots.instances) == 3
    assert at_the_server(account, tmp_path) == ["03-04 14:00-15:00", "03-11 14:00-15:00", "03-18 14:00-15:00"]
