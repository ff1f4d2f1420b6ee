"""How a caller says that something repeats, the rule that it means, and how a rule is told to him."""

import re
from datetime import date, datetime
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from msgspec import Meta, Struct

from almanac.families.calendar.model.events import AllDay, Event, When
from almanac.families.calendar.model.instance_ids import rule_of
from almanac.families.planner.clocks.days import said_day
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.events.series import end_of_day
from almanac.families.time.core.timestamps import parse_timestamp
from almanac.families.time.core.zones import find_zone
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
    """Repeat by frequency, by rrule, or by both if they agree."""

    frequency: Often | None = None
    interval: Annotated[int, Meta(ge=1, le=1000)] | None = None
    count: Annotated[int, Meta(ge=1, le=10000)] | None = None
    until: Annotated[str | None, Meta(description="The last day, included.")] = None
    weekdays: (
        Annotated[
            list[Weekday],
            Meta(description="monday or MO; in months also 2MO or -1FR.", min_length=1, max_length=60),
        ]
        | None
    ) = None
    rrule: Annotated[str, Meta(description="e.g. FREQ=MONTHLY;BYDAY=-1FR.", max_length=1000)] | None = None
    timezone: Annotated[str | None, Meta(description="IANA zone of the series.")] = None


class Repeats(Struct, frozen=True, omit_defaults=True):
    """How a series recurs. `rrule` is the whole rule in the words of RFC 5545, meant on the clocks of `timezone`."""

    rrule: str
    frequency: str
    interval: int
    count: int | None = None
    until: str | None = None
    weekdays: list[str] | None = None
    timezone: str | None = None


def repeats(series: Event, zone: ZoneInfo) -> Repeats | None:
    """As it is told on clocks in `zone`; None where there is no rule."""
    if series.rrule is None:
        return None
    rule = rule_of(series)
    own = None if isinstance(series.start, AllDay) else series.start.zone
    days = [f"{day.nth or ''}{WEEKDAYS[day.weekday]}" for day in rule.byday] or None
    return Repeats(series.rrule, rule.freq.lower(), rule.interval, rule.count, _told_until(rule, zone), days, own)


def zone_of_rule(asked: Recurrence, planner: Planner) -> ZoneInfo:
    """The zone in which the series is to recur."""
    return find_zone(asked.timezone) if asked.timezone else planner.zone


def rule_text(asked: Recurrence, start: When, planner: Planner) -> str:
    """The rule of a series that begins at `start`. Raises InvalidInput where the parts do not fit each other."""
    rule = _meant(asked, start, planner)
    _refuse_too_fine(rule, start)
    return str(rule)


def says_the_same(asked: Recurrence, series: Event, planner: Planner) -> bool:
    """Whether the series repeats like that already. Raises as `rule_text`."""
    own = None if isinstance(series.start, AllDay) else series.start.zone
    if series.rrule is None or (asked.timezone and own is not None and find_zone(asked.timezone).key != own):
        return False
    return _meant(asked, series.start, planner) == rule_of(series)


def _meant(asked: Recurrence, start: When, planner: Planner) -> Rule:
    if asked.rrule is not None:
        rule = parse_rule(asked.rrule)
        _refuse_contradiction(asked, rule, start, planner)
        return rule
    if asked.frequency is None:
        raise _wrong("recurrence says neither frequency nor rrule.", 'Write e.g. {"frequency": "weekly", "count": 10}.')
    if asked.count is not None and asked.until:
        raise _wrong("count and until exclude each other.", "Give one of them, or none for a series without end.")
    days = _days(asked)
    if days and asked.frequency not in ("weekly", "monthly", "yearly"):
        raise _wrong("weekdays go with weekly.", "Use frequency weekly, or an rrule such as FREQ=MONTHLY;BYDAY=1MO.")
    if any(day.nth for day in days) and asked.frequency == "weekly":
        raise _wrong("weekdays of a week are not counted.", "Write monday or MO, or use frequency monthly.")
    until = _until(asked.until, start, planner) if asked.until else None
    frequency = _FREQUENCIES[asked.frequency]
    return Rule(frequency, interval=asked.interval or 1, count=asked.count, until=until, byday=days)


def _refuse_contradiction(asked: Recurrence, rule: Rule, start: When, planner: Planner) -> None:
    """Whatever stands beside the rule must say what the rule says."""
    same = {
        "frequency": asked.frequency is None or asked.frequency.upper() == rule.freq,
        "interval": asked.interval in (None, rule.interval),
        "count": asked.count in (None, rule.count),
        "until": not asked.until
        or asked.until == _told_until(rule, planner.zone)
        or _until(asked.until, start, planner) == rule.until,
        "weekdays": asked.weekdays is None or _days(asked) == tuple(sorted(rule.byday)),
    }
    for name, agrees in same.items():
        if not agrees:
            raise _wrong(
                f"{name} does not say what rrule says ({rule}).",
                f"Leave {name} out, or make both say the same.",
            )


def _days(asked: Recurrence) -> tuple[WeekdayNum, ...]:
    return tuple(sorted({_day(text) for text in asked.weekdays or ()}))


def _day(text: str) -> WeekdayNum:
    written = text.strip()
    if (name := written.lower()) in _WEEK:
        return WeekdayNum(_WEEK.index(name))
    if (found := _CODE.fullmatch(written.upper())) is not None and found[1] not in ("0", "00", "+0", "-0"):
        return WeekdayNum(WEEKDAYS.index(found[2]), int(found[1] or 0))
    raise InvalidInput(
        f'"{text[:20]}" is not a weekday.',
        "Write monday or MO, and 2MO or -1FR with monthly.",
        path="recurrence.weekdays",
    )


def _refuse_too_fine(rule: Rule, start: When) -> None:
    if rule.freq in _WITHIN_A_DAY and isinstance(start, AllDay):
        raise _wrong("What repeats within a day needs a time.", "Give time, or a coarser FREQ.")
    if rule.freq in ("MINUTELY", "SECONDLY"):
        raise _wrong(f"FREQ={rule.freq} is finer than a planner keeps.", "Use HOURLY or a coarser FREQ.")
    per_hour = max(1, len(rule.byminute)) * max(1, len(rule.bysecond))
    if per_hour * (24 if rule.freq == "HOURLY" else max(1, len(rule.byhour))) > _MOST_A_DAY:
        raise _wrong(f"The rule has more than {_MOST_A_DAY} instances a day.", "Leave out some of BYHOUR or BYMINUTE.")


def _told_until(rule: Rule, zone: ZoneInfo) -> str | None:
    if isinstance(rule.until, datetime) and rule.until.tzinfo is not None:
        return rule.until.astimezone(zone).isoformat()
    return rule.until.isoformat() if rule.until is not None else None


def _until(text: str, start: When, planner: Planner) -> date | datetime:
    """As RFC 5545 wants it: a day for whole days, else an instant in UTC."""
    path = "recurrence.until"
    if _STAMP.fullmatch(text.strip()) and not isinstance(start, AllDay):
        return parse_timestamp(text, path).astimezone(find_zone("UTC")).replace(microsecond=0)
    last = said_day(text, path, planner)
    first = start.day if isinstance(start, AllDay) else start.local.date()
    if last < first:
        raise InvalidInput(
            f"The series would end on {last.isoformat()}, before it begins on {first.isoformat()}.",
            "Give a later day, or a count.",
            path=path,
        )
    return last if isinstance(start, AllDay) else end_of_day(last, start.zone)


def _wrong(message: str, hint: str) -> InvalidInput:
    return InvalidInput(message, hint, path="recurrence")
