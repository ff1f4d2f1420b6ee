"""Recurrence in arguments and results, and its rules."""

import re
from datetime import date, datetime
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from msgspec import Meta, Struct

from almanac.families.calendar.model.events import AllDay, Event, When
from almanac.families.calendar.model.instance_ids import rule_of
from almanac.families.planner.core.days import parse_day
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.events.series import end_of_day
from almanac.families.time.core.timestamps import no_zone, parse_timestamp
from almanac.families.time.core.zones import UTC_ZONE, find_zone, place_zone
from almanac.families.time.recurrence import Rule, WeekdayNum, parse_rule
from almanac.families.time.recurrence.rule import WEEKDAYS, Frequency
from almanac.kernel.errors import InvalidInput

Often = Literal["daily", "weekly", "monthly", "yearly", "hourly", "minutely", "secondly"]
_WEEK = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_FREQUENCIES: dict[Often, Frequency] = {
    "daily": "DAILY",
    "weekly": "WEEKLY",
    "monthly": "MONTHLY",
    "yearly": "YEARLY",
    "hourly": "HOURLY",
    "minutely": "MINUTELY",
    "secondly": "SECONDLY",
}
_WITHIN_A_DAY = ("HOURLY", "MINUTELY", "SECONDLY")
_MOST_A_DAY = 24
_CODE = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_STAMP = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ].*(?:[Zz]|[+-]\d{2}:?\d{2})")

Weekday = Annotated[str, Meta(max_length=12)]


class Recurrence(Struct, frozen=True, forbid_unknown_fields=True):
    """By frequency or rrule."""

    frequency: Often | None = None
    interval: Annotated[int, Meta(ge=1, le=1000)] | None = None
    count: Annotated[int, Meta(ge=1, le=10000)] | None = None
    until: Annotated[str | None, Meta(description="The last day, included.")] = None
    weekdays: (
        Annotated[
            list[Weekday],
            Meta(description="monday, MO, 2MO or -1FR.", min_length=1, max_length=60),
        ]
        | None
    ) = None
    rrule: Annotated[str, Meta(description="e.g. FREQ=MONTHLY;BYDAY=-1FR.", max_length=1000)] | None = None
    timezone: Annotated[str | None, Meta(description="IANA zone of the series.")] = None


class Repeats(Struct, frozen=True, omit_defaults=True):
    """The recurrence of a series. `rrule` is the whole rule in the words of RFC 5545, meant on the clocks of
    `timezone`."""

    rrule: str
    frequency: str
    interval: int
    count: int | None = None
    until: str | None = None
    weekdays: list[str] | None = None
    timezone: str | None = None


def repeats(series: Event, zone: ZoneInfo) -> Repeats | None:
    """Return the recurrence of a series, shown in `zone`; None if it has no rule."""
    if series.rrule is None:
        return None
    rule = rule_of(series)
    own = None if isinstance(series.start, AllDay) else series.start.zone
    days = [f"{day.nth or ''}{WEEKDAYS[day.weekday]}" for day in rule.byday] or None
    return Repeats(series.rrule, rule.freq.lower(), rule.interval, rule.count, _until_text(rule, zone), days, own)


def zone_of_rule(recurrence: Recurrence, planner: Planner) -> ZoneInfo:
    """Return the zone in which the series recurs."""
    if recurrence.timezone:
        return find_zone(recurrence.timezone)
    zone = planner.zone
    if place_zone(zone) is not zone:  # an offset, which is not the zone of any place
        raise no_zone()
    return zone


def rule_text(recurrence: Recurrence, start: When, planner: Planner) -> str:
    """Return the RRULE of a series that starts at `start`. Raises InvalidInput for parts that contradict each other."""
    rule = _rule(recurrence, start, planner)
    _refuse_too_fine(rule, start)
    return str(rule)


def says_the_same(recurrence: Recurrence, series: Event, planner: Planner) -> bool:
    """Return whether the series already has this recurrence. Raises as `rule_text`."""
    own = None if isinstance(series.start, AllDay) else series.start.zone
    if series.rrule is None or (recurrence.timezone and own is not None and find_zone(recurrence.timezone).key != own):
        return False
    return _rule(recurrence, series.start, planner) == rule_of(series)


def _rule(recurrence: Recurrence, start: When, planner: Planner) -> Rule:
    if recurrence.rrule is not None:
        rule = parse_rule(recurrence.rrule)
        _refuse_contradiction(recurrence, rule, start, planner)
        return rule
    if recurrence.frequency is None:
        raise _wrong("recurrence has neither frequency nor rrule.", 'Write e.g. {"frequency": "weekly", "count": 10}.')
    if recurrence.count is not None and recurrence.until:
        raise _wrong("count and until exclude each other.", "Give one of them, or none for a series without end.")
    days = _days(recurrence)
    if days and recurrence.frequency not in ("weekly", "monthly", "yearly"):
        raise _wrong(
            "weekdays needs frequency weekly.", "Use frequency weekly, or an rrule such as FREQ=MONTHLY;BYDAY=1MO."
        )
    if any(day.nth for day in days) and recurrence.frequency == "weekly":
        raise _wrong("A weekly rule cannot number its weekdays.", "Write monday or MO, or use frequency monthly.")
    until = _until(recurrence.until, start, planner) if recurrence.until else None
    frequency = _FREQUENCIES[recurrence.frequency]
    return Rule(frequency, interval=recurrence.interval or 1, count=recurrence.count, until=until, byday=days)


def _refuse_contradiction(recurrence: Recurrence, rule: Rule, start: When, planner: Planner) -> None:
    """Raise InvalidInput for a field that contradicts rrule."""
    agreement = {
        "frequency": recurrence.frequency is None or recurrence.frequency.upper() == rule.freq,
        "interval": recurrence.interval in (None, rule.interval),
        "count": recurrence.count in (None, rule.count),
        "until": not recurrence.until
        or recurrence.until == _until_text(rule, planner.zone)
        or _until(recurrence.until, start, planner) == rule.until,
        "weekdays": recurrence.weekdays is None or _days(recurrence) == tuple(sorted(rule.byday)),
    }
    for name, agrees in agreement.items():
        if not agrees:
            raise _wrong(
                f"{name} contradicts the rrule ({rule}).",
                f"Leave {name} out, or make both say the same.",
            )


def _days(recurrence: Recurrence) -> tuple[WeekdayNum, ...]:
    return tuple(sorted({_day(text) for text in recurrence.weekdays or ()}))


def _day(text: str) -> WeekdayNum:
    text_of_day = text.strip()
    if (name := text_of_day.lower()) in _WEEK:
        return WeekdayNum(_WEEK.index(name))
    if (code := _CODE.fullmatch(text_of_day.upper())) is not None and code[1] not in ("0", "00", "+0", "-0"):
        return WeekdayNum(WEEKDAYS.index(code[2]), int(code[1] or 0))
    raise InvalidInput(
        f'"{text[:20]}" is not a weekday.',
        "Write monday or MO, and 2MO or -1FR with monthly.",
        path="recurrence.weekdays",
    )


def _refuse_too_fine(rule: Rule, start: When) -> None:
    if rule.freq in _WITHIN_A_DAY and isinstance(start, AllDay):
        raise _wrong("An event that repeats within a day needs a time.", "Give time, or a coarser FREQ.")
    if rule.freq in ("MINUTELY", "SECONDLY"):
        raise _wrong(f"FREQ={rule.freq} is too fine for the planner.", "Use HOURLY or a coarser FREQ.")
    per_hour = max(1, len(rule.byminute)) * max(1, len(rule.bysecond))
    if per_hour * (24 if rule.freq == "HOURLY" else max(1, len(rule.byhour))) > _MOST_A_DAY:
        raise _wrong(f"The rule has more than {_MOST_A_DAY} instances a day.", "Leave out some of BYHOUR or BYMINUTE.")


def _until_text(rule: Rule, zone: ZoneInfo) -> str | None:
    if isinstance(rule.until, datetime) and rule.until.tzinfo is not None:
        return rule.until.astimezone(zone).isoformat()
    return rule.until.isoformat() if rule.until is not None else None


def _until(text: str, start: When, planner: Planner) -> date | datetime:
    """Return UNTIL as in RFC 5545: a day for whole days, otherwise an instant in UTC."""
    path = "recurrence.until"
    if _STAMP.fullmatch(text.strip()) and not isinstance(start, AllDay):
        return parse_timestamp(text, path).astimezone(UTC_ZONE).replace(microsecond=0)
    last = parse_day(text, path, planner)
    first = start.day if isinstance(start, AllDay) else start.local.date()
    if last < first:
        raise InvalidInput(
            f"The series would end on {last.isoformat()}, before it begins on {first.isoformat()}.",
            "Give a later day, or a count.",
            path=path,
        )
    return last if isinstance(start, AllDay) else end_of_day(last, start.tzinfo)


def _wrong(message: str, hint: str) -> InvalidInput:
    return InvalidInput(message, hint, path="recurrence")
