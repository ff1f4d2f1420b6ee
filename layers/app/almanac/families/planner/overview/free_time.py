"""The free time left today."""

from datetime import datetime, time, timedelta

from msgspec import Struct

from almanac.families.calendar.model.availability import (
    MINUTE,
    Interval,
    WorkingHours,
    free_between,
    merge,
    within_hours,
)
from almanac.families.planner.events.agendas import Agendas
from almanac.families.time.core.spans import span_of
from almanac.families.time.core.wall_time import resolve
from almanac.kernel.instants import instant_at, milliseconds

_LEAST = 15 * MINUTE
_WORKING = WorkingHours(time(9), time(17), frozenset(range(7)))


class FreeSlot(Struct, frozen=True, rename="camel"):
    """`start` and `end` carry their offset."""

    start: str
    end: str
    duration_minutes: int


class FreeTime(Struct, frozen=True, rename="camel"):
    """Gaps of 15 minutes and more until midnight; `minutes_until_17` counts their minutes from 9:00 to 17:00."""

    slots: list[FreeSlot]
    minutes: int
    minutes_until_17: int


def free_today(agendas: Agendas) -> FreeTime:
    """Return the free time from now until midnight, in the caller's zone."""
    planner = agendas.planner
    midnight = resolve(datetime.combine(planner.today() + timedelta(days=1), time()), planner.zone).instant
    # Slots begin at the next full minute.
    now = -(-planner.now_ms() // MINUTE) * MINUTE
    window = Interval(now, max(now, milliseconds(midnight)))
    if window.end <= window.start:
        return FreeTime([], 0, 0)
    entries = [one for agenda in agendas.all for one in agendas.entries(agenda, window)]
    free = free_between(merge((one.interval for one in entries if one.busy), window), window, _LEAST)
    working = within_hours(free, _WORKING, planner.zone, MINUTE)
    slots = [
        FreeSlot(span.local_start, span.local_end, (one.end - one.start) // MINUTE)
        for one in free
        for span in [span_of(instant_at(one.start), instant_at(one.end), planner.zone)]
    ]
    return FreeTime(slots, _minutes(free), _minutes(working))


def _minutes(intervals: list[Interval]) -> int:
    return sum(interval.end - interval.start for interval in intervals) // MINUTE
