"""Wall times of a rule, before a zone is applied.

Each frequency jumps straight to the period with the first requested second instead of walking there from DTSTART.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice

from almanac.families.time.recurrence.budget import Budget
from almanac.families.time.recurrence.clock_grid import ClockGrid
from almanac.families.time.recurrence.days import DayParts
from almanac.families.time.recurrence.even_rows import even_rows, times_of_day
from almanac.families.time.recurrence.gregorian import CYCLE_YEARS, LAST_ORDINAL, month_and_day, weekday_of, year_of
from almanac.families.time.recurrence.line import DAY, line_second
from almanac.families.time.recurrence.rule import Rule

_FEW, _MANY = 8, 64
# After that many empty periods in a row the calendar has repeated itself, so the rule has no further instance.
_CYCLE = {"YEARLY": CYCLE_YEARS, "MONTHLY": CYCLE_YEARS * 12, "WEEKLY": CYCLE_YEARS * 146_097 // 400 // 7}


def candidates(rule: Rule, dtstart: datetime, start: int, budget: Budget) -> Iterator[Sequence[int]]:
    """Yield the rule's wall times from `start` or DTSTART on, whichever is later, in ascending lists without repeats.

    COUNT and UNTIL are left to the caller, because both depend on which of these times exist in the zone.
    """
    start = max(start, line_second(dtstart))
    rows = even_rows(rule, dtstart)
    if rows is not None:
        return _in_lists(rows.seconds_from(start))
    return _skip_before(period_by_period(rule, dtstart, start, budget), start)


def period_by_period(rule: Rule, dtstart: datetime, start: int, budget: Budget) -> Iterator[Sequence[int]]:
    """Yield the wall times of any rule, in lists of one period or a part of it.

    The first list may begin before `start`, and a period may repeat times of the one before it.
    """
    if rule.freq in _CYCLE:
        return _by_calendar(rule, dtstart, start, budget)
    return ClockGrid(rule, dtstart).seconds_from(start, budget)


def _skip_before(batches: Iterable[Sequence[int]], start: int) -> Iterator[Sequence[int]]:
    last = start - 1
    for seconds in batches:
        if new := seconds if seconds[0] > last else [second for second in seconds if second > last]:
            yield new
            last = new[-1]


def _in_lists(seconds: Iterator[int]) -> Iterator[list[int]]:
    """Yield the seconds in lists that start short, because most answers are short."""
    size = _FEW
    while some := list(islice(seconds, size)):
        yield some
        size = min(2 * size, _MANY)


def _by_calendar(rule: Rule, dtstart: datetime, start: int, budget: Budget) -> Iterator[Sequence[int]]:
    parts = DayParts(rule, dtstart.toordinal())
    times = times_of_day(rule, dtstart)
    if rule.freq == "WEEKLY" and rule.bysetpos and min(map(abs, rule.bysetpos)) > len(parts.byday) * len(times):
        return  # no need to walk 20,871 weeks until the calendar repeats itself
    days_of_period, reach = _periods(rule, parts)
    # A period may reach over its edge (numbered weeks, SKIP), so begin with the period before that of `start`. Go
    # before DTSTART's own period only for the last week of a year, which may end in DTSTART's year.
    index = max(-1 if rule.byweekno else 0, reach(start // DAY) // rule.interval - 1)
    empty = 0
    while empty <= _CYCLE[rule.freq]:
        budget.spend()
        days = days_of_period(index * rule.interval)
        if days is None:
            return
        empty += 1
        for seconds in _in_lists(_pick(days, times, rule.bysetpos, start // DAY)):
            empty = 0
            yield seconds
        index += 1


Periods = tuple[Callable[[int], Sequence[int] | None], Callable[[int], int]]


def _periods(rule: Rule, parts: DayParts) -> Periods:
    """Return two functions for periods counted from DTSTART's own.

    The first returns the days of the n-th year, month or week, None past the end of the calendar. The second returns
    the number of the period that holds a day.
    """
    if rule.freq == "YEARLY":
        return _years(parts)
    return _months(parts) if rule.freq == "MONTHLY" else _weeks(parts)


def _years(parts: DayParts) -> Periods:
    base = parts.year_holding(parts.start_ordinal)
    last = year_of(LAST_ORDINAL)
    return (
        lambda ahead: parts.of_year(base + ahead) if base + ahead <= last else None,
        lambda day: parts.year_holding(day) - base,
    )


def _months(parts: DayParts) -> Periods:
    def months(day: int) -> int:
        return year_of(day) * 12 + month_and_day(day)[0] - 1

    base, last = months(parts.start_ordinal), months(LAST_ORDINAL)

    def days(ahead: int) -> Sequence[int] | None:
        year, month = divmod(base + ahead, 12)
        return parts.of_month(year, month + 1) if base + ahead <= last else None

    return days, lambda day: months(day) - base


def _weeks(parts: DayParts) -> Periods:
    base = parts.start_ordinal - (weekday_of(parts.start_ordinal) - parts.wkst) % 7
    return (
        lambda ahead: parts.of_week(base + 7 * ahead) if base + 7 * ahead <= LAST_ORDINAL else None,
        lambda day: (day - base) // 7,
    )


def _pick(days: Sequence[int], times: Sequence[int], positions: tuple[int, ...], from_day: int) -> Iterator[int]:
    """Yield every time of every day, or the times at BYSETPOS, without building the whole set."""
    if not positions:
        for day in days[bisect_left(days, from_day) :]:
            if day <= LAST_ORDINAL:
                for time in times:
                    yield day * DAY + time
        return
    size = len(days) * len(times)
    chosen = {position - 1 if position > 0 else size + position for position in positions}
    for place in sorted(chosen):
        if 0 <= place < size:
            day, time = divmod(place, len(times))
            yield days[day] * DAY + times[time]
