"""Absolute dates: in figures ("03/18/2026", "18.3.2026"), written ("18 March", "March 18th, 2026"), day of the month.

Between slashes or dashes the month comes first, between dots the day, unless only the other order is a date. A date
without a year is the next such day, today included.
"""

from datetime import date

from almanac.families.time.expressions.amounts import read_count, read_ordinal
from almanac.families.time.expressions.calendar_steps import add_months, days_in_month, is_leap, make_date
from almanac.families.time.expressions.context import Context
from almanac.families.time.expressions.days import Day, day_label
from almanac.families.time.expressions.periods import Read, nearest_century, read_year
from almanac.families.time.expressions.refusal import impossible
from almanac.families.time.expressions.vocabulary import MONTHS, Token, Tokens


def read_figures(tokens: Tokens, at: int, context: Context) -> Read | None:
    """Read a date written in figures only."""
    parts = tokens[at].date
    if parts is None:
        return None
    *fields, sign = parts
    day = _three(fields, sign, context) if len(fields) == 3 else _two(fields, sign, context)
    return None if day is None else (day, at + 1)


def _three(fields: list[str], sign: str, context: Context) -> Day | None:
    first, second, third = map(int, fields)
    lengths = [len(field) for field in fields]
    if lengths[0] == 4 and lengths[2] <= 2:
        if sign != "-" and second > 12 >= third:
            return Day(make_date(first, third, second))
        return Day(make_date(first, second, third))
    if lengths[0] > 2 or lengths[2] not in (2, 4):
        return None
    note = ""
    if lengths[2] == 2:
        if sign == "-" or (sign == "." and lengths != [2, 2, 2]):
            return None
        third = nearest_century(third, context)
        note = f"the year read as {third}"
    month, day = (second, first) if _day_first(first, second, sign) else (first, second)
    found = make_date(third, month, day)
    if not note and first != second and first <= 12 and second <= 12:
        note = f'"{sign.join(fields)}" read {"day" if sign == "." else "month"} first, as {day_label(found)}'
    return Day(found, note=note)


def _day_first(first: int, second: int, sign: str) -> bool:
    return second <= 12 if sign == "." else first > 12 >= second


def _two(fields: list[str], sign: str, context: Context) -> Day | None:
    first, second = map(int, fields)
    if len(fields[0]) == 4:
        return Day(make_date(first, second, 1), "month") if len(fields[1]) == 2 else None
    if len(fields[1]) == 4:
        return Day(make_date(second, first, 1), "month")
    if len(fields[1]) > 2:
        return None
    month, day = (second, first) if _day_first(first, second, sign) else (first, second)
    return next_date(month, day, context)


def next_date(month: int, day: int, context: Context) -> Day:
    """Return the next day with this month and number, today included. Raises InvalidInput if no year has it."""
    check_day(month, day)
    today = context.today
    leap_day = (month, day) == (2, 29)
    years = [year for year in range(today.year - 8, today.year + 9) if not leap_day or is_leap(year)]
    days = [date(year, month, day) for year in years if 1 <= year <= 9999]
    coming = next((found for found in days if found >= today), None)
    if coming is None:
        make_date(today.year + 1, month, day)  # says which years there are
        coming = days[-1]
    near = sorted(days, key=lambda found: abs(found - today))
    others = near[:2] if leap_day else near[:3]
    return Day(
        coming, note=f"no year given: read as the next such day, {day_label(coming)}", others=others, fixed=False
    )


def check_day(month: int, day: int) -> None:
    """Raise InvalidInput if no year has such a day."""
    if not 1 <= month <= 12:
        raise impossible(f"There is no month {month}.", "Months run from 1 to 12.")
    length = days_in_month(2000, month)
    if not 1 <= day <= length:
        raise impossible(f"{MONTHS[month - 1]} has no day {day}.", f"Its days run from 1 to {length}.")


def read_written(tokens: Tokens, at: int, context: Context) -> Read | None:
    """ "March 18th, 2026", "18 of March", "18-Mar-2026"."""
    token = tokens[at]
    if token.digits == 4:
        return _read_year_first(tokens, at, token.number or 0)
    if token.month is not None:
        month, after = token.month, at + 1
        after += tokens[after].text in ("-", "/", ",")
        found = _read_day_number(tokens, after)
    else:
        found = _read_day_number(tokens, at)
        month = 0
    if found is None:
        return None
    day, after = found
    dashed = tokens[after].text == "-"
    if not month:
        after += tokens[after].text in ("-", "/", "of", ",")
        if (month := tokens[after].month or 0) == 0:
            return None
        after += 1
    return _with_year(tokens, after, month, day, context, dashed)


def _read_year_first(tokens: Tokens, at: int, year: int) -> Read | None:
    """ "2026 March 5", "2026-Mar-05"."""
    at += 1 + (tokens[at + 1].text in (",", "-", "/"))
    month = tokens[at].month
    found = None if month is None else _read_day_number(tokens, at + 1 + (tokens[at + 1].text in ("-", "/")))
    return None if found is None or month is None else (Day(make_date(year, month, found[0])), found[1])


def _read_day_number(tokens: Tokens, at: int) -> tuple[int, int] | None:
    """Read a day of the month as a figure, a word or an ordinal, unless it is the hour of a time."""
    found = read_ordinal(tokens, at)
    if found is None and tokens[at].digits <= 2:
        found = read_count(tokens, at)
    if found is None or found[0] < 1:
        return None
    following = tokens[found[1]]
    if following.meridiem is not None or following.text == "oclock":
        return None
    return found


def _with_year(tokens: Tokens, at: int, month: int, day: int, context: Context, dashed: bool) -> Read:
    after = at + (tokens[at].text in (",", "of", "-", "/"))
    token = tokens[after]
    if dashed and token.digits == 2 and tokens[at].text == "-":
        year = nearest_century(token.number or 0, context)
        return Day(make_date(year, month, day), note=f"the year read as {year}"), after + 1
    if not (after == at and reads_as_time(token)):
        found = read_year(tokens, after, context)
        if found is not None:
            return Day(make_date(found[0], month, day)), found[1]
    return next_date(month, day, context), at


def reads_as_time(token: Token) -> bool:
    """Return whether four figures are a time of day rather than a year: "0710", "2255"."""
    return token.digits == 4 and (token.text[0] == "0" or 2200 <= (token.number or 0) < 2360)


def with_year(day: Day, year: int) -> Day | None:
    """Return the same day in that year; None if the words already fix a year."""
    if day.fixed:
        return None
    return Day(make_date(year, day.start.month, day.start.day), day.unit)


def read_day_of_month(tokens: Tokens, at: int, context: Context) -> Read | None:
    """ "the 20th": the next such day, today included."""
    ordinal = tokens[at].ordinal
    if ordinal is None or not tokens[at].text[0].isdigit() or not 1 <= ordinal <= 31:
        return None
    if tokens[at + 1].unit is not None or tokens[at + 1].text in ("of", "in"):
        return None
    days: list[date] = []
    first = context.today.replace(day=1)
    for step in range(-2, 14):
        month = add_months(first, step)
        if days_in_month(month.year, month.month) >= ordinal:
            days.append(month.replace(day=ordinal))
    coming = [found for found in days if found >= context.today]
    note = f"no month given: read as the next such day, {day_label(coming[0])}"
    return Day(coming[0], note=note, others=coming), at + 1
