from datetime import UTC, datetime
from pathlib import Path

import pytest

from almanac.families.memory.core.memory import open_memory
from almanac.families.memory.core.times import TimeContext, instant_of, optional_instant, read_instant
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import iso, milliseconds
from tests.project_app import MORNING, ProjectApp

NOON = datetime(2026, 2, 18, 17, tzinfo=UTC)
"""Wednesday, noon in New York."""

HERE = TimeContext(NOON, "America/New_York")


def read(text: int | str, reading: TimeContext = HERE, *, ends: bool = False) -> str | None:
    return iso(read_instant(text, "since", reading, ends=ends))


def test_milliseconds_are_taken_as_they_are():
    assert read_instant(1_771_425_000_123, "since", HERE) == 1_771_425_000_123
    assert read_instant("1771425000123", "since", HERE) == 1_771_425_000_123


@pytest.mark.parametrize(
    ("text", "starts", "ends"),
    [
        ("2026-02-03", "2026-02-03T05:00:00Z", "2026-02-04T05:00:00Z"),
        ("yesterday", "2026-02-17T05:00:00Z", "2026-02-18T05:00:00Z"),
        ("last week", "2026-02-09T05:00:00Z", "2026-02-16T05:00:00Z"),
        ("last month", "2026-01-01T05:00:00Z", "2026-02-01T05:00:00Z"),
        ("Q3 2025", "2025-07-01T04:00:00Z", "2025-10-01T04:00:00Z"),
        ("last year", "2025-01-01T05:00:00Z", "2026-01-01T05:00:00Z"),
        ("3 days ago", "2026-02-15T05:00:00Z", "2026-02-16T05:00:00Z"),
        ("2 weeks ago", "2026-02-04T05:00:00Z", "2026-02-05T05:00:00Z"),
        ("end of last month", "2026-02-01T04:59:59Z", "2026-02-01T05:00:00Z"),
        ("2026-03-08", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"),
    ],
)
def test_a_day_or_more_is_meant_as_a_whole(text: str, starts: str, ends: str):
    assert (read(text), read(text, ends=True)) == (starts, ends)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2 hours ago", "2026-02-18T15:00:00Z"),
        ("yesterday at 3pm", "2026-02-17T20:00:00Z"),
        ("2026-02-03 10:00", "2026-02-03T15:00:00Z"),
        ("2026-02-03T10:00:00+01:00", "2026-02-03T09:00:00Z"),
        ("2026-03-08 02:30", "2026-03-08T07:00:00Z"),
    ],
)
def test_a_moment_is_the_same_at_both_ends(text: str, meant: str):
    assert read(text) == read(text, ends=True) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Monday", "2026-02-16T05:00:00Z"),
        ("wednesday", "2026-02-18T05:00:00Z"),
        ("January", "2026-01-01T05:00:00Z"),
        ("March 5", "2025-03-05T05:00:00Z"),
        ("the 3rd", "2026-02-03T05:00:00Z"),
        ("last 7 days", "2026-02-11T05:00:00Z"),
        ("24h", "2026-02-17T17:00:00Z"),
        ("2h30m", "2026-02-18T14:30:00Z"),
        ("3 feb", "2026-02-03T05:00:00Z"),
        ("9am", "2026-02-18T14:00:00Z"),
        ("last hour", "2026-02-18T16:00:00Z"),
    ],
)
def test_words_look_back(text: str, meant: str):
    assert read(text) == meant


@pytest.mark.parametrize(
    ("text", "starts", "ends"),
    [
        ("since March", "2025-03-01T05:00:00Z", "2025-04-01T04:00:00Z"),
        ("since 2019", "2019-01-01T05:00:00Z", "2020-01-01T05:00:00Z"),
        ("2019", "2019-01-01T05:00:00Z", "2020-01-01T05:00:00Z"),
        ("until last Friday", "2026-02-13T05:00:00Z", "2026-02-14T05:00:00Z"),
        ("From yesterday at 3pm", "2026-02-17T20:00:00Z", "2026-02-17T20:00:00Z"),
    ],
)
def test_a_leading_since_or_until_says_nothing_and_four_figures_are_a_year(text: str, starts: str, ends: str):
    assert (read(text), read(text, ends=True)) == (starts, ends)


def test_who_asks_for_other_years_gets_them():
    years = range(1, 9999)

    assert iso(read_instant("1848-05-03", "since", TimeContext(NOON, "UTC"), years=years)) == "1848-05-03T00:00:00Z"
    assert iso(read_instant("0033-04-03", "since", TimeContext(NOON, "UTC"), years=years)) == "0033-04-03T00:00:00Z"
    with pytest.raises(InvalidInput, match="outside the years 1 to 9998"):
        read_instant("0001-01-01", "since", TimeContext(NOON, "Asia/Tokyo"), years=years)
    with pytest.raises(InvalidInput, match="outside the years 1970 to 9998"):
        read_instant("1848-05-03", "since", TimeContext(NOON, "UTC"))


def test_what_is_said_to_come_is_to_come():
    assert read("tomorrow") == "2026-02-19T05:00:00Z"


def test_a_week_begins_where_the_caller_has_it_begin():
    assert read("this week", TimeContext(NOON, "America/New_York", "sunday")) == "2026-02-15T05:00:00Z"


def test_words_need_a_zone_and_instants_do_not():
    nowhere = TimeContext(NOON, None)

    assert read("2026-02-03T10:00:00Z", nowhere) == "2026-02-03T10:00:00Z"
    assert read("2 hours ago", nowhere) == "2026-02-18T15:00:00Z"
    with pytest.raises(InvalidInput, match="needs a time zone") as refused:
        read("yesterday", nowhere)
    assert refused.value.code == "TIMEZONE_NOT_CONFIGURED"


@pytest.mark.parametrize("text", ["03/04/2026", "3-4-2026"])
def test_a_date_that_may_be_two_is_refused(text: str):
    with pytest.raises(InvalidInput, match="2026-03-04 or 2026-04-03"):
        read(text)


@pytest.mark.parametrize("text", ["whenever", "20", " ", "0001-01-01", "9999-12-31", "2026-02-30", "x" * 100])
def test_what_is_no_time_is_refused_by_its_name(text: str):
    with pytest.raises(InvalidInput, match=r"^since ") as refused:
        read(text)
    assert refused.value.path == "since"


def test_a_project_reads_words_in_the_zone_of_its_caller(tmp_path: Path):
    app = ProjectApp(tmp_path)
    project = open_memory(app.services, app.caller, app.clock)

    assert instant_of(project, "today", "since") == milliseconds(MORNING) - (9 * 60 + 30) * 60_000
    assert optional_instant(project, None, "since") is None
