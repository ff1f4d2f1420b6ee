"""Test rules, periods, lengths and changes of later instances, by manual vectors and against another implementation."""

from datetime import UTC, datetime, timedelta

import pytest
from dateutil.rrule import rrulestr
from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.families.calendar.ical.parser import read_events
from almanac.families.calendar.ical.writer import write_events
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.instances import interval_of, split_series, times
from almanac.families.time.core.zones import UTC_ZONE, find_zone
from almanac.kernel.instants import instant_at, milliseconds
from tests.cpu_time import measure_cpu_seconds

BERLIN = "Europe/Berlin"


def read(*components: str) -> list[Event]:
    """Components of one UID, each as lines with `;` between them at the start of a line."""
    lines = [line for one in components for line in ("BEGIN:VEVENT", "UID:a", *one.split(), "END:VEVENT")]
    found = read_events("\r\n".join(["BEGIN:VCALENDAR", *lines, "END:VCALENDAR"]).encode(), find_zone(BERLIN))
    assert found.problems == ()
    assert [event.partial for event in found.events if event.partial] == []
    assert set(read_events(write_events(found.events), find_zone(BERLIN)).events) == set(found.events)
    return list(found.events)


def occurrences(
    events: list[Event], first: str = "2026-01-01", last: str = "2027-01-01", zone: str = BERLIN
) -> list[str]:
    """Return the occurrences in UTC."""
    window = Interval(*(milliseconds(datetime.fromisoformat(f"{text}T00:00:00+00:00")) for text in (first, last)))
    single, series = split_series(events, find_zone(zone))
    found = [interval_of(event, find_zone(zone)) for event in single if event.status != "cancelled"]
    found += [Interval(*one) for each in series for one in times(each, window)]
    return [
        f"{instant_at(one.start):%m-%d %H:%M}-{instant_at(one.end):%H:%M}"
        for one in sorted(found)
        if one.start < window.end and (one.end > window.start or one.start >= window.start)
    ]


def test_hours_are_as_long_in_every_instance_though_the_first_crosses_a_clock_change() -> None:
    # The night of 28 March 2026 has an hour less: 8 hours from 22:00 end at 07:00 there, and at 06:00 after it.
    nights = read("DTSTART;TZID=Europe/Berlin:20260328T220000 DURATION:PT8H RRULE:FREQ=DAILY;COUNT=3")
    assert occurrences(nights) == ["03-28 21:00-05:00", "03-29 20:00-04:00", "03-30 20:00-04:00"]


def test_between_a_start_and_an_end_both_readings_of_a_clock_change_are_busy() -> None:
    # As long as the first, or until the same clock time: the later of the two.
    spring = "DTSTART;TZID=Europe/Berlin:20260328T220000 DTEND;TZID=Europe/Berlin:20260329T060000"
    assert occurrences(read(f"{spring} RRULE:FREQ=DAILY;COUNT=2")) == ["03-28 21:00-04:00", "03-29 20:00-04:00"]
    autumn = "DTSTART;TZID=Europe/Berlin:20261024T220000 DTEND;TZID=Europe/Berlin:20261025T060000"
    assert occurrences(read(f"{autumn} RRULE:FREQ=DAILY;COUNT=2")) == ["10-24 20:00-05:00", "10-25 21:00-06:00"]


def test_so_they_are_in_a_later_instance_that_crosses_one() -> None:
    nights = "DTSTART;TZID=Europe/Berlin:20261023T220000 DTEND;TZID=Europe/Berlin:20261024T060000"
    assert occurrences(read(f"{nights} RRULE:FREQ=DAILY;COUNT=3")) == [
        "10-23 20:00-04:00",
        "10-24 20:00-05:00",
        "10-25 21:00-05:00",
    ]


def test_a_meeting_that_crosses_no_clock_change_ends_when_it_says() -> None:
    daily = "DTSTART;TZID=Europe/Berlin:20260327T090000 DTEND;TZID=Europe/Berlin:20260327T100000"
    assert occurrences(read(f"{daily} RRULE:FREQ=DAILY;COUNT=3")) == [
        "03-27 08:00-09:00",
        "03-28 08:00-09:00",
        "03-29 07:00-08:00",
    ]


def test_an_end_in_another_zone_is_read_by_the_clock_of_the_start() -> None:
    flight = "DTSTART;TZID=Europe/Berlin:20260328T220000 DTEND;TZID=America/New_York:20260329T000000"
    assert occurrences(read(f"{flight} RRULE:FREQ=DAILY;COUNT=2")) == ["03-28 21:00-04:00", "03-29 20:00-04:00"]


def test_days_are_days_of_the_calendar_in_every_instance() -> None:
    weekends = read("DTSTART;TZID=Europe/Berlin:20260321T120000 DURATION:P1D RRULE:FREQ=WEEKLY;COUNT=3")
    assert occurrences(weekends) == ["03-21 11:00-11:00", "03-28 11:00-10:00", "04-04 10:00-10:00"]
    mixed = read("DTSTART;TZID=Europe/Berlin:20260321T120000 DURATION:P1DT2H RRULE:FREQ=WEEKLY;COUNT=2")
    assert occurrences(mixed) == ["03-21 11:00-13:00", "03-28 11:00-12:00"]


def test_an_added_period_ends_when_it_says() -> None:
    series = read(
        "DTSTART:20260301T120000Z DURATION:PT1H RRULE:FREQ=DAILY;COUNT=2"
        " RDATE;VALUE=PERIOD:20260310T120000Z/20260310T180000Z,20260311T120000Z/PT30M"
        " RDATE;VALUE=PERIOD;TZID=Europe/Berlin:20260328T120000/P1D RDATE:20260312T120000Z"
    )
    assert occurrences(series) == [
        "03-01 12:00-13:00",
        "03-02 12:00-13:00",
        "03-10 12:00-18:00",
        "03-11 12:00-12:30",
        "03-12 12:00-13:00",
        "03-28 11:00-10:00",
    ]


def test_a_period_for_an_instance_of_the_rule_gives_it_its_end() -> None:
    series = read(
        "DTSTART:20260301T120000Z DURATION:PT1H RRULE:FREQ=DAILY;COUNT=2 RDATE;VALUE=PERIOD:20260302T120000Z/PT3H"
    )
    assert occurrences(series) == ["03-01 12:00-13:00", "03-02 12:00-15:00"]


def test_a_long_period_is_found_by_whoever_asks_for_its_end() -> None:
    series = read("DTSTART:20260301T120000Z DURATION:PT1H RDATE;VALUE=PERIOD:20260310T120000Z/20260320T120000Z")
    assert occurrences(series, "2026-03-19", "2026-03-20") == ["03-10 12:00-12:00"]


def test_instances_without_length_are_told_and_overlap_nothing() -> None:
    moments = read("DTSTART:20260301T120000Z RRULE:FREQ=DAILY;COUNT=3")
    assert occurrences(moments) == ["03-01 12:00-12:00", "03-02 12:00-12:00", "03-03 12:00-12:00"]
    assert occurrences(moments, "2026-03-02", "2026-03-03") == ["03-02 12:00-12:00"]


def test_a_rule_of_what_is_left_out_leaves_it_out() -> None:
    lessons = read(
        "DTSTART;TZID=Europe/Berlin:20260302T080000 DURATION:PT45M RRULE:FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=15"
        " EXRULE:FREQ=WEEKLY;BYDAY=WE EXRULE:FREQ=MONTHLY;BYMONTHDAY=13"
    )
    days = [one[:5] for one in occurrences(lessons)]
    # Wednesdays are 4, 11 and 18 March; the 13th is a Friday.
    assert days == [f"03-{day:02d}" for day in (2, 3, 5, 6, 9, 10, 12, 16, 17, 19, 20)]


def test_it_may_leave_out_the_start_and_days_too() -> None:
    days = read("DTSTART;VALUE=DATE:20260301 RRULE:FREQ=DAILY;COUNT=4 EXRULE:FREQ=DAILY;INTERVAL=2")
    assert [one[:5] for one in occurrences(days, zone="UTC")] == ["03-02", "03-04"]


SERIES = "DTSTART;TZID=Europe/Berlin:20260302T090000 DURATION:PT1H RRULE:FREQ=WEEKLY;COUNT=6"


def test_what_changes_from_an_instance_on_changes_all_later_ones() -> None:
    later = (
        "RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=Europe/Berlin:20260316T090000"
        " DTSTART;TZID=Europe/Berlin:20260317T140000 DURATION:PT2H"
    )
    assert occurrences(read(SERIES, later)) == [
        "03-02 08:00-09:00",
        "03-09 08:00-09:00",
        "03-17 13:00-15:00",
        "03-24 13:00-15:00",
        "03-31 12:00-14:00",
        "04-07 12:00-14:00",
    ]


def test_changes_follow_each_other_and_single_ones_stand_above_them() -> None:
    first = (
        "RECURRENCE-ID;RANGE=THISANDFUTURE:20260309T080000Z DTSTART;TZID=Europe/Berlin:20260309T100000 DURATION:PT1H"
    )
    second = (
        "RECURRENCE-ID;RANGE=THISANDFUTURE:20260330T070000Z DTSTART;TZID=Europe/Berlin:20260330T080000 DURATION:PT3H"
    )
    single = "RECURRENCE-ID:20260316T080000Z DTSTART:20260316T160000Z DURATION:PT1H"
    assert occurrences(read(SERIES, first, second, single)) == [
        "03-02 08:00-09:00",
        "03-09 09:00-10:00",
        "03-16 16:00-17:00",
        "03-23 09:00-10:00",
        "03-30 06:00-09:00",
        "04-06 06:00-09:00",
    ]


def test_what_is_cancelled_from_an_instance_on_does_not_happen() -> None:
    gone = "RECURRENCE-ID;RANGE=THISANDFUTURE:20260316T080000Z DTSTART:20260316T080000Z STATUS:CANCELLED"
    assert occurrences(read(SERIES, gone)) == ["03-02 08:00-09:00", "03-09 08:00-09:00"]


def test_a_rule_of_its_own_begins_a_series_of_its_own() -> None:
    split = (
        "RECURRENCE-ID;RANGE=THISANDFUTURE:20260316T080000Z"
        " DTSTART:20260316T100000Z DURATION:PT1H RRULE:FREQ=DAILY;COUNT=2"
    )
    assert occurrences(read(SERIES, split)) == [
        "03-02 08:00-09:00",
        "03-09 08:00-09:00",
        "03-16 10:00-11:00",
        "03-17 10:00-11:00",
    ]


def test_days_that_change_from_one_on_stay_days() -> None:
    days = "DTSTART;VALUE=DATE:20260327 RRULE:FREQ=DAILY;COUNT=4"
    later = (
        "RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20260328 DTSTART;VALUE=DATE:20260404 DTEND;VALUE=DATE:20260406"
    )
    assert occurrences(read(days, later)) == [
        "03-26 23:00-23:00",
        "04-03 22:00-22:00",
        "04-04 22:00-22:00",
        "04-05 22:00-22:00",
    ]
    single, series = split_series(read(days, later), find_zone(BERLIN))
    assert len(single) == 1
    lengths = {end - start for each in series[1:] for start, end in times(each, Interval(0, 10**13))}
    assert lengths == {2 * 86_400_000}


def test_an_instance_in_place_of_one_that_the_series_never_had_is_told() -> None:
    extra = "RECURRENCE-ID:20260304T080000Z DTSTART:20260304T080000Z DURATION:PT1H"
    assert "03-04 08:00-09:00" in occurrences(read(SERIES, extra))


def test_one_that_a_newer_series_took_away_is_not() -> None:
    old = "SEQUENCE:1 RECURRENCE-ID:20260304T080000Z DTSTART:20260304T080000Z DURATION:PT1H"
    kept = "SEQUENCE:1 RECURRENCE-ID:20260309T080000Z DTSTART:20260310T080000Z DURATION:PT1H"
    found = occurrences(read(f"SEQUENCE:2 {SERIES}", old, kept))
    assert "03-04 08:00-09:00" not in found
    assert "03-10 08:00-09:00" in found
    left_out = occurrences(read(f"SEQUENCE:2 {SERIES} EXDATE:20260309T080000Z", kept))
    assert "03-10 08:00-09:00" not in left_out


@pytest.mark.parametrize("count", [10_000])
def test_a_long_chain_of_changes_is_told_in_a_moment(count: int) -> None:
    first = datetime(2026, 3, 2, 8, tzinfo=UTC)
    slots = [first + timedelta(days=day) for day in range(count)]
    chain = [
        f"RECURRENCE-ID;RANGE=THISANDFUTURE:{slot:%Y%m%dT%H%M%SZ} DTSTART:{slot:%Y%m%dT%H%M%SZ} DURATION:PT2H"
        for slot in slots[: count // 10]
    ]
    lines = [
        line
        for one in ("DTSTART:20260302T080000Z RRULE:FREQ=DAILY", *chain)
        for line in ("BEGIN:VEVENT", "UID:a", *one.split(), "END:VEVENT")
    ]
    events = list(read_events("\r\n".join(["BEGIN:VCALENDAR", *lines, "END:VCALENDAR"]).encode(), UTC_ZONE).events)
    told, seconds = measure_cpu_seconds(lambda: occurrences(events, "2028-01-01", "2028-02-01", "UTC"))
    assert len(told) >= 31
    assert seconds < 2


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["DAILY", "WEEKLY", "MONTHLY"]),
    st.integers(1, 4),
    st.integers(1, 30),
    st.sampled_from(["FREQ=WEEKLY;BYDAY=MO,WE", "FREQ=DAILY;INTERVAL=3", "FREQ=MONTHLY;BYMONTHDAY=1,2,3,15"]),
    st.datetimes(datetime(2026, 1, 1), datetime(2026, 3, 1)),
)
def test_rules_less_rules_are_what_another_implementation_says(
    freq: str, interval: int, count: int, left_out: str, start: datetime
) -> None:
    start = start.replace(microsecond=0)
    rule = f"FREQ={freq};INTERVAL={interval};COUNT={count}"
    event = read(f"DTSTART:{start:%Y%m%dT%H%M%SZ} DURATION:PT1H RRULE:{rule} EXRULE:{left_out}")[0]
    stamp = f"{start:%Y%m%dT%H%M%S}"
    other = rrulestr(f"DTSTART:{stamp}\nRRULE:{rule}\nEXRULE:{left_out}", dtstart=start)
    window = Interval(milliseconds(start.replace(tzinfo=UTC)), milliseconds(datetime(2045, 1, 1, tzinfo=UTC)))
    _, (series,) = split_series([event], UTC_ZONE)
    expected = [one.replace(tzinfo=UTC) for one in other]
    assert [instant_at(at) for at, _ in times(series, window)] == expected
