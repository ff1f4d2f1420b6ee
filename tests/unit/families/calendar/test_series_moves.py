"""Whole series that move: every instance lies as far from where it was as the first one."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import AllDay, Event, ZonedTime
from almanac.families.calendar.model.instances import split_series, times
from almanac.families.calendar.model.series_moves import move_exception, move_series
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at

FIRST = datetime(2031, 3, 3, 9)
ALWAYS = Interval(0, 4_102_444_800_000)


def series(rule: str, first: datetime = FIRST, **more: object) -> Event:
    start, end = ZonedTime(first, "UTC"), ZonedTime(first + timedelta(hours=1), "UTC")
    return replace(Event(id="one", uid="one", start=start, end=end, rrule=rule), **more)


def move_by(event: Event, by: timedelta) -> Event:
    assert isinstance(event.start, ZonedTime)
    assert isinstance(event.end, ZonedTime)
    return move_series(event, ZonedTime(event.start.local + by, "UTC"), ZonedTime(event.end.local + by, "UTC"))


def starts(*events: Event) -> list[datetime]:
    single, repeated = split_series(events, UTC_ZONE)
    found = [instant_at(start).replace(tzinfo=None) for one in repeated for start, _ in times(one, ALWAYS)]
    return sorted([*found, *(one.start.local for one in single if isinstance(one.start, ZonedTime))])[:60]


RULES = st.sampled_from(
    [
        *("FREQ=DAILY;COUNT=9", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH,SU;COUNT=20", "FREQ=WEEKLY;COUNT=4;WKST=SU"),
        *("FREQ=MONTHLY;COUNT=20", "FREQ=MONTHLY;BYMONTHDAY=3;COUNT=12", "FREQ=MONTHLY;BYDAY=1MO;COUNT=12"),
        *("FREQ=YEARLY;COUNT=5", "FREQ=DAILY;BYHOUR=9,11;COUNT=8", "FREQ=DAILY;UNTIL=20310310T090000Z"),
        *("FREQ=DAILY;UNTIL=20310310T085959Z", "FREQ=MONTHLY;BYDAY=MO,TU,WE;BYSETPOS=1;COUNT=4", "FREQ=HOURLY;COUNT=5"),
    ]
)


@given(RULES, st.integers(-40 * 24, 40 * 24))
def test_all_instances_move_by_the_same_distance_or_the_move_is_refused(rule: str, hours: int) -> None:
    before, by = series(rule), timedelta(hours=hours)
    try:
        after = move_by(before, by)
    except InvalidInput:
        return
    assert starts(after) == [one + by for one in starts(before)]


@pytest.mark.parametrize(
    ("rule", "by"),
    [
        ("FREQ=WEEKLY;BYDAY=MO,WE", timedelta(days=1, hours=2)),
        ("FREQ=MONTHLY;BYMONTHDAY=3", timedelta(days=10)),
        ("FREQ=MONTHLY;BYDAY=1MO", timedelta(days=14, minutes=30)),
        ("FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=3", timedelta(days=-2)),
        ("FREQ=DAILY;BYHOUR=9;BYMINUTE=0", timedelta(hours=5, minutes=45)),
        ("FREQ=DAILY;BYHOUR=9,11", timedelta(hours=2)),
        ("FREQ=WEEKLY", timedelta(days=-9, hours=-3)),
    ],
)
def test_what_can_be_written_for_the_new_time_moves(rule: str, by: timedelta) -> None:
    before = series(rule)
    assert starts(move_by(before, by)) == [one + by for one in starts(before)]


@pytest.mark.parametrize(
    ("rule", "by"),
    [
        ("FREQ=MONTHLY;BYDAY=1MO", timedelta(days=1)),
        ("FREQ=MONTHLY;BYMONTHDAY=3", timedelta(days=28)),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", timedelta(days=1)),
        ("FREQ=DAILY;BYHOUR=9,22", timedelta(hours=2)),
    ],
)
def test_what_cannot_is_refused(rule: str, by: timedelta) -> None:
    with pytest.raises(InvalidInput):
        move_by(series(rule), by)


def test_dates_and_exceptions_move_with_the_series() -> None:
    slot = ZonedTime(FIRST + timedelta(days=1), "UTC")
    before = series(
        "FREQ=DAILY;COUNT=5",
        exdates=(ZonedTime(FIRST + timedelta(days=2), "UTC"), AllDay((FIRST + timedelta(days=3)).date())),
        rdates=(ZonedTime(FIRST + timedelta(days=9), "UTC"),),
    )
    late = ZonedTime(FIRST + timedelta(days=1, hours=3), "UTC")
    exception = replace(before, id="two", rrule=None, rdates=(), exdates=(), recurrence_id=slot, start=late, end=late)
    by = timedelta(days=1, hours=1)
    after = move_by(before, by)
    assert starts(after, move_exception(exception, before, after)) == [one + by for one in starts(before, exception)]
