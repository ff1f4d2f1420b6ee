"""How a caller says that something repeats, and the rule that it means."""

from datetime import date, datetime
from typing import Annotated, Literal

from msgspec import Meta, Struct

from almanac.families.calendar.events import AllDay, When
from almanac.families.planner.days import said_day
from almanac.families.planner.planner import Planner
from almanac.families.planner.series import end_of_day
from almanac.families.time.recurrence import Rule, WeekdayNum, parse_rule
from almanac.families.time.recurrence.rule import Frequency
from almanac.kernel.errors import InvalidInput

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_WEEK: tuple[Weekday, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_FREQUENCIES: dict[str, Frequency] = {"daily": "DAILY", "weekly": "WEEKLY", "monthly": "MONTHLY", "yearly": "YEARLY"}
_WITHIN_A_DAY = ("HOURLY", "MINUTELY", "SECONDLY")
_MOST_A_DAY = 24


class Recurrence(Struct, frozen=True, forbid_unknown_fields=True):
    """How it repeats: either `frequency` with its details, or `rrule`."""

    frequency: Annotated[
        Literal["daily", "weekly", "monthly", "yearly"] | None, Meta(description="How often it repeats.")
    ] = None
    interval: Annotated[int, Meta(description="Every so many days, weeks, months or years.", ge=1, le=1000)] = 1
    count: Annotated[int, Meta(description="So many instances altogether.", ge=1, le=10000)] | None = None
    until: Annotated[
        str | None, Meta(description="The last day, included: YYYY-MM-DD or words. Without count and until: no end.")
    ] = None
    weekdays: (
        Annotated[list[Weekday], Meta(description="With weekly: on these days.", min_length=1, max_length=7)] | None
    ) = None
    rrule: (
        Annotated[
            str,
            Meta(
                description="Instead of the rest: a rule of RFC 5545.",
                examples=["FREQ=MONTHLY;BYDAY=-1FR"],
                max_length=1000,
            ),
        ]
        | None
    ) = None


def rule_text(asked: Recurrence, start: When, planner: Planner) -> str:
    """The rule of a series that begins at `start`. Raises InvalidInput where the parts do not fit each other."""
    if asked.rrule is not None:
        if asked.frequency is not None or asked.count is not None or asked.until is not None or asked.weekdays:
            raise _wrong("rrule stands alone.", "Put the frequency, count and until into the rule itself.")
        rule = parse_rule(asked.rrule)
        _refuse_too_fine(rule, start)
        return str(rule)
    if asked.frequency is None:
        raise _wrong("recurrence says neither frequency nor rrule.", 'Write e.g. {"frequency": "weekly", "count": 10}.')
    if asked.count is not None and asked.until is not None:
        raise _wrong("count and until exclude each other.", "Give one of them, or none for a series without end.")
    if asked.weekdays and asked.frequency != "weekly":
        raise _wrong("weekdays go with weekly.", "Use frequency weekly, or an rrule such as FREQ=MONTHLY;BYDAY=1MO.")
    days = tuple(WeekdayNum(number) for number in sorted({_WEEK.index(day) for day in asked.weekdays or ()}))
    until = _until(said_day(asked.until, "recurrence.until", planner), start) if asked.until else None
    return str(Rule(_FREQUENCIES[asked.frequency], interval=asked.interval, count=asked.count, until=until, byday=days))


def _refuse_too_fine(rule: Rule, start: When) -> None:
    if rule.freq in _WITHIN_A_DAY and isinstance(start, AllDay):
        raise _wrong("What repeats within a day needs a time.", "Give time, or a coarser FREQ.")
    if rule.freq in ("MINUTELY", "SECONDLY"):
        raise _wrong(f"FREQ={rule.freq} is finer than a planner keeps.", "Use HOURLY or a coarser FREQ.")
    per_hour = max(1, len(rule.byminute)) * max(1, len(rule.bysecond))
    if per_hour * (24 if rule.freq == "HOURLY" else max(1, len(rule.byhour))) > _MOST_A_DAY:
        raise _wrong(f"The rule has more than {_MOST_A_DAY} instances a day.", "Leave out some of BYHOUR or BYMINUTE.")


def _until(last: date, start: When) -> date | datetime:
    """As RFC 5545 wants it: a day for whole days, else an instant in UTC."""
    first = start.day if isinstance(start, AllDay) else start.local.date()
    if last < first:
        raise InvalidInput(
            f"The series would end on {last.isoformat()}, before it begins on {first.isoformat()}.",
            "Give a later day, or a count.",
            path="recurrence.until",
        )
    if isinstance(start, AllDay):
        return last
    return end_of_day(last, start.zone)


def _wrong(message: str, hint: str) -> InvalidInput:
    return InvalidInput(message, hint, path="recurrence")
