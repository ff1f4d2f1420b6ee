"""Schedules: cron expressions by the clock of a zone, and rates."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.time.core.schedules import MAX_LENGTH, next_instant, parse_schedule
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import InvalidInput

BERLIN = find_zone("Europe/Berlin")
UTC_ZONE = find_zone("UTC")


def instants(text: str, after: str, zone: ZoneInfo = BERLIN) -> Iterator[str]:
    schedule, instant = parse_schedule(text), datetime.fromisoformat(after).replace(tzinfo=zone).astimezone(UTC)
    while (following := next_instant(schedule, instant, zone)) is not None:
        yield following.astimezone(zone).isoformat(timespec="minutes")
        instant = following


def first(text: str, after: str, count: int = 3, zone: ZoneInfo = BERLIN) -> list[str]:
    return list(islice(instants(text, after, zone), count))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 9 * * MON-FRI", ["2026-11-27T09:00+01:00", "2026-11-30T09:00+01:00", "2026-12-01T09:00+01:00"]),
        ("*/20 8-9 * * *", ["2026-11-27T08:00+01:00", "2026-11-27T08:20+01:00", "2026-11-27T08:40+01:00"]),
        ("5/25 * * * ?", ["2026-11-26T22:30+01:00", "2026-11-26T22:55+01:00", "2026-11-26T23:05+01:00"]),
        ("0 0 1,15 * *", ["2026-12-01T00:00+01:00", "2026-12-15T00:00+01:00", "2027-01-01T00:00+01:00"]),
        ("0 0 13 * FRI", ["2026-11-27T00:00+01:00", "2026-12-04T00:00+01:00", "2026-12-11T00:00+01:00"]),
        ("0 18 L * *", ["2026-11-30T18:00+01:00", "2026-12-31T18:00+01:00", "2027-01-31T18:00+01:00"]),
        ("30 7 * * MON#1", ["2026-12-07T07:30+01:00", "2027-01-04T07:30+01:00", "2027-02-01T07:30+01:00"]),
        ("0 12 29 FEB *", ["2028-02-29T12:00+01:00", "2032-02-29T12:00+01:00", "2036-02-29T12:00+01:00"]),
        ("0 0 * * 7", ["2026-11-29T00:00+01:00", "2026-12-06T00:00+01:00", "2026-12-13T00:00+01:00"]),
        ("0 0 * * sat-sun", ["2026-11-28T00:00+01:00", "2026-11-29T00:00+01:00", "2026-12-05T00:00+01:00"]),
        ("cron(0 9 ? * MON)", ["2026-11-30T09:00+01:00", "2026-12-07T09:00+01:00", "2026-12-14T09:00+01:00"]),
        ("@monthly", ["2026-12-01T00:00+01:00", "2027-01-01T00:00+01:00", "2027-02-01T00:00+01:00"]),
        ("rate(90 minutes)", ["2026-11-26T23:35+01:00", "2026-11-27T01:05+01:00", "2026-11-27T02:35+01:00"]),
        ("rate(1 day)", ["2026-11-27T22:05+01:00", "2026-11-28T22:05+01:00", "2026-11-29T22:05+01:00"]),
    ],
)
def test_the_next_instants(text: str, expected: list[str]):
    assert first(text, "2026-11-26T22:05") == expected


def test_a_time_that_is_skipped_happens_after_the_gap_and_a_repeated_one_once():
    assert first("30 2 * * *", "2026-03-28T00:00") == [
        "2026-03-28T02:30+01:00",
        "2026-03-29T03:00+02:00",
        "2026-03-30T02:30+02:00",
    ]
    assert first("30 2 * * *", "2026-10-24T12:00", 2) == ["2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00"]


def test_of_every_hour_none_is_made_up_and_no_repeated_one_left_out():
    assert first("30 * * * *", "2026-03-29T01:00") == [
        "2026-03-29T01:30+01:00",
        "2026-03-29T03:30+02:00",
        "2026-03-29T04:30+02:00",
    ]
    assert first("*/30 * * * *", "2026-10-25T01:45", 5) == [
        "2026-10-25T02:00+02:00",
        "2026-10-25T02:30+02:00",
        "2026-10-25T02:00+01:00",
        "2026-10-25T02:30+01:00",
        "2026-10-25T03:00+01:00",
    ]


@given(
    minutes=st.sets(st.integers(0, 59), min_size=1, max_size=4),
    hours=st.one_of(st.just(frozenset(range(24))), st.sets(st.integers(0, 23), min_size=1, max_size=3)),
    start=st.integers(0, 366 * 24 * 60),
    zone=st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]),
)
def test_a_minute_by_minute_walk_finds_the_same(minutes: set[int], hours: set[int], start: int, zone: str):
    """Where every hour is meant: the minutes whose wall time is meant. Elsewhere also the ends of gaps over one that is
    meant, and of two minutes with one wall time the first."""
    at, place = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=start), find_zone(zone)
    every_hour = len(hours) == 24
    text = f"{','.join(map(str, sorted(minutes)))} {'*' if every_hour else ','.join(map(str, sorted(hours)))} * * *"

    def is_meant(instant: datetime) -> bool:
        local, before = instant.astimezone(place), (instant - timedelta(minutes=1)).astimezone(place)
        wall, wall_before = local.replace(tzinfo=None), before.replace(tzinfo=None)
        if every_hour:
            return local.minute in minutes
        skipped = (
            wall_before + timedelta(minutes=step) for step in range(1, int((wall - wall_before).total_seconds()) // 60)
        )
        if any(each.minute in minutes and each.hour in hours for each in skipped):
            return True
        return local.minute in minutes and local.hour in hours and not local.fold

    walked = (at + timedelta(minutes=step) for step in range(1, 27 * 60))

    assert next_instant(parse_schedule(text), at, place) == next(filter(is_meant, walked))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "neither a cron expression nor a rate"),
        ("every day at nine", "neither a cron expression nor a rate"),
        ("0 9 * * MON *", "six fields"),
        ("cron(0 9 ? * MON *)", "six fields"),
        ("60 9 * * *", '"60" is no minute: 0 to 59'),
        ("0 24 * * *", '"24" is no hour'),
        ("0 9 0 * *", '"0" is no day of the month'),
        ("0 9 * 13 *", '"13" is no month'),
        ("0 9 * * 8", '"8" is no day of the week'),
        ("0 9 * * MON#6", '"MON#6" is no day of the week'),
        ("0 9 * * FRI-MON", "ends before it begins"),
        ("*/0 * * * *", "a step of 0"),
        ("*-5 * * * *", "is no minute"),
        ("0 ٣ * * *", "is no hour"),
        ("0 0 31 FEB *", "a day that no month has"),
        ("0 0 30,31 2 *", "a day that no month has"),
        ("rate(0 minutes)", "between a minute and 366 days"),
        ("rate(400 days)", "between a minute and 366 days"),
        ("rate(10 seconds)", "neither"),
        ("1," * MAX_LENGTH, "at most 100 characters"),
    ],
)
def test_what_is_no_schedule_is_refused_with_what_is(text: str, says: str):
    with pytest.raises(InvalidInput) as refused:
        parse_schedule(text)

    assert says in refused.value.message
    assert refused.value.code == "INVALID_SCHEDULE"
    assert "0 9 * * MON-FRI" in refused.value.hint


@given(st.text(alphabet="0123456789*/,-?LW#@ MONFEB()ratec", max_size=40))
def test_any_text_is_read_or_refused(text: str):
    try:
        schedule = parse_schedule(text)
    except InvalidInput:
        return
    after = datetime(2026, 11, 27, tzinfo=UTC)
    following = next_instant(schedule, after, UTC_ZONE)
    assert following is not None
    assert following > after


def test_the_end_of_time_ends_a_schedule():
    assert next_instant(parse_schedule("0 0 1 1 *"), datetime(9999, 12, 30, tzinfo=UTC), UTC_ZONE) is None
