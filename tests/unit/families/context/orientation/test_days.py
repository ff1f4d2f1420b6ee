"""Test the bounds of days and weeks, for days of any length."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from almanac.families.context.orientation.anchor import anchor, conversion
from almanac.families.context.orientation.days import end_of, monday_of, start_of
from almanac.families.time.core.zones import find_zone
from almanac.kernel.instants import instant_at, milliseconds

HOUR = 3_600_000


def at(text: str) -> int:
    return milliseconds(datetime.fromisoformat(text))


@pytest.mark.parametrize(
    ("zone", "day", "starts", "ends"),
    [
        # The clocks go forward at 2 in the night: 23 hours.
        ("America/New_York", "2026-03-08", "2026-03-08T05:00:00+00:00", "2026-03-09T03:59:59.999+00:00"),
        # The clocks go back at 2 in the night: 25 hours.
        ("America/New_York", "2026-11-01", "2026-11-01T04:00:00+00:00", "2026-11-02T04:59:59.999+00:00"),
        # Midnight is skipped: the day begins at 1.
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00+00:00", "2018-11-05T01:59:59.999+00:00"),
        ("America/Sao_Paulo", "2018-11-03", "2018-11-03T03:00:00+00:00", "2018-11-04T02:59:59.999+00:00"),
        # Midnight comes twice: the day begins with the first.
        ("Atlantic/Azores", "2026-10-25", "2026-10-25T00:00:00+00:00", "2026-10-26T00:59:59.999+00:00"),
        ("Atlantic/Azores", "2026-10-24", "2026-10-24T00:00:00+00:00", "2026-10-24T23:59:59.999+00:00"),
        # The last hour comes twice, after a minute of the next day: the day ends with the second.
        ("America/St_Johns", "2010-11-06", "2010-11-06T02:30:00+00:00", "2010-11-07T03:29:59.999+00:00"),
        # The day before one that was left out, and that day: it is over before it begins.
        ("Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00+00:00", "2011-12-30T09:59:59.999+00:00"),
        ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00+00:00", "2011-12-30T09:59:59.999+00:00"),
    ],
)
def test_a_day_begins_and_ends_when_its_date_does(zone: str, day: str, starts: str, ends: str) -> None:
    found = date.fromisoformat(day)
    assert instant_at(start_of(found, find_zone(zone))) == datetime.fromisoformat(starts)
    assert instant_at(end_of(found, find_zone(zone))) == datetime.fromisoformat(ends)


def test_a_week_begins_on_monday() -> None:
    assert monday_of(date(2026, 2, 22)) == date(2026, 2, 16)
    assert monday_of(date(2026, 2, 23)) == date(2026, 2, 23)


def test_the_example_of_the_contract_is_told_as_it_is_printed() -> None:
    told = anchor(at("2026-02-25T09:15:00+00:00"), find_zone("Europe/London"))
    assert (told.epoch_ms, told.iso) == (1772010900000, "2026-02-25T09:15:00.000+00:00")
    assert (told.timezone, told.utc_offset, told.time_of_day) == ("Europe/London", "+00:00", "9:15 AM")
    assert (told.date, told.date_short) == ("Wednesday, February 25, 2026", "Feb 25")
    assert (told.day_of_week, told.is_weekend, told.week_number) == ("Wednesday", False, 9)


def test_days_around_a_change_of_the_clocks_have_their_own_length() -> None:
    told = anchor(at("2026-03-08T16:00:00.250+00:00"), find_zone("America/New_York"))
    assert told.iso == "2026-03-08T12:00:00.250-04:00"
    assert told.start_of_next_day - told.start_of_day == 23 * HOUR
    assert told.end_of_day == told.start_of_next_day - 1
    assert told.start_of_day - told.start_of_yesterday == 24 * HOUR
    assert told.start_of_next_week - told.start_of_week == 167 * HOUR
    assert told.end_of_week == told.end_of_day
    assert told.is_weekend


def test_saturday_is_of_the_weekend_and_friday_is_not() -> None:
    for day, is_weekend in (("2026-02-27", False), ("2026-02-28", True)):
        assert anchor(at(f"{day}T12:00:00+00:00"), find_zone("UTC")).is_weekend is is_weekend


def test_seconds_and_the_hours_of_noon_and_midnight_are_said_as_people_say_them() -> None:
    for clock, said in (("00:05:59", "12:05 AM"), ("12:00:30", "12:00 PM"), ("23:59:59.999", "11:59 PM")):
        assert conversion(at(f"2026-02-25T{clock}+00:00"), ZoneInfo("UTC")).time_of_day == said


def test_the_week_of_a_new_year_is_that_of_iso_8601() -> None:
    assert anchor(milliseconds(datetime(2027, 1, 1, 12, tzinfo=UTC)), find_zone("UTC")).week_number == 53
