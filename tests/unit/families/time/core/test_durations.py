"""Lengths of time: taken apart, and applied to the wall clock or to the absolute line."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from almanac.families.time.core.durations import adjust, parse_adjustment, take_apart
from almanac.families.time.core.zones import find_zone, zone_names
from almanac.kernel.errors import InvalidInput

NEW_YORK = find_zone("America/New_York")
zones = st.sampled_from(zone_names()).map(find_zone)
instants = st.datetimes(datetime(1960, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC)).map(
    lambda instant: instant.replace(microsecond=0)
)


def shift(start: str, adjustment: str, zone: ZoneInfo = NEW_YORK) -> str:
    return (
        adjust(datetime.fromisoformat(start), parse_adjustment(adjustment), zone).instant.astimezone(zone).isoformat()
    )


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("+2h", "+2h"),
        ("-30m", "-30m"),
        (" + 1 day 2 hours ", "+1d2h"),
        ("-2w3d", "-2w3d"),
        ("+1mo", "+1mo"),
        ("+2Years", "+2y"),
        ("+90sec", "+90s"),
    ],
)
def test_an_adjustment_is_echoed_in_its_normal_form(written: str, normal: str):
    assert str(parse_adjustment(written)) == normal


@pytest.mark.parametrize(
    "wrong",
    ["", "2h", "+", "+h", "+2", "+2x", "+1h1h", "+1.5h", "1d+2h", "++1d", "+1d-2h", "+1M", "+9999999999999999d"],
)
def test_anything_else_is_refused(wrong: str):
    with pytest.raises(InvalidInput):
        parse_adjustment(wrong)


def test_a_capital_m_is_not_guessed():
    with pytest.raises(InvalidInput, match="1mo or 1m"):
        parse_adjustment("+1M")


@pytest.mark.parametrize(
    ("start", "adjustment", "reached"),
    [
        ("2026-03-08T01:00:00-05:00", "+1d", "2026-03-09T01:00:00-04:00"),
        ("2026-03-08T01:00:00-05:00", "+24h", "2026-03-09T02:00:00-04:00"),
        ("2026-03-07T02:30:00-05:00", "+1d", "2026-03-08T03:30:00-04:00"),
        ("2026-10-31T01:30:00-04:00", "+1d", "2026-11-01T01:30:00-04:00"),
        ("2026-11-02T01:30:00-05:00", "-1d", "2026-11-01T01:30:00-05:00"),
        ("2026-01-31T12:00:00-05:00", "+1mo", "2026-02-28T12:00:00-05:00"),
        ("2024-02-29T12:00:00-05:00", "+1y", "2025-02-28T12:00:00-05:00"),
        ("2026-03-31T12:00:00-04:00", "-1mo", "2026-02-28T12:00:00-05:00"),
        ("2026-03-07T12:00:00-05:00", "+1d2h30m", "2026-03-08T14:30:00-04:00"),
    ],
)
def test_calendar_units_keep_the_wall_clock_and_clock_units_are_exact(start: str, adjustment: str, reached: str):
    assert shift(start, adjustment) == reached


def test_what_the_clocks_did_on_the_way_is_flagged():
    start = datetime.fromisoformat("2026-03-07T02:30:00-05:00")

    assert adjust(start, parse_adjustment("+1d"), NEW_YORK).dst == "gap"
    assert adjust(start, parse_adjustment("+2d"), NEW_YORK).dst == "none"


@pytest.mark.parametrize("adjustment", ["+9000y", "-3000y", "+999999999999d", "+999999999999h", "-999999999999s"])
def test_leaving_the_calendar_is_refused(adjustment: str):
    with pytest.raises(InvalidInput, match="calendar"):
        shift("2026-01-01T00:00:00+00:00", adjustment)


@given(instants, st.integers(0, 10_000), st.sampled_from("hms"), zones)
def test_an_exact_adjustment_is_undone_by_its_opposite(instant: datetime, amount: int, unit: str, zone: ZoneInfo):
    there = adjust(instant, parse_adjustment(f"+{amount}{unit}"), zone).instant

    assert adjust(there, parse_adjustment(f"-{amount}{unit}"), zone).instant == instant


@given(instants, st.integers(0, 3000), zones)
def test_days_there_and_back_return_to_the_same_wall_time(instant: datetime, days: int, zone: ZoneInfo):
    there = adjust(instant, parse_adjustment(f"+{days}d"), zone)
    back = adjust(there.instant, parse_adjustment(f"-{days}d"), zone)
    assume("gap" not in (there.dst, back.dst))

    assert back.instant.astimezone(zone).replace(tzinfo=None) == instant.astimezone(zone).replace(tzinfo=None)


@pytest.mark.parametrize(
    ("length", "said"),
    [
        (timedelta(hours=8, minutes=30), "8 hours, 30 minutes"),
        (timedelta(days=2, hours=3, minutes=1), "2 days, 3 hours, 1 minute"),
        (-timedelta(minutes=1, seconds=5), "1 minute, 5 seconds"),
        (timedelta(seconds=1.5), "1.5 seconds"),
        (timedelta(0), "0 seconds"),
    ],
)
def test_a_length_is_told_in_words(length: timedelta, said: str):
    assert str(take_apart(length)) == said


@given(st.timedeltas(-timedelta(days=10_000), timedelta(days=10_000)))
def test_the_parts_add_up_to_the_whole(length: timedelta):
    parts = take_apart(length)
    total = timedelta(days=parts.days, hours=parts.hours, minutes=parts.minutes, seconds=parts.seconds)

    assert total == abs(length)
