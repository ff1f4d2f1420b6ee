"""Zones that only a text knows are read by their own rules, for every instance of a series."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.families.calendar.ical.parser import read_events
from almanac.families.calendar.ical.writer import write_events
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event, ZonedTime, instant_of
from almanac.families.calendar.model.instances import split_series, times
from almanac.families.time.core.own_zones import own_zone, own_zone_name
from almanac.families.time.core.zones import UTC_ZONE, find_zone
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at, milliseconds
from tests.cpu_time import measure_cpu_seconds


def rules(tzid: str, *observances: tuple[str, str, str, str, str]) -> list[str]:
    """Kind, DTSTART, offset from, offset to, and the line that says when again."""
    lines = ["BEGIN:VTIMEZONE", f"TZID:{tzid}"]
    for kind, start, before, after, again in observances:
        lines += [f"BEGIN:{kind}", f"DTSTART:{start}", f"TZOFFSETFROM:{before}", f"TZOFFSETTO:{after}"]
        lines += [again] if again else []
        lines += [f"END:{kind}"]
    return [*lines, "END:VTIMEZONE"]


BRASILIA = rules(
    "(UTC-03:00) Brasilia",
    ("STANDARD", "16010101T000000", "-0200", "-0300", "RRULE:FREQ=YEARLY;BYDAY=3SA;BYMONTH=2"),
    ("DAYLIGHT", "16010101T000000", "-0300", "-0200", "RRULE:FREQ=YEARLY;BYDAY=3SA;BYMONTH=10"),
)
US_BEFORE_2007 = rules(
    "Customized Time Zone",
    ("STANDARD", "19671029T020000", "-0400", "-0500", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10"),
    ("DAYLIGHT", "19870405T020000", "-0500", "-0400", "RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=4"),
)
US_BY_YEARS = rules(
    "Old East",
    ("DAYLIGHT", "19870405T020000", "-0500", "-0400", "RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=4;UNTIL=20060402T070000Z"),
    ("DAYLIGHT", "20070311T020000", "-0500", "-0400", "RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3"),
    ("STANDARD", "19671029T020000", "-0400", "-0500", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10;UNTIL=20061029T060000Z"),
    ("STANDARD", "20071104T020000", "-0400", "-0500", "RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11"),
)
MEXICO = rules(
    "Guadalajara, Mexico City, Monterrey",
    ("STANDARD", "16010101T020000", "-0500", "-0600", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10"),
    ("DAYLIGHT", "16010101T020000", "-0600", "-0500", "RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=4"),
)
ODD = rules("Ship", ("STANDARD", "20000101T000000", "+0053", "+0053", ""))
BY_DATES = rules(
    "Expedition",
    ("STANDARD", "20260110T000000", "+0100", "+0337", "RDATE:20260310T000000"),
    ("DAYLIGHT", "20260210T000000", "+0337", "+0400", ""),
)
NORTH_UNTIL = rules(
    "Once in the north",
    ("DAYLIGHT", "19800406T020000", "+0200", "+0330", "RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=4;UNTIL=19960407T000000Z"),
    ("STANDARD", "19800928T030000", "+0330", "+0200", "RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=9;UNTIL=19960928T233000Z"),
)


def text(zone: list[str], tzid: str, start: str, *more: str) -> bytes:
    event = ["BEGIN:VEVENT", "UID:a", f'DTSTART;TZID="{tzid}":{start}', "DURATION:PT1H", *more, "END:VEVENT"]
    return "\r\n".join(["BEGIN:VCALENDAR", *zone, *event, "END:VCALENDAR", ""]).encode()


def one(zone: list[str], start: str, *more: str) -> Event:
    found = read_events(text(zone, zone[1].removeprefix("TZID:"), start, *more), find_zone("Asia/Tokyo"))
    assert found.problems == ()
    assert found.events[0].partial == ()
    return found.events[0]


@pytest.mark.parametrize(
    ("zone", "start", "utc"),
    [
        (BRASILIA, "20260701T120000", "2026-07-01T15:00"),
        (BRASILIA, "20261201T120000", "2026-12-01T14:00"),
        (BRASILIA, "20260221T120000", "2026-02-21T15:00"),
        (BRASILIA, "20260220T120000", "2026-02-20T14:00"),
        (US_BEFORE_2007, "20260315T120000", "2026-03-15T17:00"),
        (US_BEFORE_2007, "20260405T120000", "2026-04-05T16:00"),
        (US_BEFORE_2007, "20050405T120000", "2005-04-05T16:00"),
        (US_BEFORE_2007, "20451030T120000", "2045-10-30T17:00"),
        (US_BY_YEARS, "20060315T120000", "2006-03-15T17:00"),
        (US_BY_YEARS, "20070315T120000", "2007-03-15T16:00"),
        (US_BY_YEARS, "20061030T120000", "2006-10-30T17:00"),
        (US_BY_YEARS, "20061029T013000", "2006-10-29T05:30"),
        (MEXICO, "20260715T120000", "2026-07-15T17:00"),
        (MEXICO, "20261215T120000", "2026-12-15T18:00"),
        (ODD, "20260715T120000", "2026-07-15T11:07"),
        (BY_DATES, "20260101T120000", "2026-01-01T11:00"),
        (BY_DATES, "20260111T120000", "2026-01-11T08:23"),
        (BY_DATES, "20260211T120000", "2026-02-11T08:00"),
        (BY_DATES, "20300311T120000", "2030-03-11T08:23"),
        (NORTH_UNTIL, "19960801T120000", "1996-08-01T08:30"),
        (NORTH_UNTIL, "19961001T120000", "1996-10-01T10:00"),
        (NORTH_UNTIL, "19970801T120000", "1997-08-01T10:00"),
    ],
)
def test_a_time_is_told_by_the_rules_that_came_with_it(zone: list[str], start: str, utc: str) -> None:
    assert instant_of(one(zone, start).start, UTC_ZONE) == datetime.fromisoformat(f"{utc}+00:00")


def test_each_instance_of_a_series_is_told_by_them() -> None:
    series = one(BRASILIA, "20260201T120000", "RRULE:FREQ=MONTHLY;COUNT=12")
    begin = milliseconds(datetime(2026, 1, 1, tzinfo=UTC))
    _, (found,) = split_series([series], UTC_ZONE)
    hours = [instant_at(start).hour for start, _ in times(found, Interval(begin, begin + 366 * 86_400_000))]
    assert hours == [14, 15, 15, 15, 15, 15, 15, 15, 15, 14, 14, 14]


def test_a_series_that_outlives_the_rules_of_a_place_stays_with_its_own() -> None:
    # Mexico went by these rules when the series began, and gave them up later.
    series = one(MEXICO, "20100701T120000", "RRULE:FREQ=YEARLY")
    begin = milliseconds(datetime(2026, 1, 1, tzinfo=UTC))
    _, (found,) = split_series([series], UTC_ZONE)
    assert [instant_at(at).hour for at, _ in times(found, Interval(begin, begin + 366 * 86_400_000))] == [17]


def test_dates_left_out_and_instances_that_differ_are_found_by_them_too() -> None:
    tzid = "(UTC-03:00) Brasilia"
    series = one(
        BRASILIA,
        "20260215T120000",
        "RRULE:FREQ=DAILY;COUNT=10",
        f'EXDATE;TZID="{tzid}":20260216T120000,20260222T120000',
    )
    begin = milliseconds(datetime(2026, 2, 1, tzinfo=UTC))
    _, (found,) = split_series([series], UTC_ZONE)
    days = [instant_at(at).day for at, _ in times(found, Interval(begin, begin + 60 * 86_400_000))]
    assert days == [15, 17, 18, 19, 20, 21, 23, 24]


@pytest.mark.parametrize("zone", [BRASILIA, US_BEFORE_2007, MEXICO, ODD, BY_DATES, NORTH_UNTIL])
def test_the_rules_are_written_and_read_again_as_they_were(zone: list[str]) -> None:
    event = one(zone, "20260701T120000", "RRULE:FREQ=WEEKLY;COUNT=5")
    assert read_events(write_events([event]), UTC_ZONE).events == (event,)


def test_two_zones_of_one_name_stay_two() -> None:
    other = [line.replace("-0200", "-0100") for line in BRASILIA]
    one_event = one(BRASILIA, "20261201T120000")
    another = read_events(
        text(other, "(UTC-03:00) Brasilia", "20261201T120000").replace(b"UID:a", b"UID:b"), UTC_ZONE
    ).events[0]
    found = read_events(write_events([one_event, another]), UTC_ZONE).events
    assert [instant_of(event.start, UTC_ZONE).hour for event in found] == [14, 13]


def test_a_fold_of_such_a_zone_is_two_instants() -> None:
    zone = one(US_BEFORE_2007, "20260405T120000").start
    assert isinstance(zone, ZonedTime)
    assert {
        instant_of(ZonedTime(datetime(2026, 10, 25, 1, 30), zone.zone, fold), UTC_ZONE).hour for fold in (0, 1)
    } == {
        5,
        6,
    }


def test_thousands_of_rules_are_read_in_a_moment() -> None:
    observances = [
        ("DAYLIGHT", f"{year}0101T{hour:02d}0000", "+0100", "+0200", "RRULE:FREQ=YEARLY;BYMONTH=1,2,3,4,5,6,7,8,9")
        for year in range(1700, 2000)
        for hour in range(10)
    ]
    hostile = rules("Hostile", *observances)
    written = text(hostile, "Hostile", "20260701T120000")
    found, seconds = measure_cpu_seconds(lambda: read_events(written, find_zone("Asia/Tokyo")))
    assert seconds < 5
    assert found.events[0].partial


def test_rules_that_are_no_clocks_are_said_and_read_by_the_calendars() -> None:
    endless = [line.replace("FREQ=YEARLY;BYDAY=3SA;BYMONTH=2", "FREQ=SECONDLY") for line in BRASILIA]
    wide = [line.replace("-0200", "-2359") for line in BRASILIA]
    for zone in (endless, wide, BRASILIA[:2] + BRASILIA[-1:]):
        event = read_events(text(zone, "(UTC-03:00) Brasilia", "20260701T120000"), find_zone("Asia/Tokyo")).events[0]
        assert "(UTC-03:00) Brasilia" in event.partial[0]


@settings(max_examples=60, deadline=None)
@given(
    st.text(max_size=40),
    st.lists(st.tuples(st.integers(), st.integers()), max_size=4),
    st.integers(),
    st.text(max_size=30),
)
def test_a_name_holds_a_zone_or_is_refused(label: str, changes: list[tuple[int, int]], base: int, rule: str) -> None:
    name = own_zone_name(base, changes, rule, label)
    zone = own_zone(name)
    if zone is None:
        with pytest.raises(InvalidInput):
            find_zone(name)
    else:
        assert find_zone(name).utcoffset(datetime(2026, 1, 1)) < timedelta(days=1)  # type: ignore[operator]
