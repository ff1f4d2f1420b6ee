"""Durations in words ("2 hours", "1d2h30m", "a year and 3 months"), and their effect on a wall time.

Years to days move the wall clock (a day that does not exist becomes its month's last); hours to seconds are elapsed
time. A mixed duration applies its calendar part first, then its clock part.
"""

from datetime import UTC, datetime, timedelta

from almanac.families.time.core.wall_time import resolve
from almanac.families.time.expressions.amounts import Fraction, read_amount
from almanac.families.time.expressions.calendar_steps import add_business_days, add_months
from almanac.families.time.expressions.context import Context
from almanac.families.time.expressions.vocabulary import Tokens, Unit

_MICROSECONDS = {"second": 1_000_000, "minute": 60_000_000, "hour": 3_600_000_000, "day": 86_400_000_000}
_DAYS = {"day": 1, "week": 7, "fortnight": 14}
_MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1200}
_GRAINS = ("year", "month", "week", "day", "second")


class Duration:
    """Length of time, split by kind of step. `grain` is its finest unit."""

    __slots__ = ("business_days", "days", "grain", "microseconds", "months", "units")

    def __init__(self) -> None:
        self.months = self.days = self.business_days = self.microseconds = 0
        self.units: set[Unit] = set()
        self.grain = "year"

    def add(self, amount: Fraction, unit: Unit) -> bool:
        """Add an amount and return whether the unit fits: it is new, and the fraction is a whole number of steps."""
        if unit in self.units:
            return False
        self.units.add(unit)
        top, bottom = amount
        if unit in _MONTHS:
            steps, rest = divmod(top * _MONTHS[unit], bottom)
            self.months += steps
            self._refine("month" if unit in ("month", "quarter") else "year")
        elif unit in ("week", "fortnight"):
            steps, rest = divmod(top * _DAYS[unit], bottom)
            self.days += steps
            self._refine("week")
        elif unit == "business day":
            self.business_days, rest = divmod(top, bottom)
            self._refine("day")
        elif unit == "day" and top % bottom == 0:
            self.days += top // bottom
            rest = 0
            self._refine("day")
        elif unit in _MICROSECONDS:
            self.microseconds += top * _MICROSECONDS[unit] // bottom
            rest = 0
            self._refine("second")
        else:
            return False
        return rest == 0

    def _refine(self, grain: str) -> None:
        if _GRAINS.index(grain) > _GRAINS.index(self.grain):
            self.grain = grain

    def from_local(self, start: datetime, sign: int, context: Context) -> tuple[datetime, datetime | None]:
        """Apply the duration to a wall time. Return (wall time, the instant if elapsed time was counted)."""
        moved = self._on_the_calendar(start, sign)
        if not self.microseconds:
            return moved, None
        return self._on_the_line(resolve(moved, context.zone).instant, sign, context)

    def from_instant(self, start: datetime, sign: int, context: Context) -> tuple[datetime, datetime | None]:
        """Apply the duration to an instant (UTC), with the same result as `from_local`."""
        local = start.astimezone(context.zone).replace(tzinfo=None, fold=0)
        if self.months or self.days or self.business_days:
            return self.from_local(local, sign, context)
        return self._on_the_line(start, sign, context)

    def _on_the_calendar(self, start: datetime, sign: int) -> datetime:
        day = start.date()
        if self.months:
            day = add_months(day, sign * self.months)
        if self.days:
            day += timedelta(days=sign * self.days)
        if self.business_days:
            day = add_business_days(day, sign * self.business_days)
        return datetime.combine(day, start.time())

    def _on_the_line(self, start: datetime, sign: int, context: Context) -> tuple[datetime, datetime]:
        instant = start.astimezone(UTC) + timedelta(microseconds=sign * self.microseconds)
        return instant.astimezone(context.zone).replace(tzinfo=None, fold=0), instant


def read_duration(tokens: Tokens, at: int) -> tuple[Duration, int] | None:
    """Read one or more amounts with units, separated by nothing, commas or "and"."""
    duration, end = Duration(), None
    while (part := _read_part(tokens, at)) is not None:
        amount, unit, at = part
        if not duration.add(amount, unit):
            return None
        end = at
        at += tokens[at].text == ","
        at += tokens[at].text == "and"
    return None if end is None else (duration, end)


def _read_part(tokens: Tokens, at: int) -> tuple[Fraction, Unit, int] | None:
    read = read_amount(tokens, at)
    if read is None:
        return None
    amount, at = read
    unit = read_unit(tokens, at)
    if unit is None:
        return None
    name, at = unit
    following = tokens[at + 3]
    and_a_half = [token.text for token in tokens[at : at + 3]] == ["and", "a", "half"]
    if and_a_half and following.unit is None and following.text != "an":
        return (amount[0] * 2 + amount[1], amount[1] * 2), name, at + 3
    return amount, name, at


def read_unit(tokens: Tokens, at: int) -> tuple[Unit, int] | None:
    """Read a unit of time. "Business days", "working days" and "weekdays" are the same unit."""
    token = tokens[at]
    if token.text in ("business", "working") and tokens[at + 1].unit == "day":
        return "business day", at + 2
    if token.text in ("weekday", "weekdays"):
        return "business day", at + 1
    return None if token.unit is None else (token.unit, at + 1)
