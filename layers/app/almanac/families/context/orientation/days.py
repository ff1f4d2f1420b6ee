"""Beginnings and ends of days and weeks on the clocks of a zone, in milliseconds since 1970.

A day begins at the first instant that has its date, and ends one millisecond before 24:00, however long it is. Weeks
begin on Monday.
"""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from almanac.families.time.core.wall_time import Gap, Overlap, examine, resolve
from almanac.kernel.instants import milliseconds

DAY = timedelta(days=1)
WEEK = timedelta(days=7)
_LAST = time(23, 59, 59, 999_000)


def start_of(day: date, zone: ZoneInfo) -> int:
    return milliseconds(resolve(datetime.combine(day, time()), zone).instant)


def end_of(day: date, zone: ZoneInfo) -> int:
    """Of two such instants the later one; where clocks skip it, the last one before they do."""
    match examine(datetime.combine(day, _LAST), zone):
        case Gap(transition=transition):
            return milliseconds(transition) - 1
        case Overlap(later=later):
            return milliseconds(later)
        case valid:
            return milliseconds(valid.instant)


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())
