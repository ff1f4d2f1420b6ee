"""Schedules: the instants of a cron expression on the clock of a zone, or of a rate.

A cron expression has the five fields of crontab(5): minute, hour, day of the month, month, day of the week. If both
fields of days restrict the schedule, a day needs to match only one. `L` is the last day of a month, `MON#2` its second
Monday.

A time that the clocks skip runs at the first valid time after it. A time that they repeat runs the first time only. A
schedule for every hour runs in each elapsed hour: it adds none for a skipped hour and runs in both repeated ones.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from almanac.families.time.core.wall_time import Gap, Overlap, Valid, examine
from almanac.kernel.errors import InvalidInput

MAX_LENGTH = 100
_HOW = 'Write cron with five fields, such as "0 9 * * MON-FRI", or a rate, such as "rate(2 hours)".'
_RATE = re.compile(r"rate\(\s*(\d{1,6})\s+(minute|hour|day)s?\s*\)", re.IGNORECASE)
_WRAPPED = re.compile(r"cron\((.*)\)", re.IGNORECASE)
_NAMED = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * SUN",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_UNITS = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1)}
_LONGEST = timedelta(days=366)
_MONTH_NAMES = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
_MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
_WEEKDAYS = {name: number for number, name in enumerate(("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"))}
_ITEM = re.compile(r"(\*|\?|\w+)(?:-(\w+))?(?:/(\d{1,2}))?")
_NTH = re.compile(r"(\w+)#([1-5])")
_DAYS_SEARCHED = 8 * 366 + 1
"""29 February is at most eight years away."""
_SET_BACK = timedelta(hours=3)
"""More than any zone sets its clocks back today."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Schedule that repeats after a fixed time, counted from the previous instant."""

    every: timedelta


@dataclass(frozen=True, slots=True)
class Cron:
    """Parsed cron expression.

    `days` and `weekdays` (Sunday is 0) are None if the field restricts nothing. `nths` are weekdays with their number
    in the month. `every_hour`: the hour field includes all hours.
    """

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    months: frozenset[int]
    days: frozenset[int] | None
    last_day: bool
    weekdays: frozenset[int] | None
    nths: frozenset[tuple[int, int]]
    every_hour: bool


Schedule = Cron | Rate


def parse_schedule(text: str) -> Schedule:
    """Parse a cron expression, with or without `cron(...)` around it, or a rate such as `rate(5 minutes)`.

    Raises InvalidInput (code INVALID_SCHEDULE) with the wrong part, also for a schedule that never runs.
    """
    written = text.strip()
    if len(written) > MAX_LENGTH:
        raise _invalid_schedule(f"A schedule has at most {MAX_LENGTH} characters.")
    if (rate := _RATE.fullmatch(written)) is not None:
        every = int(rate[1]) * _UNITS[rate[2].lower()]
        if not timedelta() < every <= _LONGEST:
            raise _invalid_schedule(f'"{written}" is not between a minute and 366 days.')
        return Rate(every)
    wrapped = _WRAPPED.fullmatch(written)
    expression = _NAMED.get(written.lower(), wrapped[1] if wrapped else written).upper().split()
    if len(expression) == 6:
        raise _invalid_schedule(
            f'"{written}" has six fields.', "Leave out the seconds or the year; Sunday is 0 or SUN. "
        )
    if len(expression) != 5:
        raise _invalid_schedule(f'"{written}" is neither a cron expression nor a rate.')
    cron = _cron(*expression)
    if next_instant(cron, datetime(2024, 1, 1, tzinfo=UTC), ZoneInfo("UTC")) is None:
        raise _invalid_schedule(f'"{written}" names a day that no month has.')
    return cron


def next_instant(schedule: Schedule, after: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the first instant (UTC) of the schedule after `after`; None if there is none."""
    if isinstance(schedule, Rate):
        return after.astimezone(UTC) + schedule.every
    local = after.astimezone(zone).replace(tzinfo=None)
    first: datetime | None = None
    for wall in _wall_times(schedule, local - _SET_BACK):
        instants = _instants(wall, zone, every_hour=schedule.every_hour)
        if first is not None and instants and instants[0] > first:
            return first
        coming = [instant for instant in instants if instant > after and (first is None or instant < first)]
        first = coming[0] if coming else first
    return first


def _wall_times(cron: Cron, earliest: datetime) -> Iterator[datetime]:
    day = earliest.date()
    for _ in range(_DAYS_SEARCHED):
        if _is_day(cron, day):
            walls = (datetime.combine(day, time(hour, minute)) for hour in cron.hours for minute in cron.minutes)
            yield from (wall for wall in walls if wall >= earliest)
        if day == date.max:
            return
        day += timedelta(days=1)


def _is_day(cron: Cron, day: date) -> bool:
    if day.month not in cron.months:
        return False
    weekday = day.isoweekday() % 7
    by_date = cron.days is not None and (
        day.day in cron.days or (cron.last_day and day.day == monthrange(day.year, day.month)[1])
    )
    by_weekday = cron.weekdays is not None and (weekday in cron.weekdays or (weekday, (day.day + 6) // 7) in cron.nths)
    return by_date or by_weekday or (cron.days is None and cron.weekdays is None)


def _instants(wall: datetime, zone: ZoneInfo, *, every_hour: bool) -> list[datetime]:
    match examine(wall, zone):
        case Valid(instant):
            return [instant]
        case Overlap(earlier, later):
            return [earlier, later] if every_hour else [earlier]
        case Gap(transition=transition):
            return [] if every_hour else [transition]


def _cron(minute: str, hour: str, day: str, month: str, weekday: str) -> Cron:
    minutes = _numbers("minute", minute, 0, 59)
    hours = _numbers("hour", hour, 0, 23)
    months = _numbers("month", month, 1, 12, _MONTHS)
    last_day = "L" in day.split(",")
    dates = ",".join(part for part in day.split(",") if part != "L")
    nths, others = _nths(weekday)
    weekdays = {number % 7 for number in _numbers("day of the week", others, 0, 7, _WEEKDAYS)} if others else set[int]()
    return Cron(
        minutes=tuple(sorted(minutes)),
        hours=tuple(sorted(hours)),
        months=frozenset(months),
        days=None if _is_unrestricted(day) else frozenset(_numbers("day of the month", dates, 1, 31) if dates else ()),
        last_day=last_day,
        weekdays=None if _is_unrestricted(weekday) else frozenset(weekdays),
        nths=nths,
        every_hour=len(hours) == 24,
    )


def _is_unrestricted(field: str) -> bool:
    return field in ("*", "?")


def _nths(weekday: str) -> tuple[frozenset[tuple[int, int]], str]:
    """Return the parts such as MON#2, and the other parts."""
    nths, others = set[tuple[int, int]](), list[str]()
    for part in weekday.split(","):
        if (found := _NTH.fullmatch(part)) is None:
            others.append(part)
        else:
            nths.add((_number("day of the week", found[1], 0, 7, _WEEKDAYS) % 7, int(found[2])))
    return frozenset(nths), ",".join(others)


def _numbers(name: str, field: str, low: int, high: int, names: dict[str, int] | None = None) -> set[int]:
    numbers = set[int]()
    for part in field.split(","):
        found = _ITEM.fullmatch(part)
        if found is None:
            raise _invalid_schedule(f'"{part}" is no {name}.')
        first, last, step = found.groups()
        if first in ("*", "?"):
            if last is not None:
                raise _invalid_schedule(f'"{part}" is no {name}.')
            start, end = low, min(high, 6) if names is _WEEKDAYS else high
        else:
            start = _number(name, first, low, high, names)
            # 5/15 is every 15th from 5 on.
            end = _number(name, last, low, high, names) if last else high if step else start
            end = 7 if last == "SUN" and end < start else end
        if start > end:
            raise _invalid_schedule(f'"{part}" ends before it begins.')
        if step == "0":
            raise _invalid_schedule(f'"{part}" has a step of 0.')
        numbers.update(range(start, end + 1, int(step or 1)))
    return numbers


def _number(name: str, text: str, low: int, high: int, names: dict[str, int] | None) -> int:
    number = (names or {}).get(text)
    if number is None and text.isascii() and text.isdigit() and len(text) <= 2:
        number = int(text)
    if number is None or not low <= number <= high:
        raise _invalid_schedule(f'"{text}" is no {name}: {low} to {high}.')
    return number


def _invalid_schedule(message: str, hint: str = "") -> InvalidInput:
    return InvalidInput(message, hint + _HOW, code="INVALID_SCHEDULE", path="on_schedule")
