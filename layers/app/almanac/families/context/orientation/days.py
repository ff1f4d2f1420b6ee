"""Start and end of days and weeks in a time zone, in milliseconds since 1970.

A day starts at the first instant that has its date, and ends one millisecond before 24:00, whatever its length. Weeks
start on Monday.
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
    """Return the last millisecond of a day. If it occurs twice, return the later one. If clocks skip it, return the
    last one before they do."""
    match examine(datetime.combine(day, _LAST), zone):
        case Gap(transition=transition):
            return milliseconds(transition) - 1
        case Overlap(later=later):
            return milliseconds(later)
        case valid:
            return milliseconds(valid.instant)


def monday_of(day: date) -> date:
    return day - timedelta(days=day.weekday())
