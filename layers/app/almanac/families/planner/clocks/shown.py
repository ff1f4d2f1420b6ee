"""Show instants and days in the caller's zone."""

from datetime import date

from almanac.families.planner.core.planner import Planner
from almanac.families.time.core.timestamps import weekday_name
from almanac.kernel.instants import instant_at


def shown_time(planner: Planner, milliseconds: int) -> str:
    """The time in the caller's zone, else in UTC, to the second, with its offset: 2026-03-02T14:30:00-05:00."""
    return instant_at(milliseconds).astimezone(planner.zone_shown).isoformat(timespec="seconds")


def weekday(day: str) -> str:
    """The name of the weekday of YYYY-MM-DD."""
    return weekday_name(date.fromisoformat(day))
