"""Times of day, alone and beside a day, asked on Thursday 15 April 2027 at 14:25 in Karachi."""

from datetime import UTC, datetime

import pytest

from almanac.families.time.core.zones import find_zone
from almanac.families.time.expressions import Interpretation, understand
from almanac.kernel.errors import InvalidInput

ASKED = datetime(2027, 4, 15, 9, 25, 10, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def read(expression: str) -> Interpretation:
    return understand(expression, ASKED, find_zone("Asia/Karachi"))


@pytest.mark.parametrize(
    ("expression", "time"),
    [
        ("4pm", "16:00"),
        ("4 PM", "16:00"),
        ("4 p.m.", "16:00"),
        ("4P.M.", "16:00"),
        ("4 p m", "16:00"),
        ("4p", "16:00"),
        ("4:05pm", "16:05"),
        ("4.05 pm", "16:05"),
        ("405pm", "16:05"),
        ("at 4:05:06 pm", "16:05:06"),
        ("16:05", "16:05"),
        ("16:05 hours", "16:05"),
        ("@ 16:05:06.5", "16:05:06.500000"),
        ("at 16", "16:00"),
        ("1605 hours", "16:05"),
        ("4 o'clock pm", "16:00"),
        ("four pm", "16:00"),
        ("four fifteen pm", "16:15"),
        ("half past four pm", "16:30"),
        ("quarter past 4pm", "16:15"),
        ("a quarter to 5 pm", "16:45"),
        ("10 to 5pm", "16:50"),
        ("twenty past four pm", "16:20"),
        ("5 minutes to 5pm", "16:55"),
        ("quarter to noon", "11:45"),
        ("12am", "00:00"),
        ("12pm", "12:00"),
        ("12 noon", "12:00"),
        ("12:00 midnight", "00:00"),
        ("4 in the afternoon", "16:00"),
        ("4:05 in the afternoon", "16:05"),
        ("four thirty in the afternoon", "16:30"),
        ("6 in the morning", "06:00"),
        ("11 at night", "23:00"),
        ("8 in the evening", "20:00"),
        ("morning", "09:00"),
        ("in the morning", "09:00"),
        ("start of business", "09:00"),
        ("noon", "12:00"),
        ("midday", "12:00"),
        ("lunch", "12:00"),
        ("afternoon", "13:00"),
        ("this afternoon", "13:00"),
        ("eob", "17:00"),
        ("COB", "17:00"),
        ("close of business", "17:00"),
        ("end of business day", "17:00"),
        ("evening", "18:00"),
        ("night", "21:00"),
        ("tonight", "21:00"),
        ("midnight", "00:00"),
        ("end of day", "23:59:59"),
        ("end of the day", "23:59:59"),
        ("eod", "23:59:59"),
        ("8 tonight", "20:00"),
        ("tonight at 6:30", "18:30"),
        ("this morning at 7", "07:00"),
    ],
)
def test_a_time_without_a_day_is_todays(expression: str, time: str) -> None:
    assert read(expression).local == datetime.fromisoformat(f"2027-04-15T{time}")


def test_a_time_of_today_that_is_past_stays_today_and_says_so() -> None:
    assert "although that is past" in read("2pm").note
    assert read("3pm").note == ""


@pytest.mark.parametrize(
    ("expression", "moment"),
    [
        ("tomorrow at 10am", "2027-04-16T10:00"),
        ("tomorrow 10am", "2027-04-16T10:00"),
        ("10am tomorrow", "2027-04-16T10:00"),
        ("at 10 am, tomorrow", "2027-04-16T10:00"),
        ("tomorrow morning", "2027-04-16T09:00"),
        ("tomorrow morning at 10", "2027-04-16T10:00"),
        ("10 tomorrow morning", "2027-04-16T10:00"),
        ("tomorrow at noon", "2027-04-16T12:00"),
        ("noon tomorrow", "2027-04-16T12:00"),
        ("afternoon yesterday", "2027-04-14T13:00"),
        ("eod tomorrow", "2027-04-16T23:59:59"),
        ("end of business friday", "2027-04-16T17:00"),
        ("9am on Saturday", "2027-04-17T09:00"),
        ("next Friday at noon", "2027-04-16T12:00"),
        ("next tuesday evening", "2027-04-20T18:00"),
        ("monday at 8 in the evening", "2027-04-19T20:00"),
        ("tuesday next week at 8:15", "2027-04-20T08:15"),
        ("3pm on the last day of the month", "2027-04-30T15:00"),
        ("day after tomorrow 5pm", "2027-04-17T17:00"),
        ("last night", "2027-04-14T21:00"),
        ("last night at 11", "2027-04-14T23:00"),
        ("tomorrow night at 10:30", "2027-04-16T22:30"),
        ("tomorrow at midnight", "2027-04-16T00:00"),
        ("two o'clock tomorrow afternoon", "2027-04-16T14:00"),
        ("this time tomorrow", "2027-04-16T14:25:10"),
        ("same time next monday", "2027-04-19T14:25:10"),
    ],
)
def test_a_day_and_a_time_stand_in_either_order(expression: str, moment: str) -> None:
    assert read(expression).local == datetime.fromisoformat(moment)


def test_tonight_after_midnight_is_the_coming_night() -> None:
    assert read("tonight at 1am").local == at("2027-04-16T01:00")
    assert read("midnight tonight").local == at("2027-04-16T00:00")


@pytest.mark.parametrize(
    "expression", ["at 5", "tomorrow at 5", "1 at night", "tonight at 12", "saturday night at 1am"]
)
def test_an_hour_with_two_readings_is_refused_with_the_way_out(expression: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read(expression)
    assert (refused.value.code, "am" in refused.value.hint) == ("AMBIGUOUS_EXPRESSION", True)


def test_a_clock_time_without_am_or_pm_is_read_on_24_hours_and_says_so() -> None:
    assert read("tomorrow 5:30").local == at("2027-04-16T05:30")
    assert "24-hour clock" in read("tomorrow 5:30").note
    assert "24-hour clock" in read("half past eight").note
    assert read("17:30").note == ""


@pytest.mark.parametrize(
    "expression",
    ["25:10", "10:60", "28:30pm", "13pm", "0am", "12:61pm", "2:70 am", "5pm in the morning", "noon at 3pm", "7:65:10"],
)
def test_a_time_no_clock_shows_is_refused(expression: str) -> None:
    with pytest.raises(InvalidInput):
        read(expression)
