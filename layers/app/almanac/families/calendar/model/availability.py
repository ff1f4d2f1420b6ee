"""Busy and free time as half-open intervals in milliseconds since 1970, so that touching intervals do not overlap."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct

from almanac.families.time.core.wall_time import resolve
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at, milliseconds

MINUTE = 60_000
_DAY = 86_400_000
_LONGEST = 3660 * _DAY
_FIRST, _LAST = -25_567 * _DAY, 84_006 * _DAY


class Interval(NamedTuple):
    """Time from `start`, included, to `end`, excluded."""

    start: int
    end: int

    def overlaps(self, other: "Interval") -> bool:
        """Return whether the two share time. An empty interval shares none."""
        return max(self.start, other.start) < min(self.end, other.end)


class Block(NamedTuple):
    """Merged busy time, with the number of calendars that are busy in it."""

    start: int
    end: int
    sources: int


class WorkingHours(Struct, frozen=True):
    """Working hours as wall times of the zone in which they are applied.

    An `end` not after `begin` means the next day. Weekdays count from Monday 0, and a night belongs to the day on which
    it begins.
    """

    begin: time
    end: time
    weekdays: frozenset[int]


def check_window(start: int, end: int) -> Interval:
    """Return the window. Raises InvalidInput if it is empty, over ten years long, or outside 1900 to 2200."""
    if end <= start:
        raise InvalidInput('"end" is not after "start".', "Give the earlier instant as start.", path="end")
    if start < _FIRST or end > _LAST or end - start > _LONGEST:
        raise InvalidInput(
            '"start" and "end" lie more than ten years apart, or outside the years 1900 to 2200.',
            "Split the window into shorter ones and call once for each.",
            path="start",
        )
    return Interval(start, end)


def merge(busy: Iterable[tuple[int, int]], window: Interval) -> list[Interval]:
    """Return the busy time inside `window`, clipped to it. Overlapping and touching intervals become one."""
    first, last = window
    blocks: list[Interval] = []
    start = end = first - 1
    for begins, ends in sorted([one for one in busy if one[0] < last and first < one[1] and one[0] < one[1]]):
        if begins <= end and start >= first:
            end = max(end, ends)
            continue
        if start >= first:
            blocks.append(Interval(start, min(end, last)))
        start, end = max(begins, first), ends
    return [*blocks, Interval(start, min(end, last))] if start >= first else blocks


def merge_sources(calendars: Sequence[Iterable[Interval]], window: Interval) -> list[Block]:
    """Merge the busy time of several calendars, as `merge` does for one."""
    pieces = sorted(
        (max(one.start, window.start), min(one.end, window.end), number)
        for number, busy in enumerate(calendars)
        for one in busy
        if one.overlaps(window)
    )
    blocks: list[Block] = []
    start = end = 0
    sources: set[int] = set()
    for begins, ends, number in pieces:
        if sources and begins <= end:
            end = max(end, ends)
            sources.add(number)
            continue
        if sources:
            blocks.append(Block(start, end, len(sources)))
        start, end, sources = begins, ends, {number}
    if sources:
        blocks.append(Block(start, end, len(sources)))
    return blocks


def free_between(busy: Sequence[Interval | Block], window: Interval, least: int) -> list[Interval]:
    """Return the free parts of `window` between `busy`, merged and in order, of at least `least` milliseconds."""
    free: list[Interval] = []
    at = window.start
    for block in busy:
        if block.start - at >= least and block.start > at:
            free.append(Interval(at, block.start))
        at = max(at, block.end)
    if window.end - at >= least and window.end > at:
        free.append(Interval(at, window.end))
    return free


def within_hours(free: Sequence[Interval], hours: WorkingHours, zone: ZoneInfo, least: int) -> list[Interval]:
    """Return the parts of `free` within working hours that last at least `least` milliseconds."""
    if not free:
        return []
    working = _working_time(hours, zone, Interval(free[0].start, free[-1].end))
    parts: list[Interval] = []
    position = 0
    for piece in free:
        while position < len(working) and working[position].end <= piece.start:
            position += 1
        for open_time in working[position:]:
            if open_time.start >= piece.end:
                break
            part = Interval(max(piece.start, open_time.start), min(piece.end, open_time.end))
            if part.end - part.start >= least:
                parts.append(part)
    return parts


def _working_time(hours: WorkingHours, zone: ZoneInfo, window: Interval) -> list[Interval]:
    day = instant_at(window.start).astimezone(zone).date() - timedelta(days=1)
    last = instant_at(window.end).astimezone(zone).date()
    shifts: list[Interval] = []
    while day <= last:
        if day.weekday() in hours.weekdays:
            ends = day if hours.end > hours.begin else day + timedelta(days=1)
            start = _instant(datetime.combine(day, hours.begin), zone)
            shifts.append(Interval(start, _instant(datetime.combine(ends, hours.end), zone)))
        day += timedelta(days=1)
    return merge(shifts, Interval(window.start, window.end))


def _instant(local: datetime, zone: ZoneInfo) -> int:
    return milliseconds(resolve(local, zone).instant.astimezone(UTC))
