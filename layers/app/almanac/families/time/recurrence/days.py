"""Days that a year, a month or a week contributes to a rule, as sorted ordinals (`date.toordinal`)."""

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from almanac.families.time.recurrence.gregorian import (
    CYCLE_YEARS,
    LAST_ORDINAL,
    month_and_day,
    month_span,
    nth_days,
    week_year_start,
    weekday_of,
    weekdays_within,
    year_of,
    year_start,
)
from almanac.families.time.recurrence.rule import Rule, Skip, WeekdayNum

_EVERY_WEEKDAY = tuple(WeekdayNum(weekday) for weekday in range(7))


class DayParts:
    """Parts of a rule that choose days, completed from DTSTART as RFC 5545 3.3.10 says."""

    def __init__(self, rule: Rule, start_ordinal: int) -> None:
        self.start_ordinal = start_ordinal
        self.bymonth, self.byweekno, self.byyearday = rule.bymonth, rule.byweekno, rule.byyearday
        self.bymonthday, self.byday = rule.bymonthday, rule.byday
        self.wkst = rule.wkst
        self.skip: Skip = rule.skip
        self._counts_in_year = rule.freq == "YEARLY" and not rule.bymonth
        if rule.freq in ("DAILY", "HOURLY", "MINUTELY", "SECONDLY"):
            # For these frequencies the parts only limit: without one every day matches, and no day is ever missing.
            self.byday, self.skip = rule.byday or _EVERY_WEEKDAY, "OMIT"
        elif (rule.freq == "WEEKLY" or rule.byweekno) and not rule.byday:
            self.byday = (WeekdayNum(weekday_of(start_ordinal)),)

    def of_year(self, year: int) -> Sequence[int]:
        """Return the days of a YEARLY period. With BYWEEKNO it is the year of the week numbers."""
        if self.byweekno:
            return self._of_numbered_weeks(year)
        if self.byyearday:
            start = year_start(year)
            days = nth_days(start, year_start(year + 1) - start, self.byyearday, self.skip)
            return [day for day in sorted(days) if self._passes(day)]
        months = self.bymonth or range(1, 13)
        if self.bymonthday:
            days = {day for month in months for day in nth_days(*month_span(year, month), self.bymonthday, self.skip)}
            return sorted(filter(self._on_wanted_weekday, days) if self.byday else days)
        if self.byday:
            return self._of_weekdays(year)
        month, number = self._start_month_day
        by_month = (nth_days(*month_span(year, m), (number,), self.skip) for m in self.bymonth or (month,))
        return sorted({day for days in by_month for day in days})

    def of_month(self, year: int, month: int) -> Sequence[int]:
        """Return the days of a MONTHLY period."""
        if self.bymonth and month not in self.bymonth:
            return ()
        start, length = month_span(year, month)
        if self.bymonthday:
            days = nth_days(start, length, self.bymonthday, self.skip)
            return sorted(filter(self._on_wanted_weekday, days) if self.byday else days)
        if self.byday:
            return sorted(weekdays_within(start, length, self.byday))
        return sorted(nth_days(start, length, (self._start_month_day[1],), self.skip))

    def of_week(self, start: int) -> Sequence[int]:
        """Return the days of a WEEKLY period that begins with the ordinal `start`."""
        days = [start + offset for offset in self._week_offsets]
        if self.bymonth:
            return [day for day in days if month_and_day(day)[0] in self.bymonth]
        return days

    def year_holding(self, day: int) -> int:
        """Return the year whose period holds a day: with BYWEEKNO it is the next year once that year's week 1 has
        begun."""
        year = year_of(day)
        return year + (bool(self.byweekno) and day >= week_year_start(year + 1, self.wkst))

    @cached_property
    def every_day(self) -> bool:
        limited = self.bymonth or self.byweekno or self.byyearday or self.bymonthday
        return not limited and {day.weekday for day in self.byday if not day.nth} == set(range(7))

    @cached_property
    def _week_offsets(self) -> list[int]:
        return sorted((day.weekday - self.wkst) % 7 for day in self.byday)

    @cached_property
    def _start_month_day(self) -> tuple[int, int]:
        return month_and_day(self.start_ordinal)

    def _of_weekdays(self, year: int) -> Sequence[int]:
        start = year_start(year)
        if not self.bymonth:
            end = year_start(year + 1)
            return range(start, end) if self.every_day else sorted(weekdays_within(start, end - start, self.byday))
        by_month = (weekdays_within(*month_span(year, month), self.byday) for month in self.bymonth)
        return sorted({day for days in by_month for day in days})

    def _of_numbered_weeks(self, year: int) -> Sequence[int]:
        start, end = week_year_start(year, self.wkst), week_year_start(year + 1, self.wkst)
        weeks = {number - 1 if number > 0 else (end - start) // 7 + number for number in self.byweekno}
        firsts = (start + 7 * week for week in sorted(weeks) if 0 <= week < (end - start) // 7)
        days = (first + offset for first in firsts for offset in self._week_offsets)
        return [day for day in days if self._passes(day)]

    def _passes(self, day: int) -> bool:
        """Return whether BYMONTH, BYMONTHDAY, BYYEARDAY and BYDAY all allow a day that another part has chosen."""
        year, (month, number) = year_of(day), month_and_day(day)
        if self.bymonth and month not in self.bymonth:
            return False
        if self.bymonthday:
            _, length = month_span(year, month)
            if number not in self.bymonthday and number - length - 1 not in self.bymonthday:
                return False
        if self.byyearday and self.byweekno:
            start = year_start(year)
            if day not in nth_days(start, year_start(year + 1) - start, self.byyearday, "OMIT"):
                return False
        return not self.byday or self._on_wanted_weekday(day)

    def _on_wanted_weekday(self, day: int) -> bool:
        """Return whether BYDAY allows the day. A numbered weekday counts within the month, or the year for YEARLY
        without BYMONTH."""
        parts = [part for part in self.byday if part.weekday == weekday_of(day)]
        if not parts or any(part.nth == 0 for part in parts):
            return bool(parts)
        year = year_of(day)
        if self._counts_in_year:
            start, length = year_start(year), year_start(year + 1) - year_start(year)
        else:
            start, length = month_span(year, month_and_day(day)[0])
        return day in weekdays_within(start, length, parts)


class MatchingDays:
    """Days that pass the limiting parts of a DAILY or finer rule, in order, computed year by year."""

    def __init__(self, parts: DayParts) -> None:
        self._parts = parts
        self._year = 0
        self._days: Sequence[int] = ()

    def next_from(self, ordinal: int) -> int | None:
        """Return the first matching day at or after `ordinal`; None if there is none."""
        if self._parts.every_day:
            return ordinal
        year = year_of(ordinal)
        for _ in range(CYCLE_YEARS):
            if year != self._year:
                self._year, self._days = year, self._parts.of_year(year)
            position = bisect_left(self._days, ordinal)
            if position < len(self._days):
                return self._days[position]
            year += 1
            if year_start(year) > LAST_ORDINAL:
                return None
        return None
