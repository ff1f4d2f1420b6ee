"""Expansion of DAILY and finer rules: an even grid of periods on the wall clock, limited by day, hour, minute and
second."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from math import gcd

from almanac.families.time.recurrence.budget import Budget
from almanac.families.time.recurrence.days import DayParts, MatchingDays
from almanac.families.time.recurrence.gregorian import LAST_ORDINAL
from almanac.families.time.recurrence.line import DAY
from almanac.families.time.recurrence.rule import Rule

_WEEK = 7 * DAY
_MANY_SUMS = 5_000
_TOGETHER = 64
UNIT_SECONDS = {"DAILY": DAY, "HOURLY": 3600, "MINUTELY": 60, "SECONDLY": 1}


def is_finer_than_day(rule: Rule) -> bool:
    return UNIT_SECONDS.get(rule.freq, DAY) < DAY


class ClockGrid:
    """Periods `INTERVAL` units apart, counted from DTSTART's, and the seconds in each."""

    def __init__(self, rule: Rule, dtstart: datetime) -> None:
        self._unit = UNIT_SECONDS[rule.freq]
        self._interval = rule.interval
        second_of_day = dtstart.hour * 3600 + dtstart.minute * 60 + dtstart.second
        self._base = (dtstart.toordinal() * DAY + second_of_day) // self._unit
        self._parts = DayParts(rule, dtstart.toordinal())
        # A part at least as coarse as the unit limits the periods; a finer part expands them.
        hours, minutes = rule.byhour or (dtstart.hour,), rule.byminute or (dtstart.minute,)
        seconds = rule.bysecond or (dtstart.second,)
        limits = ((3600, 24, rule.byhour), (60, 60, rule.byminute), (1, 60, rule.bysecond))
        self._limits = [limit for limit in limits if limit[2] and limit[0] >= self._unit]
        self._offsets = [
            hour * 3600 + minute * 60 + second
            for hour in (hours if self._unit > 3600 else (0,))
            for minute in (minutes if self._unit > 60 else (0,))
            for second in (seconds if self._unit > 1 else (0,))
        ]
        if rule.bysetpos:
            size = len(self._offsets)
            places = {position - 1 if position > 0 else size + position for position in rule.bysetpos}
            self._offsets = [self._offsets[place] for place in sorted(places) if 0 <= place < size]

    def seconds_from(self, start: int, budget: Budget) -> Iterator[Sequence[int]]:
        """Yield the rule's seconds, in lists of one period or a part of it, from the period with `start` on."""
        if not self._offsets or not self._reaches_a_limit():
            return
        days = MatchingDays(self._parts)
        allowed_day = -1
        period = self._at_or_after(start // self._unit)
        while (second := period * self._unit) <= LAST_ORDINAL * DAY + DAY - 1:
            budget.spend()
            if (day := second // DAY) != allowed_day:
                found = days.next_from(day)
                if found is None:
                    return
                if found != day:
                    period = self._at_or_after(found * DAY // self._unit)
                    continue
                allowed_day = day
            if (allowed := self._next_allowed(second)) != second:
                period = self._at_or_after(allowed // self._unit)
                continue
            for part in range(0, len(self._offsets), _TOGETHER):
                yield [second + offset for offset in self._offsets[part : part + _TOGETHER]]
            period += self._interval

    def _at_or_after(self, period: int) -> int:
        behind = max(0, period - self._base)
        return self._base - (-behind // self._interval) * self._interval

    def _next_allowed(self, second: int) -> int:
        """Return `second` if its hour, minute and second are allowed, else a later second with no allowed second in
        between."""
        for size, how_many, allowed in self._limits:
            field = second // size % how_many
            position = bisect_left(allowed, field)
            if position < len(allowed) and allowed[position] == field:
                continue
            whole = second - second % (size * how_many)
            if position == len(allowed):
                return whole + size * how_many + allowed[0] * size
            return whole + allowed[position] * size
        return second

    def _reaches_a_limit(self) -> bool:
        """Return whether the grid ever meets an allowed weekday and time of day.

        Both repeat every week, and the grid meets exactly the seconds that agree with DTSTART modulo the common
        divisor.
        """
        common = gcd(self._interval * self._unit, _WEEK)
        allowed = {size: values for size, _, values in self._limits}
        weekdays = sorted({day.weekday for day in self._parts.byday})
        choices: list[tuple[int, int, Collection[int]]] = [(DAY, 7, weekdays)]
        choices += [(size, many, allowed.get(size, ())) for size, many in ((3600, 24), (60, 60), (1, 60))]
        # Ordinal 1 is a Monday, so Mondays lie one day into the weeks of the line.
        target = (self._base * self._unit - DAY) % common
        return _can_sum([choice for choice in choices if choice[0] >= self._unit], target, common)


def _can_sum(choices: list[tuple[int, int, Collection[int]]], target: int, common: int) -> bool:
    """Return whether one value of each choice, times its size, adds up to `target` modulo `common`.

    A choice is (size, number of values, allowed values or none for all). False is always right. The function returns
    True without checking if the check would cost more than expanding the rule.
    """
    sums = {0}
    for size, how_many, allowed in choices:
        values = allowed or range(how_many)
        if len(values) == how_many and common % (size * how_many):
            common, values = gcd(common, size), (0,)
        if len(sums) * len(values) > _MANY_SUMS:
            return True
        sums = {(total + value * size) % common for total in sums for value in values}
    return target % common in sums
