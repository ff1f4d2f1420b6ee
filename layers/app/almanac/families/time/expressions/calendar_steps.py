"""Calendar arithmetic: valid dates, months with the day limited to the month's last, and business days."""

from datetime import date, timedelta

from almanac.families.time.expressions.refusal import impossible
from almanac.families.time.expressions.vocabulary import MONTHS

ONE_DAY = timedelta(days=1)
SATURDAY = 5
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def days_in_month(year: int, month: int) -> int:
    return 29 if month == 2 and is_leap(year) else _LENGTHS[month - 1]


def check_year(year: int) -> int:
    """Return the year. Raises InvalidInput outside 1 to 9999."""
    if not 1 <= year <= 9999:
        raise impossible("The expression leads outside the years 1 to 9999.", "Ask for a nearer time.")
    return year


def make_date(year: int, month: int, day: int) -> date:
    """Return the date. Raises InvalidInput if the calendar has no such date."""
    check_year(year)
    if not 1 <= month <= 12:
        raise impossible(f"There is no month {month}.", "Months run from 1 to 12.")
    if not 1 <= day <= (length := days_in_month(year, month)):
        raise impossible(f"{MONTHS[month - 1]} {year} has no day {day}.", f"Its days run from 1 to {length}.")
    return date(year, month, day)


def add_months(day: date, months: int) -> date:
    """Return the same day `months` later, or the month's last day if it has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    check_year(year)
    return date(year, month + 1, min(day.day, days_in_month(year, month + 1)))


def add_business_days(day: date, count: int) -> date:
    """Return the day `count` business days later (earlier if negative), without Saturdays and Sundays. Holidays are
    unknown."""
    if count < 0 and day.weekday() >= SATURDAY:
        day += timedelta(days=7 - day.weekday())  # Monday: one step back from it is Friday
    elif day.weekday() >= SATURDAY:
        day -= timedelta(days=day.weekday() - 4)  # Friday: one step on from it is Monday
    weeks, rest = divmod(abs(count), 5)
    step = 1 if count > 0 else -1
    day += timedelta(weeks=weeks * step)
    for _ in range(rest):
        day += ONE_DAY * step
        while day.weekday() >= SATURDAY:
            day += ONE_DAY * step
    return day


def last_of_month(day: date) -> date:
    return day.replace(day=days_in_month(day.year, day.month))
