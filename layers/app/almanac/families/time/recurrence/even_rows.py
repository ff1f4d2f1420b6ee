"""Rules from WEEKLY to SECONDLY without limits: their wall times form rows with one common step."""

from collections.abc import Iterator
from datetime import datetime
from itertools import chain, dropwhile
from typing import NamedTuple

from almanac.families.time.recurrence.clock_grid import UNIT_SECONDS
from almanac.families.time.recurrence.gregorian import LAST_ORDINAL, weekday_of
from almanac.families.time.recurrence.line import DAY, line_second
from almanac.families.time.recurrence.rule import Rule

_END = LAST_ORDINAL * DAY + DAY


class EvenRows(NamedTuple):
    """Rows of wall times. `firsts` has one member of each row, ascending, all within one `step` of seconds."""

    step: int
    firsts: list[int]

    def seconds_from(self, start: int) -> Iterator[int]:
        """Return the wall times from `start` on, ascending."""
        begin = -((self.firsts[-1] - start) // self.step) * self.step
        whole = range(begin, _END - self.firsts[-1], self.step)
        seconds = (first + ahead for ahead in whole for first in self.firsts)
        after = begin + len(whole) * self.step
        rest = (first + after for first in self.firsts if first + after < _END)
        return dropwhile(start.__gt__, chain(seconds, rest))


def even_rows(rule: Rule, dtstart: datetime) -> EvenRows | None:
    """Return the rule as rows; None if its wall times form none."""
    limited = rule.bymonth or rule.byweekno or rule.byyearday or rule.bymonthday or rule.bysetpos
    if limited or rule.freq in ("YEARLY", "MONTHLY"):
        return None
    midnight = dtstart.toordinal() * DAY
    if rule.freq == "WEEKLY":
        week = midnight - (weekday_of(dtstart.toordinal()) - rule.wkst) % 7 * DAY
        weekdays = [day.weekday for day in rule.byday] or [dtstart.weekday()]
        days = sorted(week + (weekday - rule.wkst) % 7 * DAY for weekday in weekdays)
        return EvenRows(7 * DAY * rule.interval, [day + time for day in days for time in times_of_day(rule, dtstart)])
    step = UNIT_SECONDS[rule.freq] * rule.interval
    if rule.byday:
        return None
    if rule.freq == "DAILY":
        return EvenRows(step, [midnight + time for time in times_of_day(rule, dtstart)])
    return None if rule.byhour or rule.byminute or rule.bysecond else EvenRows(step, [line_second(dtstart)])


def times_of_day(rule: Rule, dtstart: datetime) -> list[int]:
    """Return the rule's times of day in seconds after midnight, ascending."""
    hours, minutes = rule.byhour or (dtstart.hour,), rule.byminute or (dtstart.minute,)
    seconds = rule.bysecond or (dtstart.second,)
    return [hour * 3600 + minute * 60 + second for hour in hours for minute in minutes for second in seconds]
