"""Absolute dates as people write them, asked on Thursday 15 April 2027 in Toronto."""

from datetime import UTC, datetime

import pytest

from almanac.families.time.core.zones import find_zone
from almanac.families.time.expressions import Interpretation, understand
from almanac.kernel.errors import InvalidInput

ASKED = datetime(2027, 4, 15, 14, 0, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def read(expression: str) -> Interpretation:
    return understand(expression, ASKED, find_zone("America/Toronto"))


@pytest.mark.parametrize(
    "expression",
    [
        "9 November 2028",
        "9th November 2028",
        "09 nov 2028",
        "the 9th of November, 2028",
        "ninth of november 2028",
        "November 9, 2028",
        "November 9th 2028",
        "nov. 9 2028",
        "NOV 09, 2028",
        "November the ninth, 2028",
        "november nine twenty twenty eight",
        "9-Nov-2028",
        "9-nov-28",
        "Nov-9-2028",
        "9/Nov/2028",
        "9 nov '28",
        "2028 November 9",
        "2028-Nov-09",
        "Thursday, 9 November 2028",
        "Thu 9 Nov 2028",
        "on Thursday the 9th of November 2028",
        "9 November 2028, Thursday",
        "2028-11-09",
        "2028-11-9",
        "2028/11/09",
        "2028.11.9",
        "20281109",
        "9.11.2028",
        "09.11.2028",
        "11/9/2028",
        "11-09-2028",
        "11/09/28",
        "2028-314",
        "2028-W45-4",
        "2028w454",
    ],
)
def test_one_date_in_many_spellings(expression: str) -> None:
    understood = read(expression)
    assert (understood.local, understood.instant, understood.grain) == (at("2028-11-09T00:00"), None, "day")


@pytest.mark.parametrize(
    ("expression", "day"),
    [
        ("25/12/2027", "2027-12-25"),
        ("12/25/2027", "2027-12-25"),
        ("25-12-2027", "2027-12-25"),
        ("12.25.2027", "2027-12-25"),
        ("2027/25/12", "2027-12-25"),
        ("3/4/2028", "2028-03-04"),
        ("3.4.2028", "2028-04-03"),
    ],
)
def test_the_order_of_figures_follows_the_sign_unless_only_the_other_is_a_date(expression: str, day: str) -> None:
    assert read(expression).local.date().isoformat() == day


def test_an_order_that_could_be_another_is_told() -> None:
    assert "month first" in read("3/4/2028").note
    assert "day first" in read("3.4.2028").note
    assert read("4/4/2028").note == ""
    assert read("25/12/2027").note == ""


@pytest.mark.parametrize(
    ("expression", "day"),
    [
        ("15 April", "2027-04-15"),
        ("april 14", "2028-04-14"),
        ("Dec 1st", "2027-12-01"),
        ("1/31", "2028-01-31"),
        ("29 feb", "2028-02-29"),
        ("the 20th", "2027-04-20"),
        ("on the 3rd", "2027-05-03"),
        ("the 31st", "2027-05-31"),
    ],
)
def test_a_date_that_is_not_whole_is_the_next_such_day_and_says_so(expression: str, day: str) -> None:
    understood = read(expression)
    assert understood.local.date().isoformat() == day
    assert "read as the next such day" in understood.note


@pytest.mark.parametrize(
    ("expression", "day"),
    [("Tuesday, April 13", "2027-04-13"), ("sat 15 april", "2028-04-15"), ("monday 1 march", "2027-03-01")],
)
def test_a_weekday_chooses_the_year_of_a_date_without_one(expression: str, day: str) -> None:
    assert read(expression).local.date().isoformat() == day


@pytest.mark.parametrize("expression", ["Monday, 9 November 2028", "sunday 2027-04-15", "friday today", "Fri 15 April"])
def test_a_weekday_that_contradicts_its_date_is_refused(expression: str) -> None:
    with pytest.raises(InvalidInput, match="not a ") as refused:
        read(expression)
    assert refused.value.code == "IMPOSSIBLE_TIME"


@pytest.mark.parametrize(
    "expression",
    ["30 February", "2027-02-29", "2/29/2027", "31 June 2027", "2027-13-01", "32 may", "0 march", "April 31st at 5pm"],
)
def test_a_date_no_calendar_has_is_refused(expression: str) -> None:
    with pytest.raises(InvalidInput):
        read(expression)


@pytest.mark.parametrize(
    ("expression", "moment"),
    [
        ("March 5th, 2029 at 3pm", "2029-03-05T15:00"),
        ("5 March 2029 15:04", "2029-03-05T15:04"),
        ("3pm on March 5th 2029", "2029-03-05T15:00"),
        ("3:04 p.m., March 5, 2029", "2029-03-05T15:04"),
        ("15:04 Monday, 5 March 2029", "2029-03-05T15:04"),
        ("03/05/2029 03:04 PM", "2029-03-05T15:04"),
        ("5.3.2029 15:04", "2029-03-05T15:04"),
        ("2029-03-05 3pm", "2029-03-05T15:00"),
        ("Mon Mar 05 15:04:00 2029", "2029-03-05T15:04"),
        ("March 5 2029 at noon", "2029-03-05T12:00"),
        ("morning of the 5th of march 2029", "2029-03-05T09:00"),
        ("5 mar 2029 0704", "2029-03-05T07:04"),
        ("Mon 5 March 2029, 3.04 pm.", "2029-03-05T15:04"),
    ],
)
def test_a_date_takes_a_time_on_either_side(expression: str, moment: str) -> None:
    assert read(expression).local == datetime.fromisoformat(moment)


def test_two_figures_of_a_year_are_read_within_fifty_years() -> None:
    assert read("1/2/70").local.year == 2070
    assert read("1/2/90").local.year == 1990
    assert "1990" in read("1/2/90").note
