"""Busy and free time, merged and cut."""

from datetime import UTC, datetime, time, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.calendar.model.availability import (
    Block,
    Interval,
    WorkingHours,
    free_between,
    merge,
    merge_sources,
    within_hours,
)
from almanac.families.time.core.zones import find_zone
from almanac.kernel.instants import instant_at, milliseconds

WINDOW = Interval(0, 1000)
intervals = st.lists(
    st.tuples(st.integers(-100, 1100), st.integers(0, 300)).map(lambda pair: Interval(pair[0], pair[0] + pair[1]))
)
WEEK = frozenset(range(5))


def test_blocks_that_overlap_or_touch_are_one():
    assert merge([Interval(10, 20), Interval(20, 30), Interval(25, 40), Interval(50, 60)], WINDOW) == [
        Interval(10, 40),
        Interval(50, 60),
    ]


def test_busy_time_is_clipped_to_the_window():
    assert merge([Interval(-50, 10), Interval(990, 2000), Interval(1000, 1100)], WINDOW) == [
        Interval(0, 10),
        Interval(990, 1000),
    ]


def test_what_has_no_length_takes_no_time():
    assert merge([Interval(10, 10)], WINDOW) == []
    assert not Interval(10, 10).overlaps(Interval(0, 20))


def test_each_calendar_counts_once_in_a_merged_block():
    calendars = [[Interval(0, 10), Interval(10, 20)], [Interval(15, 30)], [Interval(100, 110)]]

    assert merge_sources(calendars, WINDOW) == [Block(0, 30, 2), Block(100, 110, 1)]


def test_a_gap_as_long_as_wanted_is_free_and_a_shorter_one_is_not():
    busy = [Interval(30, 100), Interval(129, 200), Interval(230, 1000)]

    assert free_between(busy, WINDOW, 30) == [Interval(0, 30), Interval(200, 230)]


@given(intervals)
def test_one_calendar_merges_as_several_do(busy: list[Interval]):
    assert merge(busy, WINDOW) == [Interval(one.start, one.end) for one in merge_sources([busy], WINDOW)]


@given(intervals, st.integers(1, 50))
def test_every_moment_is_either_busy_or_free_or_in_a_gap_that_is_too_short(busy: list[Interval], least: int):
    blocks = merge(busy, WINDOW)
    free = free_between(blocks, WINDOW, least)

    for moment in range(0, 1000, 7):
        is_busy = any(one.start <= moment < one.end for one in busy)
        assert is_busy == any(one.start <= moment < one.end for one in blocks)
        if is_busy:
            assert not any(one.start <= moment < one.end for one in free)
    assert all(one.end - one.start >= least for one in free)
    gaps = sum(one.end - one.start for one in free_between(blocks, WINDOW, 1))
    assert gaps + sum(one.end - one.start for one in blocks) == 1000


def at(text: str) -> int:
    return milliseconds(datetime.fromisoformat(text))


def interval_texts(parts: list[Interval]) -> list[str]:
    return [f"{instant_at(one.start):%a %H:%M}-{instant_at(one.end):%H:%M}" for one in parts]


@pytest.mark.parametrize(
    ("begin", "end", "expected"),
    [
        ("2026-03-13T00:00:00Z", "2026-03-17T00:00:00Z", ["Fri 08:00-16:00", "Mon 08:00-16:00"]),
        # Clocks change on the Sunday.
        ("2026-03-27T00:00:00Z", "2026-03-31T00:00:00Z", ["Fri 08:00-16:00", "Mon 07:00-15:00"]),
    ],
)
def test_free_time_is_cut_to_working_hours_on_the_wall_clock_of_the_zone(begin: str, end: str, expected: list[str]):
    berlin = find_zone("Europe/Berlin")

    parts = within_hours([Interval(at(begin), at(end))], WorkingHours(time(9), time(17), WEEK), berlin, 1)

    assert interval_texts(parts) == expected


def test_a_night_shift_belongs_to_the_day_on_which_it_begins():
    free = [Interval(at("2026-03-13T12:00:00Z"), at("2026-03-16T12:00:00Z"))]

    parts = within_hours(free, WorkingHours(time(22), time(6), frozenset({4})), find_zone("UTC"), 1)

    assert interval_texts(parts) == ["Fri 22:00-06:00"]


@pytest.mark.parametrize(("least", "count"), [(60, 1), (61, 0)])
def test_a_part_that_is_too_short_is_left_out(least: int, count: int):
    start = at("2026-03-16T16:00:00Z")
    free = [Interval(start, start + 3 * 3_600_000)]

    parts = within_hours(free, WorkingHours(time(9), time(17), WEEK), find_zone("UTC"), least * 60_000)

    assert len(parts) == count


@given(intervals, st.integers(0, 23), st.integers(1, 23))
def test_working_time_is_exactly_the_free_time_within_the_hours(busy: list[Interval], begin: int, length: int):
    hour = 3_600_000
    window = Interval(0, 1000 * hour)
    free = free_between([Interval(one.start * hour, one.end * hour) for one in merge(busy, WINDOW)], window, 1)
    hours = WorkingHours(time(begin), time((begin + length) % 24), frozenset(range(7)))

    parts = within_hours(free, hours, find_zone("UTC"), 1)

    for number in range(0, 1000, 5):
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(hours=number, minutes=30)
        within = (moment.hour - begin) % 24 < length
        is_free = any(one.start <= milliseconds(moment) < one.end for one in free)
        assert (within and is_free) == any(one.start <= milliseconds(moment) < one.end for one in parts)
