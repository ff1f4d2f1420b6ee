"""Test series, exceptions and the instances that replace others."""

from datetime import date, datetime, timedelta
from typing import Any

import pytest
from msgspec.structs import replace

from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import AllDay, Event, ZonedTime, convert_to_zone, instant_of
from almanac.families.calendar.model.instances import instances, interval_of, split_series
from almanac.families.time.core.zones import UTC_ZONE, find_zone
from almanac.kernel.instants import instant_at, milliseconds

BERLIN = "Europe/Berlin"


def wall(text: str, zone: str = BERLIN) -> ZonedTime:
    return ZonedTime(datetime.fromisoformat(text), zone)


def event(start: str, end: str, **more: Any) -> Event:
    return replace(Event(id="e", uid="u", start=wall(start), end=wall(end)), **more)


def instances_between(events: list[Event], first: str, last: str, zone: str = BERLIN) -> list[str]:
    """Return the instances from the first to the last instant (UTC), as UTC text."""
    window = Interval(*(milliseconds(datetime.fromisoformat(text + "+00:00")) for text in (first, last)))
    single, series = split_series(events, find_zone(zone))
    times = [(*interval_of(one, find_zone(zone)), one.status) for one in single]
    times += [(one.start, one.end, "") for repetition in series for one in instances(repetition, window)]
    return sorted(
        f"{instant_at(start):%m-%d %H:%M}-{instant_at(end):%H:%M}"
        for start, end, status in times
        if status != "cancelled" and max(start, window.start) < min(end, window.end)
    )


@pytest.mark.parametrize(
    ("series", "window", "expected"),
    [
        pytest.param(
            event("2026-03-23T09:00", "2026-03-23T10:00", rrule="FREQ=WEEKLY"),
            ("2026-03-20T00:00", "2026-04-01T00:00"),
            ["03-23 08:00-09:00", "03-30 07:00-08:00"],
            id="its wall time is kept when clocks change",
        ),
        pytest.param(
            event("2026-03-27T22:00", "2026-03-28T06:00", rrule="FREQ=DAILY"),
            ("2026-03-28T12:00", "2026-03-29T12:00"),
            ["03-28 21:00-05:00"],
            id="a night with an end lasts as long on the night when clocks change",
        ),
        pytest.param(
            event("2026-03-28T02:30", "2026-03-28T02:45", rrule="FREQ=DAILY;COUNT=3"),
            ("2026-03-27T00:00", "2026-04-05T00:00"),
            ["03-28 01:30-01:45", "03-30 00:30-00:45", "03-31 00:30-00:45"],
            id="a wall time that clocks skip does not happen",
        ),
        pytest.param(
            event("2026-01-01T22:00", "2026-01-02T06:00", rrule="FREQ=DAILY"),
            ("2026-02-01T03:00", "2026-02-01T04:00"),
            ["01-31 21:00-05:00"],
            id="an instance that began before the window is in it",
        ),
        pytest.param(
            event("2026-03-02T09:00", "2026-03-02T10:00", rrule="FREQ=DAILY"),
            ("2026-03-05T09:00", "2026-03-06T08:00"),
            [],
            id="an instance that ends when the window starts is not in it",
        ),
        pytest.param(
            event("2026-03-16T09:00", "2026-03-16T10:00", rrule="FREQ=WEEKLY;BYDAY=FR"),
            ("2026-03-15T00:00", "2026-03-21T00:00"),
            ["03-16 08:00-09:00", "03-20 08:00-09:00"],
            id="its start is an instance though its rule does not name it",
        ),
        pytest.param(
            event("2026-03-16T09:00", "2026-03-16T10:00", rrule="FREQ=DAILY", status="cancelled"),
            ("2026-03-15T00:00", "2026-03-30T00:00"),
            [],
            id="a cancelled one does not happen",
        ),
        pytest.param(
            event("2026-03-17T15:00", "2026-03-17T15:30", recurrence_id=wall("2026-03-17T09:00")),
            ("2026-03-15T00:00", "2026-03-30T00:00"),
            ["03-17 14:00-14:30"],
            id="an exception without its series stands for itself",
        ),
    ],
)
def test_what_happens_of_a_series_within_a_window(series: Event, window: tuple[str, str], expected: list[str]):
    assert instances_between([series], *window) == expected


@pytest.mark.parametrize(
    "out", [wall("2026-03-17T09:00"), wall("2026-03-17T08:00", "UTC"), AllDay(date(2026, 3, 17))], ids=str
)
def test_an_excluded_instance_is_left_out_however_it_is_written(out: ZonedTime | AllDay):
    daily = event("2026-03-16T09:00", "2026-03-16T10:00", rrule="FREQ=DAILY;COUNT=3", exdates=(out,))

    assert instances_between([daily], "2026-03-15T00:00", "2026-03-30T00:00") == [
        "03-16 08:00-09:00",
        "03-18 08:00-09:00",
    ]


def test_added_dates_need_no_rule():
    dates = (wall("2026-03-20T15:00"), wall("2026-03-16T09:00"))
    listed = event("2026-03-16T09:00", "2026-03-16T10:00", rdates=dates)

    assert instances_between([listed], "2026-03-15T00:00", "2026-03-30T00:00") == [
        "03-16 08:00-09:00",
        "03-20 14:00-15:00",
    ]


def test_an_exception_stands_in_place_of_its_instance():
    daily = event("2026-03-16T09:00", "2026-03-16T10:00", rrule="FREQ=DAILY;COUNT=3")
    moved = event("2026-03-17T15:00", "2026-03-17T15:30", id="x", recurrence_id=wall("2026-03-17T09:00"))

    assert instances_between([daily, moved], "2026-03-15T00:00", "2026-03-30T00:00") == [
        "03-16 08:00-09:00",
        "03-17 14:00-14:30",
        "03-18 08:00-09:00",
    ]


def test_an_exception_names_its_instance_in_any_zone():
    daily = event("2026-03-16T09:00", "2026-03-16T10:00", rrule="FREQ=DAILY;COUNT=2")
    place = wall("2026-03-17T08:00", "UTC")
    gone = event("2026-03-17T09:00", "2026-03-17T10:00", id="x", recurrence_id=place, status="cancelled")

    assert instances_between([daily, gone], "2026-03-15T00:00", "2026-03-30T00:00") == ["03-16 08:00-09:00"]


def test_of_two_exceptions_for_one_instance_the_later_sequence_counts():
    daily = event("2026-03-16T09:00", "2026-03-16T10:00", rrule="FREQ=DAILY;COUNT=1")
    place = wall("2026-03-16T09:00")
    new = event("2026-03-16T12:00", "2026-03-16T13:00", id="n", recurrence_id=place, sequence=3)
    old = event("2026-03-16T11:00", "2026-03-16T12:00", id="o", recurrence_id=place, sequence=2)

    assert instances_between([daily, new, old], "2026-03-15T00:00", "2026-03-30T00:00") == ["03-16 11:00-12:00"]


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        (BERLIN, ["03-27 23:00-23:00", "03-28 23:00-22:00", "03-29 22:00-22:00"]),
        ("America/New_York", ["03-28 04:00-04:00", "03-29 04:00-04:00", "03-30 04:00-04:00"]),
    ],
)
def test_a_day_is_the_day_of_the_calendars_zone_however_long_it_is(zone: str, expected: list[str]):
    days = Event(
        id="d",
        uid="d",
        start=AllDay(date(2026, 3, 28)),
        end=AllDay(date(2026, 3, 29)),
        rrule="FREQ=DAILY;UNTIL=20260330",
    )

    assert instances_between([days], "2026-03-20T00:00", "2026-04-10T00:00", zone) == expected


def test_a_day_whose_midnight_does_not_exist_begins_with_its_first_moment():
    begins = instant_of(AllDay(date(2024, 4, 26)), find_zone("Africa/Cairo"))

    assert begins.isoformat() == "2024-04-25T22:00:00+00:00"


def test_a_day_of_a_series_is_left_out_by_date():
    days = Event(
        id="d",
        uid="d",
        start=AllDay(date(2026, 3, 2)),
        end=AllDay(date(2026, 3, 4)),
        rrule="FREQ=WEEKLY;COUNT=3",
        exdates=(AllDay(date(2026, 3, 9)),),
    )

    assert instances_between([days], "2026-03-01T00:00", "2026-04-10T00:00") == [
        "03-01 23:00-23:00",
        "03-15 23:00-23:00",
    ]


def test_the_second_of_two_equal_wall_times_is_kept():
    second = datetime.fromisoformat("2026-10-25T01:30:00+00:00")

    assert convert_to_zone(second, find_zone(BERLIN)).instant == second
    assert convert_to_zone(second - timedelta(hours=1), find_zone(BERLIN)).instant == second - timedelta(hours=1)


def test_a_series_too_dense_to_be_written_out_takes_all_of_its_time():
    dense = event("2026-03-02T10:00:00", "2026-03-02T10:00:01", rrule="FREQ=SECONDLY")
    begin, end = (milliseconds(wall(text).instant) for text in ("2026-03-01T00:00:00", "2026-03-31T00:00:00"))
    _, (series,) = split_series([dense], find_zone(BERLIN))
    starts = milliseconds(instant_of(dense.start, find_zone(BERLIN)))
    assert [one[:2] for one in instances(series, Interval(begin, end))] == [(starts, end)]
    assert list(instances(series, Interval(begin - 1000, begin))) == []


def test_a_window_of_ten_years_holds_every_hour_of_them_once():
    hourly = event("2020-01-01T00:00", "2020-01-01T00:30", rrule="FREQ=HOURLY")
    first = milliseconds(datetime.fromisoformat("2021-01-01T00:00:00+00:00"))
    _, series = split_series([hourly], UTC_ZONE)

    starts = [one.start for one in instances(series[0], Interval(first, first + 3650 * 86_400_000))]

    assert starts == [first + number * 3_600_000 for number in range(3650 * 24)]


def test_an_instance_longer_than_the_pieces_of_a_window_comes_once():
    long = event("2020-01-01T00:00", "2021-06-01T00:00", rrule="FREQ=YEARLY;INTERVAL=3;COUNT=2")
    first = milliseconds(datetime.fromisoformat("2020-06-01T00:00:00+00:00"))
    _, series = split_series([long], find_zone(BERLIN))

    assert len(list(instances(series[0], Interval(first, first + 3650 * 86_400_000)))) == 2
