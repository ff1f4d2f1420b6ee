"""Span of time as results show it: in UTC, and on the clocks of a zone."""

from datetime import date, datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from almanac.families.time.core.timestamps import format_utc, weekday_name


class Span(NamedTuple):
    """Start and end as text.

    `start` and `end` are in UTC; the local ones carry their offset. For whole days all four are dates, and the end is
    exclusive. `day_of_week` is that of the local start.
    """

    start: str
    end: str
    local_start: str
    local_end: str
    day_of_week: str


def span_of(start: datetime, end: datetime, zone: ZoneInfo) -> Span:
    local = start.astimezone(zone)
    local_end = end.astimezone(zone).isoformat()
    return Span(format_utc(start), format_utc(end), local.isoformat(), local_end, weekday_name(local))


def span_of_days(first: date, end: date) -> Span:
    start, until = first.isoformat(), end.isoformat()
    return Span(start, until, start, until, weekday_name(first))
