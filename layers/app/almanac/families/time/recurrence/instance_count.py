"""Number of instances before a wall time, by arithmetic. COUNT needs it for a window far from DTSTART."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from almanac.families.time.recurrence.budget import Budget
from almanac.families.time.recurrence.clock_changes import clock_changes
from almanac.families.time.recurrence.clock_grid import UNIT_SECONDS, is_finer_than_day
from almanac.families.time.recurrence.even_rows import even_rows
from almanac.families.time.recurrence.line import line_second, line_time
from almanac.families.time.recurrence.moments import GapPolicy
from almanac.families.time.recurrence.rule import Rule

_STEPS_PER_YEAR = 40


def count_before(
    rule: Rule, dtstart: datetime, zone: ZoneInfo, second: int, gap_policy: GapPolicy, budget: Budget
) -> int | None:
    """Return the number of instances with wall times before `second` of the line; None if the rule is not a set of even
    rows.

    It counts as `moments` does. A wall time that the clocks skip counts only if the policy shifts it to a time without
    another instance. A repeated wall time counts twice if the rule keeps its rhythm through the change.
    """
    begin = line_second(dtstart)
    rows = even_rows(rule, dtstart)
    if rows is None or second <= begin:
        return None if rows is None else 0
    step, firsts = rows
    total = sum(_count_between(first, step, begin, second) for first in firsts)
    first_year, last_year = max(dtstart.year - 1, 2), min(line_time(second).year + 1, 9998)
    budget.spend((last_year - first_year + 1) * _STEPS_PER_YEAR)
    for change in clock_changes(zone, first_year, last_year):
        low, high = max(begin, line_second(change.begin)), min(second, line_second(change.end))
        length = change.length // timedelta(seconds=1)
        for first in firsts:
            if change.is_gap:
                falls_onto_another = any((first + length - other) % step == 0 for other in firsts)
                if gap_policy == "skip" or falls_onto_another:
                    total -= _count_between(first, step, low, high)
            elif is_finer_than_day(rule) and length % (UNIT_SECONDS[rule.freq] * rule.interval) == 0:
                total += _count_between(first, step, low, high)
    return total


def _count_between(first: int, step: int, low: int, high: int) -> int:
    """Return how many members of the row through `first` lie in [low, high)."""
    return max(0, (high - 1 - first) // step - (low - 1 - first) // step)
