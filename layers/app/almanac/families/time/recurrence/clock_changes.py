"""The wall times that a zone's clock changes leave out or show twice."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from almanac.families.time.zones import first_change

# No zone of the database has ever changed twice within six days; the shortest pair lies a week apart.
_STRIDE = timedelta(days=6)


class ClockChange(NamedTuple):
    """Wall times in [begin, end) that never happen (`is_gap`) or happen twice."""

    begin: datetime
    end: datetime
    is_gap: bool

    @property
    def length(self) -> timedelta:
        return self.end - self.begin


def clock_changes(zone: ZoneInfo, first_year: int, last_year: int) -> Iterator[ClockChange]:
    """Every change from the first year through the last, in order. Years 2 to 9998."""
    for year in range(first_year, last_year + 1):
        yield from _changes_of(zone, year)


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
