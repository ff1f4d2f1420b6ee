"""Periods (weeks to years), named by themselves or relative to today, and their edges."""

from datetime import date, time, timedelta

from almanac.families.time.expressions.amounts import read_spoken_year
from almanac.families.time.expressions.calendar_steps import (
    ONE_DAY,
    SATURDAY,
    add_business_days,
    add_months,
    check_year,
    last_of_month,
    make_date,
)
from almanac.families.time.expressions.context import Context
from almanac.families.time.expressions.days import Day
from almanac.families.time.expressions.durations import read_unit
from almanac.families.time.expressions.vocabulary import MONTHS, Tokens, Unit

_MONTHS_IN: dict[Unit, int] = {"month": 1, "quarter": 3, "year": 12}
_WEEKS = {1: "next week, not of this one", -1: "last week"}
_LAST_SECOND = time(23, 59, 59)
Read = tuple[Day, int]


def period(unit: Unit, steps: int, context: Context) -> Day | None:
    """Return the period `steps` after the current one; None for a unit without such periods."""
    today = context.today
    if unit == "day":
        return Day(today + timedelta(days=steps))
    if unit == "week":
        into = (today.weekday() - context.first_weekday) % 7
        return Day(today - timedelta(days=into) + timedelta(weeks=steps), unit)
    if unit == "weekend":
        saturday = today + timedelta(days=SATURDAY - today.weekday()) + timedelta(weeks=steps)
        note = f'"{"next" if steps > 0 else "last"} weekend" read as that of {_WEEKS[steps]}' if steps in _WEEKS else ""
        return Day(saturday, unit, note=note)
    if unit in _MONTHS_IN:
        size = _MONTHS_IN[unit]
        first = today.replace(month=(today.month - 1) // size * size + 1, day=1)
        return Day(add_months(first, steps * size), unit)
    if unit == "business day" and steps:
        return Day(add_business_days(today, steps))
    return None


def last_day(day: Day) -> date:
    """Return the last day of the period."""
    if day.unit == "week":
        return day.start + timedelta(days=6)
    if day.unit == "weekend":
        return day.start + ONE_DAY
    if day.unit in _MONTHS_IN:
        year, month = divmod(day.start.month - 1 + _MONTHS_IN[day.unit] - 1, 12)
        return last_of_month(day.start.replace(year=day.start.year + year, month=month + 1, day=1))
    return day.start


def read_relative_period(tokens: Tokens, at: int, context: Context) -> Read | None:
    """ "next quarter", "this past weekend", "week after next", "month before last"."""
    token = tokens[at]
    steps = token.direction
    if steps is None:
        unit = read_unit(tokens, at)
        if unit is None:
            return None
        steps = steps_beyond(tokens, unit[1])
        found = period(unit[0], steps, context) if steps else None
        return None if found is None else (found, unit[1] + 2)
    at += 1
    if steps == 0 and tokens[at].direction:  # "this past", "this coming"
        steps, at = tokens[at].direction or 0, at + 1
    unit = read_unit(tokens, at)
    if unit is None:
        return None
    found = period(unit[0], steps, context)
    return None if found is None else (found, unit[1])


def steps_beyond(tokens: Tokens, at: int) -> int:
    """Return 2 for "after next", -2 for "before last", else 0. "After next Friday" is another form."""
    following = tokens[at + 2]
    if following.weekday is not None or following.unit is not None or following.month is not None:
        return 0
    if tokens[at].text == "after" and tokens[at + 1].direction == 1:
        return 2
    return -2 if tokens[at].text == "before" and tokens[at + 1].direction == -1 else 0


def read_year(tokens: Tokens, at: int, context: Context) -> tuple[int, int] | None:
    """ "2026", "'26", "twenty sixteen", "next year"."""
    at += tokens[at].unit == "year" and tokens[at + 1].digits == 4
    token = tokens[at]
    if token.digits == 4 and token.number:
        return token.number, at + 1
    if token.text == "'" and tokens[at + 1].digits == 2:
        return nearest_century(tokens[at + 1].number or 0, context), at + 2
    if token.direction is not None and tokens[at + 1].unit == "year":
        return check_year(context.today.year + token.direction), at + 2
    return read_spoken_year(tokens, at)


def nearest_century(two_digits: int, context: Context) -> int:
    """Return the year with these last two digits within fifty years of today."""
    year = context.today.year // 100 * 100 + two_digits
    if year > context.today.year + 50:
        return year - 100
    return check_year(year + 100 if year <= context.today.year - 50 else year)


def read_month(tokens: Tokens, at: int, context: Context) -> Read | None:
    """ "March", "March 2026", "next October", "last January", "March next year"."""
    direction = tokens[at].direction
    if direction is not None and tokens[at + 1].month is not None:
        return _month_by_direction(tokens[at + 1].month or 0, direction, context), at + 2
    month = tokens[at].month
    if month is None:
        return None
    after = at + 1
    after += tokens[after].text in (",", "of", "-")
    year = read_year(tokens, after, context)
    if year is not None:
        return Day(make_date(year[0], month, 1), "month"), year[1]
    return next_month_named(month, context), at + 1


def next_month_named(month: int, context: Context) -> Day:
    """Return the month of this year, or of the next year if it has passed; the current month counts."""
    year = context.today.year + (month < context.today.month)
    first = make_date(year, month, 1)
    note = f'"{MONTHS[month - 1]}" read as {MONTHS[month - 1]} {year}, the first not over yet'
    return Day(first, "month", note=note, others=(first, add_months(first, 12)), fixed=False)


def _month_by_direction(month: int, direction: int, context: Context) -> Day:
    today, year = context.today, context.today.year
    if direction > 0:
        year += month <= today.month
    elif direction < 0:
        year -= month >= today.month
    first = make_date(year, month, 1)
    names = {1: "next", 0: "this", -1: "last"}
    meanings = {1: "the first after this month", 0: "that of this year", -1: "the latest before this month"}
    note = f'"{names[direction]} {MONTHS[month - 1]}" read as {MONTHS[month - 1]} {year}, {meanings[direction]}'
    return Day(first, "month", note=note)


def read_quarter(tokens: Tokens, at: int, context: Context) -> Read | None:
    """ "Q3 2026", "2026 Q3", "third quarter of 2026"."""
    year = None
    if tokens[at].digits == 4:
        year, at = tokens[at].number or 0, at + 1
    if tokens[at].text == "q" and tokens[at + 1].number is not None:
        quarter = tokens[at + 1].number
    elif tokens[at].ordinal is not None and tokens[at + 1].unit == "quarter":
        quarter = tokens[at].ordinal
    else:
        return None
    at += 2
    if year is None:
        at += tokens[at].text in ("of", ",", "in")
        found = read_year(tokens, at, context)
        if found is None:
            return None
        year, at = found
    if quarter is None or not 1 <= quarter <= 4:
        return None
    return Day(make_date(year, quarter * 3 - 2, 1), "quarter"), at


def read_period(tokens: Tokens, at: int, context: Context) -> Read | None:
    """Read a period that can have an edge or an ordinal: "[this|next|last] month", "March 2026", "2026", "Q3 2026"."""
    found = (
        read_relative_period(tokens, at, context)
        or read_month(tokens, at, context)
        or read_quarter(tokens, at, context)
    )
    if found is not None:
        return found
    year = read_year(tokens, at, context)
    if year is not None:
        return Day(make_date(year[0], 1, 1), "year"), year[1]
    unit = tokens[at].unit
    current = period(unit, 0, context) if unit is not None else None
    return None if current is None else (current, at + 1)


def edge_of(edge: str, of: Day) -> Day | None:
    """Return the first midnight, the middle day or the last second of a period; None if it has no agreed middle."""
    whole = of.unit == "day"
    if edge == "start":
        return Day(of.start, note=of.note, at=time(), complete=whole)
    if edge == "end":
        return Day(last_day(of), at=_LAST_SECOND, note=of.note, complete=whole)
    if of.unit == "month":
        return Day(of.start.replace(day=15), note=_join_notes(of.note, "the middle of a month read as its 15th"))
    if of.unit == "year":
        return Day(of.start.replace(month=7), note=_join_notes(of.note, "the middle of a year read as 1 July"))
    return None


def _join_notes(first: str, second: str) -> str:
    return f"{first}; {second}" if first else second
