"""Move of a whole series: its rule, its dates and its exceptions, all by the same distance.

Distances are those of wall clocks in the zone of the series, so that a daily 9:00 that moves to 10:00 is at 10:00 on
both sides of a clock change.
"""

from dataclasses import replace as with_parts
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from almanac.families.calendar.model.events import AllDay, Event, Period, When, ZonedTime, instant_of
from almanac.families.time.core.zones import UTC_ZONE
from almanac.families.time.recurrence import Rule, WeekdayNum, expand, parse_rule
from almanac.kernel.errors import InvalidInput

_NONE = timedelta()
_DAY = timedelta(days=1)
_COMPARED = 150
"""Number of instances of the rule that are compared before and after the move."""


def move_series(series: Event, start: When, end: When) -> Event:
    """Return the series with its first instance from `start` to `end`, of the same kind as before.

    Raises InvalidInput if no rule expresses all instances at their new times.
    """
    move = _Move(series, start, end)
    moved = replace(
        series,
        start=start,
        end=end,
        exdates=tuple(map(move.slot, series.exdates)),
        rdates=tuple(map(move.slot, series.rdates)),
        periods=tuple(Period(move.slot(one.start), move.end(one.end)) for one in series.periods),
    )
    return replace(
        moved,
        rrule=move.rule(series.rrule) if series.rrule is not None else None,
        further_rrules=tuple(map(move.rule, series.further_rrules)),
        exrules=tuple(map(move.rule, series.exrules)),
    )


def move_exception(exception: Event, before: Event, after: Event) -> Event:
    """Return the exception at the same distance from the moved series as from the series before."""
    move = _Move(before, after.start, after.end)
    slot = exception.recurrence_id
    moved = replace(
        exception,
        recurrence_id=move.slot(slot) if slot is not None else None,
        sequence=max(exception.sequence, after.sequence),
    )
    start, end = _later(exception.start, move.by), move.end(exception.end)
    if exception.is_series:
        return move_series(moved, start, end)
    # A series that gets shorter must not turn a short exception around.
    if instant_of(end, comparison_zone(before)) < instant_of(start, comparison_zone(before)):
        end = _later(exception.end, move.by)
    return replace(moved, start=start, end=end)


def comparison_zone(series: Event) -> ZoneInfo:
    """Return the zone in which two times of a series are compared."""
    return series.start.tzinfo if isinstance(series.start, ZonedTime) else UTC_ZONE


class _Move:
    def __init__(self, series: Event, start: When, end: When) -> None:
        self._series = series
        self._zone = comparison_zone(series)
        self._first = self._wall(series.start)
        self._start = self._wall(start)
        self.by = self._start - self._first
        self._end_by = self._wall(end) - self._wall(series.end)

    def slot(self, when: When) -> When:
        """Move the original start of an instance, or a date that adds or excludes one."""
        if isinstance(when, AllDay):
            return AllDay(when.day + (self._start.date() - self._first.date()))
        if isinstance(self._series.start, ZonedTime) and when.zone != self._zone.key:
            # Distances apply on the clocks of the series, even if a program wrote this date in UTC.
            when = ZonedTime(self._wall(when), self._zone.key)
        return _later(when, self.by)

    def end(self, when: When) -> When:
        return _later(when, self._end_by)

    def rule(self, text: str) -> str:
        """Return the rule after the move. Raises InvalidInput if none fits."""
        before = parse_rule(text)
        days = (self._start.date() - self._first.date()).days
        after = with_parts(
            before,
            until=self._until(before.until),
            bymonthday=tuple(sorted(day + days if day > 0 else day for day in before.bymonthday)),
            byday=_weekdays(before, days),
            wkst=(before.wkst + days) % 7 if before.byday or before.freq == "WEEKLY" else before.wkst,
            **self._clock(before),
        )
        try:
            again = parse_rule(str(after))
            if self._first_instances(again, self._start) == [
                one + self.by for one in self._first_instances(before, self._first)
            ]:
                return str(after)
        except InvalidInput:
            pass
        raise InvalidInput(
            f"The rule of the series ({text[:120]}) cannot be written for the new days.",
            "Keep the day and change the time of day, or cancel the series and book it anew.",
            path="start",
        )

    def _until(self, until: datetime | date | None) -> datetime | date | None:
        if not isinstance(until, datetime):
            return until + (self._start.date() - self._first.date()) if until is not None else None
        if until.tzinfo is None:
            return until + self.by
        local = until.astimezone(self._zone).replace(tzinfo=None)
        return ZonedTime(local + self.by, self._zone.key).instant

    def _clock(self, rule: Rule) -> dict[str, tuple[int, ...]]:
        """Return the parts of the time of day, each shifted by the difference of the starts."""
        parts = {"byhour": rule.byhour, "byminute": rule.byminute, "bysecond": rule.bysecond}
        clock = {"byhour": self._start.hour, "byminute": self._start.minute, "bysecond": self._start.second}
        former = {"byhour": self._first.hour, "byminute": self._first.minute, "bysecond": self._first.second}
        return {
            name: tuple(sorted({each + clock[name] - former[name] for each in values}))
            for name, values in parts.items()
        }

    def _first_instances(self, rule: Rule, first: datetime) -> list[datetime]:
        """Return the first instances as wall times in UTC, which has no clock changes, and without the end of
        the rule."""
        endless = with_parts(rule, count=None, until=None)
        occurrences = expand(endless, first, UTC_ZONE, limit=_COMPARED).occurrences
        return [one.local.replace(tzinfo=None) for one in occurrences]

    def _wall(self, when: When) -> datetime:
        if isinstance(when, AllDay):
            return datetime.combine(when.day, time())
        if when.zone == self._zone.key:
            return when.local
        return when.instant.astimezone(self._zone).replace(tzinfo=None)


def _weekdays(rule: Rule, days: int) -> tuple[WeekdayNum, ...]:
    """Return the weekdays that many days later. The second Tuesday of a month becomes the third a week later."""
    weeks = days // 7 if days % 7 == 0 else 0
    moved = (WeekdayNum((one.weekday + days) % 7, one.nth + weeks if one.nth else 0) for one in rule.byday)
    return tuple(sorted(moved))


def _later(when: When, by: timedelta) -> When:
    if isinstance(when, AllDay):
        return AllDay(when.day + timedelta(days=by // _DAY))
    return replace(when, local=when.local + by, fold=when.fold if by == _NONE else 0)
