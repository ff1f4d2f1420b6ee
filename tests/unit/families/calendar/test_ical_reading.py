from datetime import UTC, date, datetime

import pytest

from almanac.families.calendar.ical.parser import ReadEvents, read_events
from almanac.families.calendar.ical.writer import write_events
from almanac.families.calendar.model.events import AllDay, Event, Period, ZonedTime, instant_of
from almanac.families.time.core.zones import UTC_ZONE, find_zone
from almanac.kernel.errors import InvalidInput

BERLIN = "Europe/Berlin"


def read(*lines: str, zone: str = "America/New_York", around: tuple[str, ...] = ()) -> ReadEvents:
    event = ("BEGIN:VEVENT", "UID:lunch@example.com", *lines, "END:VEVENT")
    text = ("BEGIN:VCALENDAR", "VERSION:2.0", *around, *event, "END:VCALENDAR", "")
    return read_events("\r\n".join(text).encode(), find_zone(zone))


def one(*lines: str, zone: str = "America/New_York", around: tuple[str, ...] = ()) -> Event:
    found = read(*lines, zone=zone, around=around)
    assert found.problems == ()
    return found.events[0]


def problem(*lines: str, around: tuple[str, ...] = ()) -> str:
    found = read(*lines, around=around)
    assert found.events == ()
    return found.problems[0]


def test_a_time_keeps_its_zone() -> None:
    event = one("DTSTART;TZID=Europe/Berlin:20260301T120000", "DTEND;TZID=Europe/Berlin:20260301T130000")
    assert event.start == ZonedTime(datetime(2026, 3, 1, 12), BERLIN)
    assert event.end == ZonedTime(datetime(2026, 3, 1, 13), BERLIN)


def test_a_time_with_z_is_utc_and_one_without_a_zone_is_the_calendars() -> None:
    event = one("DTSTART:20260301T120000Z", "DTEND:20260301T130000")
    assert event.start == ZonedTime(datetime(2026, 3, 1, 12), "UTC")
    assert event.end == ZonedTime(datetime(2026, 3, 1, 13), "America/New_York", floating=True)


def test_a_day_without_an_end_lasts_one_day() -> None:
    event = one("DTSTART;VALUE=DATE:20260301")
    assert (event.start, event.end) == (AllDay(date(2026, 3, 1)), AllDay(date(2026, 3, 2)))


def test_a_moment_without_an_end_is_over_at_once() -> None:
    event = one("DTSTART:20260301T120000Z")
    assert event.end == event.start


def test_a_duration_of_a_day_is_a_day_of_the_calendar_and_24_hours_are_hours_that_pass() -> None:
    start = "DTSTART;TZID=Europe/Berlin:20260328T120000"
    assert one(start, "DURATION:P1D").end == ZonedTime(datetime(2026, 3, 29, 12), BERLIN)
    assert one(start, "DURATION:PT23H").end == ZonedTime(datetime(2026, 3, 29, 12), BERLIN)


def test_an_end_of_another_kind_is_brought_to_that_of_the_start() -> None:
    assert one("DTSTART;VALUE=DATE:20260301", "DTEND:20260302T100000Z").end == AllDay(date(2026, 3, 3))
    timed = one("DTSTART:20260301T120000Z", "DTEND;VALUE=DATE:20260302")
    assert timed.end == ZonedTime(datetime(2026, 3, 2), "UTC")


def test_a_series_with_excluded_and_added_dates() -> None:
    event = one(
        "DTSTART;TZID=Europe/Berlin:20260301T120000",
        "RRULE:FREQ=WEEKLY;COUNT=5",
        "EXDATE;TZID=Europe/Berlin:20260308T120000,20260315T120000",
        "EXDATE;VALUE=DATE:20260322",
        "RDATE;VALUE=PERIOD:20260401T100000Z/PT1H",
    )
    assert event.rrule == "FREQ=WEEKLY;COUNT=5"
    assert event.exdates[0] == ZonedTime(datetime(2026, 3, 8, 12), BERLIN)
    assert event.exdates[2] == AllDay(date(2026, 3, 22))
    assert event.rdates == (ZonedTime(datetime(2026, 4, 1, 10), "UTC"),)
    assert event.periods == (Period(event.rdates[0], ZonedTime(datetime(2026, 4, 1, 11), "UTC")),)


def test_an_instance_that_differs_has_an_id_of_its_own_under_the_uid_of_its_series() -> None:
    start = "DTSTART;TZID=Europe/Berlin:20260308T150000"
    event = one(start, "RECURRENCE-ID;TZID=Europe/Berlin:20260308T120000")
    assert event.recurrence_id == ZonedTime(datetime(2026, 3, 8, 12), BERLIN)
    assert event.id.endswith("_20260308T110000Z")
    assert event.uid == "lunch@example.com"


def test_ids_are_the_same_each_time_and_ours_come_back() -> None:
    assert one("DTSTART:20260301T120000Z").id == one("DTSTART:20260302T120000Z").id
    ours = b"BEGIN:VEVENT\r\nUID:abc123@almanac\r\nDTSTART:20260301T120000Z\r\nEND:VEVENT\r\n"
    assert read_events(b"BEGIN:VCALENDAR\r\n" + ours + b"END:VCALENDAR", UTC_ZONE).events[0].id == "abc123"


def test_people_texts_and_states_are_read() -> None:
    event = one(
        "DTSTART:20260301T120000Z",
        "SUMMARY:Lunch\\, with\\nAnn",
        "ATTENDEE;CN=Ann:mailto:ann@example.com",
        "ATTENDEE;CN=Ben:invalid:nomail",
        "ORGANIZER:MAILTO:boss@example.com",
        "STATUS:TENTATIVE",
        "TRANSP:TRANSPARENT",
        "SEQUENCE:3",
        "CREATED:20260101T000000Z",
        "URL:https://example.com/1",
    )
    assert event.summary == "Lunch, with\nAnn"
    assert event.attendees == ("ann@example.com", "Ben")
    assert event.organizer == "boss@example.com"
    assert (event.status, event.transparent, event.sequence) == ("tentative", True, 3)
    assert event.created == datetime(2026, 1, 1, tzinfo=UTC)
    assert event.url == "https://example.com/1"


@pytest.mark.parametrize(
    ("tzid", "zone"),
    [
        ("W. Europe Standard Time", BERLIN),
        ("/freeassociation.sourceforge.net/Europe/Berlin", BERLIN),
        ("/mozilla.org/20050126_1/America/Argentina/Buenos_Aires", "America/Argentina/Buenos_Aires"),
        ("europe/berlin", BERLIN),
        ("EST", "Etc/GMT+5"),
    ],
)
def test_names_that_programs_give_to_zones_are_understood(tzid: str, zone: str) -> None:
    assert one(f"DTSTART;TZID={tzid}:20260301T120000").start == ZonedTime(datetime(2026, 3, 1, 12), zone)


RULES = (
    "BEGIN:VTIMEZONE",
    "TZID:Head Office",
    "BEGIN:STANDARD",
    "DTSTART:19701025T030000",
    "RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU",
    "TZOFFSETFROM:+0200",
    "TZOFFSETTO:+0100",
    "END:STANDARD",
    "BEGIN:DAYLIGHT",
    "DTSTART:19700329T020000",
    "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU",
    "TZOFFSETFROM:+0100",
    "TZOFFSETTO:+0200",
    "END:DAYLIGHT",
    "END:VTIMEZONE",
)


def test_a_zone_that_only_the_text_knows_is_found_by_its_rules() -> None:
    event = one("DTSTART;TZID=Head Office:20260701T120000", "RRULE:FREQ=MONTHLY", around=RULES)
    assert instant_of(event.start, UTC_ZONE) == datetime(2026, 7, 1, 10, tzinfo=UTC)
    assert isinstance(event.start, ZonedTime)
    assert event.start.zone.startswith("Europe/")


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (("SUMMARY:No start",), "DTSTART"),
        (("DTSTART:soon",), "DTSTART"),
        (("DTSTART:99990301T120000Z",), "DTSTART"),
    ],
)
def test_what_has_no_time_is_named_with_its_line_and_reason(lines: tuple[str, ...], said: str) -> None:
    told = problem(*lines)
    assert told.startswith("VEVENT 1 in line 3 (")
    assert "UID lunch@example.com" in told
    assert said in told


def test_a_text_of_many_events_is_read_as_far_as_it_can_be() -> None:
    events = "".join(
        f"BEGIN:VEVENT\r\nUID:{n}\r\nDTSTART:{'2026030' if n % 2 else ''}1T120000Z\r\nEND:VEVENT\r\n" for n in range(6)
    )
    found = read_events(f"BEGIN:VCALENDAR\r\n{events}END:VCALENDAR\r\n".encode(), UTC_ZONE)
    assert (len(found.events), len(found.problems)) == (3, 3)


def test_of_two_versions_of_an_event_the_later_counts() -> None:
    versions = "".join(
        f"BEGIN:VEVENT\r\nUID:a\r\nSUMMARY:{n}\r\nSEQUENCE:{n}\r\nDTSTART:20260301T120000Z\r\nEND:VEVENT\r\n"
        for n in (1, 2, 0)
    )
    found = read_events(f"BEGIN:VCALENDAR\r\n{versions}END:VCALENDAR\r\n".encode(), UTC_ZONE)
    assert [event.summary for event in found.events] == ["2"]


def test_to_dos_and_journals_are_left_out() -> None:
    assert one("DTSTART:20260301T120000Z", around=("BEGIN:VTODO", "UID:t", "SUMMARY:Shop", "END:VTODO"))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"hello",
        b"/etc/passwd",
        b"BEGIN:VCALENDAR",
        b"<html>BEGIN:VEVENT</html>",
        b"BEGIN:VEVENT\r\nEND:VEVENT\r\n",
        b"\xff\xfe\x00",
    ],
)
def test_what_is_no_calendar_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidInput, match="not an iCalendar"):
        read_events(text, UTC_ZONE)


def test_a_text_without_bounds_is_refused() -> None:
    with pytest.raises(InvalidInput, match="larger"):
        read_events(b"BEGIN:VCALENDAR\r\n" + b"X" * (16 * 1024 * 1024), UTC_ZONE)


def test_what_came_without_a_zone_goes_without_one() -> None:
    came = b"\r\n".join(
        [
            b"BEGIN:VCALENDAR",
            b"BEGIN:VEVENT",
            b"UID:a",
            b"DTSTART:20260301T120000",
            b"DURATION:PT1H",
            b"RRULE:FREQ=WEEKLY",
            b"EXDATE:20260308T120000",
            b"END:VEVENT",
            b"END:VCALENDAR",
        ]
    )
    there = read_events(came, find_zone("Europe/Berlin")).events

    text = write_events(there)

    assert b"TZID" not in text
    assert read_events(text, find_zone("Europe/Berlin")).events == there
    assert read_events(text, find_zone("Asia/Tokyo")).events == read_events(came, find_zone("Asia/Tokyo")).events
