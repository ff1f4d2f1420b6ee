"""Days, weekdays and periods named relative to today: Thursday 15 April 2027, 10:40:25 in Madrid."""

from datetime import UTC, datetime

import pytest

from almanac.families.time.core.zones import find_zone
from almanac.families.time.expressions import Interpretation, understand
from almanac.families.time.expressions.context import WeekStart
from almanac.kernel.errors import InvalidInput

ASKED = datetime(2027, 4, 15, 8, 40, 25, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def read(expression: str, asked: datetime = ASKED, week: WeekStart = "monday") -> Interpretation:
    return understand(expression, asked, find_zone("Europe/Madrid"), week)


def local(expression: str, week: WeekStart = "monday") -> str:
    return read(expression, week=week).local.isoformat(" ", "minutes")


@pytest.mark.parametrize(
    ("expression", "day"),
    [
        ("today", "2027-04-15"),
        ("Tomorrow", "2027-04-16"),
        ("YESTERDAY", "2027-04-14"),
        ("the day after tomorrow", "2027-04-17"),
        ("day before yesterday", "2027-04-13"),
        ("next day", "2027-04-16"),
        ("the previous day", "2027-04-14"),
        ("next Monday", "2027-04-19"),
        ("next thurs", "2027-04-22"),
        ("next Sat", "2027-04-17"),
        ("coming sunday", "2027-04-18"),
        ("this Monday", "2027-04-12"),
        ("this thursday", "2027-04-15"),
        ("this coming monday", "2027-04-19"),
        ("last Friday", "2027-04-09"),
        ("last thursday", "2027-04-08"),
        ("past tues", "2027-04-13"),
        ("this past Wed", "2027-04-14"),
        ("friday", "2027-04-16"),
        ("Thursday", "2027-04-22"),
        ("on mon.", "2027-04-19"),
        ("by wednesday", "2027-04-21"),
        ("friday after next", "2027-04-23"),
        ("monday before last", "2027-04-05"),
        ("three fridays from now", "2027-04-30"),
        ("2 mondays ago", "2027-04-05"),
        ("next week tuesday", "2027-04-20"),
        ("saturday last week", "2027-04-10"),
        ("sunday of next week", "2027-04-25"),
        ("this week on Friday", "2027-04-16"),
        ("the day after friday", "2027-04-17"),
        ("the day after next friday", "2027-04-17"),
        ("next business day", "2027-04-16"),
        ("last working day", "2027-04-14"),
        ("friday the 13th", "2027-08-13"),
    ],
)
def test_a_day_seen_from_today_starts_at_its_midnight(expression: str, day: str) -> None:
    assert (local(expression), read(expression).instant) == (f"{day} 00:00", None)


@pytest.mark.parametrize(
    ("expression", "start", "grain"),
    [
        ("this week", "2027-04-12", "week"),
        ("next week", "2027-04-19", "week"),
        ("the previous week", "2027-04-05", "week"),
        ("week after next", "2027-04-26", "week"),
        ("week before last", "2027-03-29", "week"),
        ("this month", "2027-04-01", "month"),
        ("next month", "2027-05-01", "month"),
        ("last month", "2027-03-01", "month"),
        ("current quarter", "2027-04-01", "quarter"),
        ("next quarter", "2027-07-01", "quarter"),
        ("last quarter", "2027-01-01", "quarter"),
        ("next year", "2028-01-01", "year"),
        ("last yr", "2026-01-01", "year"),
        ("this weekend", "2027-04-17", "day"),
        ("next weekend", "2027-04-24", "day"),
        ("last weekend", "2027-04-10", "day"),
        ("next april", "2028-04-01", "month"),
        ("this december", "2027-12-01", "month"),
        ("last april", "2026-04-01", "month"),
        ("last january", "2027-01-01", "month"),
        ("september", "2027-09-01", "month"),
        ("in february", "2028-02-01", "month"),
        ("march next year", "2028-03-01", "month"),
        ("Nov 2031", "2031-11-01", "month"),
        ("Q3 2029", "2029-07-01", "quarter"),
        ("2029 q4", "2029-10-01", "quarter"),
        ("second quarter of next year", "2028-04-01", "quarter"),
        ("in 2030", "2030-01-01", "year"),
        ("the year 2030", "2030-01-01", "year"),
    ],
)
def test_a_period_is_read_as_its_first_day(expression: str, start: str, grain: str) -> None:
    assert (local(expression), read(expression).grain) == (f"{start} 00:00", grain)


@pytest.mark.parametrize(
    ("expression", "edge"),
    [
        ("start of week", "2027-04-12T00:00:00"),
        ("beginning of the month", "2027-04-01T00:00:00"),
        ("start of next quarter", "2027-07-01T00:00:00"),
        ("end of week", "2027-04-18T23:59:59"),
        ("end of this month", "2027-04-30T23:59:59"),
        ("by the end of next month", "2027-05-31T23:59:59"),
        ("end of last quarter", "2027-03-31T23:59:59"),
        ("end of the year", "2027-12-31T23:59:59"),
        ("end of February", "2028-02-29T23:59:59"),
        ("end of 2030", "2030-12-31T23:59:59"),
        ("end of q2 2028", "2028-06-30T23:59:59"),
        ("end of tomorrow", "2027-04-16T23:59:59"),
        ("start of friday", "2027-04-16T00:00:00"),
        ("end of the weekend", "2027-04-18T23:59:59"),
        ("month end", "2027-04-30T23:59:59"),
        ("year-end", "2027-12-31T23:59:59"),
        ("eow", "2027-04-18T23:59:59"),
        ("EOM", "2027-04-30T23:59:59"),
        ("eoq", "2027-06-30T23:59:59"),
        ("eoy", "2027-12-31T23:59:59"),
        ("mid-month", "2027-04-15T00:00:00"),
        ("middle of next month", "2027-05-15T00:00:00"),
        ("mid June", "2027-06-15T00:00:00"),
        ("start of next week at 9am", "2027-04-19T09:00:00"),
        ("end of month at 5pm", "2027-04-30T17:00:00"),
    ],
)
def test_a_period_has_edges(expression: str, edge: str) -> None:
    assert read(expression).local.isoformat() == edge


@pytest.mark.parametrize(
    ("expression", "monday", "sunday"),
    [
        ("this week", "2027-04-12", "2027-04-11"),
        ("next week", "2027-04-19", "2027-04-18"),
        ("start of last week", "2027-04-05", "2027-04-04"),
        ("sunday next week", "2027-04-25", "2027-04-18"),
        ("this sunday", "2027-04-18", "2027-04-18"),
        ("next sunday", "2027-04-18", "2027-04-18"),
    ],
)
def test_the_week_start_moves_week_periods_and_no_weekday(expression: str, monday: str, sunday: str) -> None:
    assert local(expression) == f"{monday} 00:00"
    assert local(expression, week="sunday") == f"{sunday} 00:00"


@pytest.mark.parametrize(
    ("expression", "day"),
    [
        ("first Monday of May", "2027-05-03"),
        ("first Monday of January", "2028-01-03"),
        ("the 2nd tuesday in next month", "2027-05-11"),
        ("third Friday of March 2029", "2029-03-16"),
        ("last Sunday of October", "2027-10-31"),
        ("last friday of the month", "2027-04-30"),
        ("fifth Saturday of May", "2027-05-29"),
        ("first monday of 2028", "2028-01-03"),
        ("last day of February 2028", "2028-02-29"),
        ("last day of the year", "2027-12-31"),
        ("100th day of 2028", "2028-04-09"),
        ("20th of next month", "2027-05-20"),
        ("20 of next month", "2027-05-20"),
        ("the twenty-second of last month", "2027-03-22"),
        ("first of the month", "2027-04-01"),
        ("first business day of May", "2027-05-03"),
        ("last business day of July 2027", "2027-07-30"),
        ("third working day of next quarter", "2027-07-05"),
    ],
)
def test_an_ordinal_picks_a_day_of_a_period(expression: str, day: str) -> None:
    assert local(expression) == f"{day} 00:00"


@pytest.mark.parametrize(
    "expression", ["fifth monday of february 2027", "31st of last year april", "367th day of 2028"]
)
def test_an_ordinal_the_period_has_not_is_refused(expression: str) -> None:
    with pytest.raises(InvalidInput):
        read(expression)


def test_a_bare_weekday_is_today_only_while_its_time_is_to_come() -> None:
    assert local("thursday 5pm") == "2027-04-15 17:00"
    assert local("thursday at 9am") == "2027-04-22 09:00"
    assert local("thursday") == "2027-04-22 00:00"


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("next Saturday", "soonest Saturday after today"),
        ("last tuesday", "latest Tuesday before today"),
        ("this monday", "already past"),
        ("wednesday", "read as the next one, 2027-04-21"),
        ("next weekend", "that of next week"),
        ("mid-month", "15th"),
        ("last january", "January 2027"),
    ],
)
def test_the_note_says_what_was_decided_where_people_differ(expression: str, told: str) -> None:
    assert told in read(expression).note


@pytest.mark.parametrize(
    "expression", ["tomorrow", "next week", "next tuesday", "end of month", "coming sunday", "now"]
)
def test_there_is_no_note_where_everybody_agrees(expression: str) -> None:
    assert read(expression).note == ""


def test_today_is_the_day_on_the_wall_not_in_utc() -> None:
    late = datetime(2027, 4, 15, 22, 30, tzinfo=UTC)
    assert read("today", late).local == at("2027-04-16T00:00")
