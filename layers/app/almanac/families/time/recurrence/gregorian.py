"""Gregorian calendar on ordinals (`date.toordinal`): spans, weeks, and days counted from either end."""

from collections.abc import Iterable

from almanac.families.time.recurrence.rule import Skip, WeekdayNum

# The calendar repeats after 400 years, weekdays included: a day that they do not contain never comes.
CYCLE_YEARS = 400
# One day before 9999-12-31, so that every wall time has an instant in every zone.
LAST_ORDINAL = 3_652_058
_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365)


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def year_start(year: int) -> int:
    """Return the ordinal of 1 January, also for years outside the range of `date`."""
    past = year - 1
    return past * 365 + past // 4 - past // 100 + past // 400 + 1


def month_span(year: int, month: int) -> tuple[int, int]:
    """Return the ordinal of the month's first day, and the month's length."""
    leap = is_leap(year)
    start = year_start(year) + _BEFORE_MONTH[month - 1] + (leap and month > 2)
    return start, _BEFORE_MONTH[month] - _BEFORE_MONTH[month - 1] + (leap and month == 2)


def weekday_of(ordinal: int) -> int:
    """Return the weekday; Monday is 0."""
    return (ordinal - 1) % 7


def year_of(ordinal: int) -> int:
    year = (ordinal * 400) // 146_097 + 1
    while year_start(year) > ordinal:
        year -= 1
    while year_start(year + 1) <= ordinal:
        year += 1
    return year


def month_and_day(ordinal: int) -> tuple[int, int]:
    """Return month and day of the month, both counted from 1."""
    year = year_of(ordinal)
    leap = is_leap(year)
    past = ordinal - year_start(year)
    month = min(past // 29 + 1, 12)
    while past < (before := _BEFORE_MONTH[month - 1] + (leap and month > 2)):
        month -= 1
    return month, past - before + 1


def week_year_start(year: int, wkst: int) -> int:
    """Return the first day of week 1: the first week, begun on `wkst`, with at least four days in the year."""
    january_first = year_start(year)
    into_week = (weekday_of(january_first) - wkst) % 7
    return january_first - into_week + (7 if into_week > 3 else 0)


def nth_day(start: int, length: int, number: int, skip: Skip) -> int | None:
    """Return day `number` of a month or year (from its end if negative). SKIP decides about days outside of it."""
    position = number - 1 if number > 0 else length + number
    if 0 <= position < length:
        return start + position
    if skip == "OMIT":
        return None
    if position < 0:
        return start if skip == "FORWARD" else start - 1
    return start + length if skip == "FORWARD" else start + length - 1


def nth_days(start: int, length: int, numbers: Iterable[int], skip: Skip) -> set[int]:
    return {day for number in numbers if (day := nth_day(start, length, number, skip)) is not None}


def weekdays_within(start: int, length: int, weekdays: Iterable[WeekdayNum]) -> set[int]:
    """Return the days of each weekday in `length` days from `start`: all of them, or the n-th from either end."""
    days: set[int] = set()
    for weekday, nth in weekdays:
        first = start + (weekday - weekday_of(start)) % 7
        if nth == 0:
            days.update(range(first, start + length, 7))
            continue
        how_many = (start + length - 1 - first) // 7 + 1
        position = nth - 1 if nth > 0 else how_many + nth
        if 0 <= position < how_many:
            days.add(first + 7 * position)
    return days
