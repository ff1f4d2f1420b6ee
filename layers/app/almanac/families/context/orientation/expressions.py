"""Parsing of expressions such as "next Monday" into an instant, first by the contract's table and then by our own
grammar."""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from almanac.families.context.orientation.days import DAY, WEEK, end_of, monday_of, start_of
from almanac.families.time.core.timestamps import within_calendar
from almanac.families.time.core.wall_time import resolve
from almanac.families.time.datetimes.resolution import within_local_calendar
from almanac.families.time.expressions import understand
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at, milliseconds

_EPOCH = re.compile(r"\d{10,}", re.ASCII)
_MOST_DIGITS = 15
_WHOLE_SECOND = time(23, 59, 59)
_ENDS = ("end of ", "eod", "eow", "eom", "eoq", "eoy")
"""Expressions for the end of a span. The contract includes the last millisecond; our grammar ends at the last
second."""
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WEEKDAY = re.compile(rf"(next|last) ({'|'.join(_DAYS)})")
_TABLE: Mapping[str, Callable[[date, ZoneInfo], int]] = {
    "today": start_of,
    "yesterday": lambda today, zone: start_of(today - DAY, zone),
    "tomorrow": lambda today, zone: start_of(today + DAY, zone),
    "start of day": start_of,
    "end of day": end_of,
    "start of week": lambda today, zone: start_of(monday_of(today), zone),
    "end of week": lambda today, zone: end_of(monday_of(today) + WEEK - DAY, zone),
    "start of next week": lambda today, zone: start_of(monday_of(today) + WEEK, zone),
    "start of last week": lambda today, zone: start_of(monday_of(today) - WEEK, zone),
}


def resolve_expression(expression: str, now: int, zone: ZoneInfo) -> int:
    """Return milliseconds since 1970. A date without a time is its first instant in `zone`. Raises InvalidInput, with
    the nearest forms, if the expression is not understood or names no date of the calendar."""
    words = " ".join(expression.split()).lower()
    today = instant_at(now).astimezone(zone).date()
    if words == "now":
        return now
    if _EPOCH.fullmatch(words):
        return _epoch(words)
    if words in _TABLE:
        return _TABLE[words](today, zone)
    if found := _WEEKDAY.fullmatch(words):
        return start_of(_weekday(today, found[2], found[1]), zone)
    return _parse(expression, instant_at(now), zone)


def _epoch(digits: str) -> int:
    """Parse milliseconds. The contract reads even 10 digits as milliseconds."""
    if len(digits) <= _MOST_DIGITS:
        try:
            return milliseconds(within_calendar(instant_at(int(digits)), "expression"))
        except OverflowError:
            pass
    raise InvalidInput(
        f'"{digits[:40]}" milliseconds since 1970 are outside of the supported calendar.',
        "Give milliseconds before 9999-12-30, or a date.",
        path="expression",
    )


def _weekday(today: date, name: str, direction: str) -> date:
    """Return the next or last day of this name, excluding today."""
    ahead = (_DAYS.index(name) - today.weekday()) % 7
    if direction == "next":
        return today + timedelta(days=ahead or 7)
    return today - timedelta(days=(7 - ahead) if ahead else 7)


def _parse(expression: str, now: datetime, zone: ZoneInfo) -> int:
    understood = understand(expression, now, zone)
    if understood.instant is not None:
        return milliseconds(within_calendar(understood.instant, "expression"))
    local = within_local_calendar(understood.local)
    if local.time() == _WHOLE_SECOND and expression.strip().lower().startswith(_ENDS):
        return end_of(local.date(), zone)
    return milliseconds(resolve(local, zone).instant)
