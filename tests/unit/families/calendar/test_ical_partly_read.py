"""Test events that can be read only in part. They still take time and say which part is missing."""

from datetime import date, datetime, timedelta

import pytest

from almanac.families.calendar.entries.unreadable_events import describe_partial
from almanac.families.calendar.ical.parser import ReadEvents, read_events
from almanac.families.calendar.ical.writer import write_events
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import AllDay, Event, ZonedTime, instant_of
from almanac.families.calendar.model.instances import split_series, times
from almanac.families.time.core.zones import UTC_ZONE, find_zone
from almanac.kernel.instants import instant_at, milliseconds

BERLIN = "Europe/Berlin"
NOON = "DTSTART:20260301T120000Z"


def read(*lines: str, around: tuple[str, ...] = (), zone: str = BERLIN) -> ReadEvents:
    event = ("BEGIN:VEVENT", "UID:lunch@example.com", "SUMMARY:Lunch", *lines, "END:VEVENT")
    return read_events("\r\n".join(("BEGIN:VCALENDAR", *around, *event, "END:VCALENDAR", "")).encode(), find_zone(zone))


def one(*lines: str, around: tuple[str, ...] = (), zone: str = BERLIN) -> Event:
    found = read(*lines, around=around, zone=zone)
    assert found.problems == ()
    return found.events[0]


def starts(event: Event, first: str, days: int) -> list[str]:
    begin = milliseconds(datetime.fromisoformat(first + "T00:00:00+00:00"))
    _, (series,) = split_series([event], UTC_ZONE)
    return [f"{instant_at(at):%m-%d %H:%M}" for at, _ in times(series, Interval(begin, begin + days * 86_400_000))]


def test_an_unknown_zone_is_read_by_the_clocks_of_the_calendar() -> None:
    event = one("DTSTART;TZID=Nowhere/Land:20260301T120000", "DTEND;TZID=Nowhere/Land:20260301T130000")
    assert (event.start, event.end) == (
        ZonedTime(datetime(2026, 3, 1, 12), BERLIN),
        ZonedTime(datetime(2026, 3, 1, 13), BERLIN),
    )
    assert len(event.partial) == 1
    assert "Nowhere/Land" in event.partial[0]
    assert "Nowhere/Land" in describe_partial(event)
    assert event.takes_time


@pytest.mark.parametrize(
    ("tzid", "utc"),
    [("(UTC-03:00) Brasilia", 15), ("GMT+0530", 6.5), ("UTC+2", 10), ("(GMT -5:00) Somewhere", 17)],
)
def test_an_unknown_zone_that_names_its_offset_is_read_by_it(tzid: str, utc: float) -> None:
    event = one(f'DTSTART;TZID="{tzid}":20260301T120000')
    assert instant_of(event.start, UTC_ZONE) == datetime.fromisoformat("2026-03-01T00:00:00+00:00") + timedelta(
        hours=utc
    )
    assert event.partial


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("RRULE:FREQ=SOMETIMES", "RRULE"),
        ("EXRULE:FREQ=SOMETIMES", "EXRULE"),
        ("EXRULE:FREQ=SECONDLY", "EXRULE"),
        ("EXDATE:soon", "EXDATE"),
        ("RDATE:soon", "RDATE"),
        ("DTEND:later", "DTEND"),
        ("DURATION:P99999W", "DURATION"),
        ("DURATION:20260301", "DURATION"),
        ("DTSTART:20260301T130000Z", "DTSTART"),
        ("DTEND:20260301T110000Z", "ends before"),
        ("this is no line", "line 6 cannot be read"),
    ],
)
def test_what_cannot_be_read_is_said_and_the_rest_stands(line: str, said: str) -> None:
    event = one(NOON, line)
    assert event.start == ZonedTime(datetime(2026, 3, 1, 12), "UTC")
    assert said in event.partial[0]


def test_an_empty_rule_says_nothing() -> None:
    event = one(NOON, "RRULE:", "EXRULE:", "EXDATE:")
    assert (event.rrule, event.is_series) == (None, False)
    assert event.partial == ()


def test_an_end_that_cannot_be_read_leaves_a_day() -> None:
    assert one(NOON, "DTEND:later").end == ZonedTime(datetime(2026, 3, 2, 12), "UTC")
    assert one(NOON, "DURATION:P99999W").end == ZonedTime(datetime(2026, 3, 2, 12), "UTC")


def test_of_two_ends_the_later_counts() -> None:
    event = one(NOON, "DTEND:20260301T130000Z", "DTEND:20260301T150000Z")
    assert event.end == ZonedTime(datetime(2026, 3, 1, 15), "UTC")
    assert event.partial


def test_a_date_that_is_nearly_one_is_read() -> None:
    assert one("DTSTART:2026-03-01").start == AllDay(date(2026, 3, 1))
    assert one("DTSTART:2026-03-01T12:00:00Z").start == ZonedTime(datetime(2026, 3, 1, 12), "UTC")
    dates = one(NOON, "RRULE:FREQ=DAILY;COUNT=9", "EXDATE:soon,20260302T120000Z")
    assert dates.exdates == (ZonedTime(datetime(2026, 3, 2, 12), "UTC"),)


def test_a_rule_of_which_a_part_cannot_be_read_names_too_many_times_rather_than_too_few() -> None:
    event = one(NOON, "RRULE:FREQ=WEEKLY;COUNT=2;BYDAY=MO,XX;UNTIL=20260401T000000Z")
    assert event.rrule == "FREQ=WEEKLY;UNTIL=20260401T000000Z"
    assert starts(event, "2026-03-01", 40)[-1] == "03-29 12:00"


def test_an_end_without_a_start_takes_the_day_before_it() -> None:
    event = one("DTEND:20260301T120000Z")
    assert event.start == ZonedTime(datetime(2026, 2, 28, 12), "UTC")
    assert event.partial


def test_an_instance_without_a_start_stays_where_its_series_has_it() -> None:
    event = one("RECURRENCE-ID:20260301T120000Z")
    assert event.start == ZonedTime(datetime(2026, 3, 1, 12), "UTC")
    assert event.recurrence_id == event.start
    assert event.partial


def test_an_instance_that_nobody_can_tell_does_not_replace_its_series() -> None:
    lines = ("END:VEVENT", "BEGIN:VEVENT", "UID:lunch@example.com", "RECURRENCE-ID:one day", "DTSTART:20260305T120000Z")
    found = read(NOON, "RRULE:FREQ=DAILY", *lines)
    assert [event.is_series for event in found.events] == [True, False]


def test_more_rules_than_one_are_all_read() -> None:
    event = one(NOON, "RRULE:FREQ=WEEKLY;COUNT=2", "RRULE:FREQ=MONTHLY;COUNT=2")
    assert event.partial == ()
    assert starts(event, "2026-03-01", 60) == ["03-01 12:00", "03-08 12:00", "04-01 12:00"]


def test_a_component_without_an_end_is_read_and_says_so() -> None:
    parts = [f"BEGIN:VEVENT\nUID:{uid}\nDTSTART:20260301T120000Z\n" for uid in ("a", "b")]
    text = "BEGIN:VCALENDAR\n" + "".join(parts)
    found = read_events(text.encode(), find_zone(BERLIN))
    assert [event.uid for event in found.events] == ["a", "b"]
    assert all("no end" in event.partial[0] for event in found.events)
    assert "line 1 has no end" in found.problems[0]


def test_what_is_marked_stays_marked_when_it_is_written_and_read_again() -> None:
    event = one("DTSTART;TZID=Nowhere/Land:20260301T120000")
    assert read_events(write_events([event]), find_zone(BERLIN)).events[0].partial == event.partial
