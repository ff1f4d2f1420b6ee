"""Clock changes of a zone: the wall times that they skip or repeat, and the ordinary times between them."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from almanac.families.time.core.zones import first_change
from almanac.families.time.recurrence.gregorian import year_start
from almanac.families.time.recurrence.line import DAY, line_second, line_time

_SECOND = timedelta(seconds=1)
# No zone of the database has ever changed twice within six days; the closest two changes are a week apart.
_STRIDE = timedelta(days=6)
_FIRST_YEAR, _LAST_YEAR = 3, 9997


class PlainTime(NamedTuple):
    """Wall times in [begin, end), in seconds of the line. Each happens once, `offset` seconds ahead of UTC."""

    begin: int
    end: int
    offset: int


NO_TIME = PlainTime(0, 0, 0)


class ClockChange(NamedTuple):
    """Wall times in [begin, end) that never happen (`is_gap`) or happen twice."""

    begin: datetime
    end: datetime
    is_gap: bool

    @property
    def length(self) -> timedelta:
        return self.end - self.begin


def offset_at(zone: ZoneInfo, local: datetime) -> int:
    """Return the seconds ahead of UTC at a naive wall time, by its fold."""
    return (zone.utcoffset(local) or timedelta()) // _SECOND


def clock_changes(zone: ZoneInfo, first_year: int, last_year: int) -> Iterator[ClockChange]:
    """Yield every change from the first year through the last, in order. The years must lie in 2 to 9998."""
    for year in range(first_year, last_year + 1):
        yield from _changes_of(zone, year)


def plain_time(zone: ZoneInfo, second: int) -> PlainTime:
    """Return the ordinary time of that year around a wall time; NO_TIME if the clocks skip or repeat it."""
    year = line_time(second).year
    if not _FIRST_YEAR <= year <= _LAST_YEAR:
        return NO_TIME
    return next((one for one in _plain_times_of(zone, year) if one.begin <= second < one.end), NO_TIME)


@lru_cache(maxsize=4096)
def _plain_times_of(zone: ZoneInfo, year: int) -> tuple[PlainTime, ...]:
    # A change belongs to a year in UTC, but its wall times may lie in the year before or after.
    edges = [year_start(year) * DAY]
    for change in clock_changes(zone, year - 1, year + 1):
        edges += [line_second(change.begin), line_second(change.end)]
    edges.append(year_start(year + 1) * DAY)
    first, last = edges[0], edges[-1]
    edges = [min(max(edge, first), last) for edge in edges]
    return tuple(
        PlainTime(begin, end, offset_at(zone, line_time(begin)))
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
        if begin < end
    )


@lru_cache(maxsize=4096)
def _changes_of(zone: ZoneInfo, year: int) -> tuple[ClockChange, ...]:
    found: list[ClockChange] = []
    low, end = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    before = low.astimezone(zone).utcoffset()
    while low < end:
        high = min(low + _STRIDE, end)
        after = high.astimezone(zone).utcoffset()
        if before is not None and after is not None and before != after:
            change = first_change(low, high, zone).replace(tzinfo=None)
            found.append(ClockChange(change + min(before, after), change + max(before, after), after > before))
        low, before = high, after
    return tuple(found)
