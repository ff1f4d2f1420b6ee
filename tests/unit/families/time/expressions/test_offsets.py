"""Lengths of time from now and from other moments, in a zone whose clocks change."""

from datetime import UTC, datetime, timedelta

import pytest

from almanac.families.time.core.zones import find_zone
from almanac.families.time.expressions import Interpretation, understand
from almanac.kernel.errors import InvalidInput

# Wednesday 31 March 2027, 09:15:40 in Chicago (UTC-5).
ASKED = datetime(2027, 3, 31, 14, 15, 40, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def read(expression: str, asked: datetime = ASKED) -> Interpretation:
    return understand(expression, asked, find_zone("America/Chicago"))


@pytest.mark.parametrize(
    ("expression", "seconds"),
    [
        ("now", 0),
        ("right now", 0),
        ("+2h", 7200),
        ("-30m", -1800),
        ("- 90 s", -90),
        ("+1h30m", 5400),
        ("in 2 hours", 7200),
        ("In an hour", 3600),
        ("in 1.5 hours", 5400),
        ("in half an hour", 1800),
        ("in a quarter of an hour", 900),
        ("in three-quarters of an hour", 2700),
        ("in two and a half hours", 9000),
        ("in an hour and a half", 5400),
        ("in a couple of minutes", 120),
        ("in a few secs", 3),
        ("in 5 more minutes", 300),
        ("in twenty-five mins", 1500),
        ("in one hundred and five minutes", 6300),
        ("within 45 minutes", 2700),
        ("10 minutes ago", -600),
        ("a minute ago", -60),
        ("five hours earlier", -18000),
        ("3 hrs before", -10800),
        ("2 hours from now", 7200),
        ("20 minutes hence", 1200),
        ("20 min later", 1200),
        ("1 hour and 10 minutes from right now", 4200),
        ("1 hour, 10 minutes after now", 4200),
        ("5 minutes before now", -300),
        ("now + 2 hours", 7200),
        ("now minus 15min", -900),
        ("2 hours", 7200),
    ],
)
def test_hours_and_shorter_are_elapsed_time(expression: str, seconds: int) -> None:
    understood = read(expression)
    assert understood.instant == ASKED + timedelta(seconds=seconds)
    assert understood.grain == "second"


@pytest.mark.parametrize(
    ("expression", "day", "grain"),
    [
        ("+1d", "2027-04-01", "day"),
        ("-2w3d", "2027-03-14", "day"),
        ("in 3 days", "2027-04-03", "day"),
        ("three days ago", "2027-03-28", "day"),
        ("1 day hence", "2027-04-01", "day"),
        ("a week ago", "2027-03-24", "week"),
        ("week ago", "2027-03-24", "week"),
        ("1,200 days ago", "2023-12-17", "day"),
        ("one thousand two hundred days ago", "2023-12-17", "day"),
        ("within two weeks", "2027-04-14", "week"),
        ("in a fortnight", "2027-04-14", "week"),
        ("in 2 weeks' time", "2027-04-14", "week"),
        ("in 1 month", "2027-04-30", "month"),
        ("a month ago", "2027-02-28", "month"),
        ("2 months from now", "2027-05-31", "month"),
        ("in 2 quarters", "2027-09-30", "month"),
        ("11 months ago", "2026-04-30", "month"),
        ("in a year", "2028-03-31", "year"),
        ("a year and a half ago", "2025-09-30", "year"),
        ("a decade ago", "2017-03-31", "year"),
        ("1 year 2 months and 3 days from now", "2028-06-03", "day"),
        ("+1y2mo", "2028-05-31", "month"),
        ("in 2 business days", "2027-04-02", "day"),
        ("3 working days from now", "2027-04-05", "day"),
        ("5 business days ago", "2027-03-24", "day"),
    ],
)
def test_days_and_longer_keep_the_time_on_the_wall(expression: str, day: str, grain: str) -> None:
    understood = read(expression)
    assert understood.local == datetime.fromisoformat(f"{day}T09:15:40")
    assert (understood.instant, understood.grain) == (None, grain)


def test_a_day_across_a_clock_change_is_not_24_hours() -> None:
    eve = datetime(2027, 3, 13, 17, 0, tzinfo=UTC)  # 11:00 in Chicago; the next day has 23 hours
    assert read("in 1 day", eve).local == at("2027-03-14T11:00")
    assert read("in 24 hours", eve).local == at("2027-03-14T12:00")


def test_a_mixed_length_does_its_calendar_part_first() -> None:
    eve = datetime(2027, 3, 13, 7, 30, tzinfo=UTC)  # 01:30; a day on, 01:30 is half an hour before the gap
    assert read("+1d1h", eve).instant == datetime(2027, 3, 14, 8, 30, tzinfo=UTC)


def test_a_calendar_part_that_lands_in_a_gap_goes_on_from_its_end() -> None:
    eve = datetime(2027, 3, 13, 8, 30, tzinfo=UTC)  # 02:30, which the next day has not
    assert read("in 1 day and 1 hour", eve).local == at("2027-03-14T04:00")


@pytest.mark.parametrize(
    ("expression", "moment"),
    [
        ("2 weeks from Friday", "2027-04-16T00:00"),
        ("3 days before yesterday", "2027-03-27T00:00"),
        ("4 months from tomorrow", "2027-08-01T00:00"),
        ("two days after next monday", "2027-04-07T00:00"),
        ("a week from today at 3pm", "2027-04-07T15:00"),
        ("a week ago yesterday", "2027-03-23T00:00"),
        ("2 business days before april 6th", "2027-04-02T00:00"),
        ("90 minutes before noon", "2027-03-31T10:30"),
        ("half an hour after 3pm tomorrow", "2027-04-01T15:30"),
        ("tomorrow + 2 days", "2027-04-03T00:00"),
        ("friday at noon - 30 minutes", "2027-04-02T11:30"),
        ("today plus 1 week", "2027-04-07T00:00"),
        ("10 days before the end of the month", "2027-03-21T23:59:59"),
    ],
)
def test_a_length_of_time_from_another_moment(expression: str, moment: str) -> None:
    assert read(expression).local == datetime.fromisoformat(moment)


@pytest.mark.parametrize(
    ("expression", "moment"),
    [
        ("in 3 days at 5pm", "2027-04-03T17:00"),
        ("2 days ago at noon", "2027-03-29T12:00"),
        ("a week from now at 8:30", "2027-04-07T08:30"),
        ("in 2 months in the morning", "2027-05-31T09:00"),
    ],
)
def test_whole_days_from_now_take_a_time_of_day(expression: str, moment: str) -> None:
    assert read(expression).local == datetime.fromisoformat(moment)


@pytest.mark.parametrize(
    "expression", ["in 2 hours at 5pm", "in 3 days tomorrow", "5 minutes from", "2 days 3 days", "+ "]
)
def test_lengths_that_do_not_fit_are_refused(expression: str) -> None:
    with pytest.raises(InvalidInput):
        read(expression)


def test_time_before_a_bare_midnight_is_ambiguous() -> None:
    with pytest.raises(InvalidInput) as refused:
        read("2 hours before midnight")
    assert refused.value.code == "AMBIGUOUS_EXPRESSION"


def test_a_capital_m_is_told_to_be_minutes() -> None:
    assert read("+5M").instant == ASKED + timedelta(minutes=5)
    assert "months" in read("+5M").note
    assert read("+5m").note == ""


def test_business_days_start_from_the_neighbouring_working_day_at_a_weekend() -> None:
    saturday = datetime(2027, 4, 3, 15, 0, tzinfo=UTC)
    assert read("in 1 business day", saturday).local.date().isoformat() == "2027-04-05"
    assert read("1 business day ago", saturday).local.date().isoformat() == "2027-04-02"
