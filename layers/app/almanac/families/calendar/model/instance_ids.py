"""Ids of single instances of a series, shared by the calendar's and the planner's tools.

`<series>_20260316` if the rule gives a day at most one instance; `<series>_20260316T090000`, on the clock of the
series, if a day may have several; `<series>_20260316T060000Z`, in UTC, for the second of two at the same wall time.
`<series>_20260316T000002` if the rule gives a day at most one instance and the instances got other ids twice, and
`<series>_20260316T090002` if a day may have several: an exception keeps its id when its series moves to other days or
times, and no other instance may then be called so.
"""

import re
from datetime import date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from almanac.families.calendar.model.events import AllDay, Event, When, convert_to_zone
from almanac.families.time.recurrence import Rule, parse_rule
from almanac.kernel.instants import instant_at

_INSTANCE = re.compile(r"(.+)_(\d{8})(?:T(\d{6})Z?)?")
_OWN_UID = "@almanac"
_DAYS_OR_MORE = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")


class InstanceId(NamedTuple):
    """Parts of an instance's id. `clock` is None if the day alone identifies the instance."""

    series: str
    day: date
    clock: time | None


def read_instance_id(text: str) -> InstanceId | None:
    """Return the parts of an instance's id; None for any other id."""
    match = _INSTANCE.fullmatch(text)
    if match is None:
        return None
    try:
        day = datetime.strptime(match[2], "%Y%m%d").date()  # noqa: DTZ007 - a day of the series' own zone
        clock = time.fromisoformat(match[3]) if match[3] else None
    except ValueError:
        return None
    return InstanceId(match[1], day, clock)


def instance_id(series: Event, slot: When) -> str:
    """Return the id of an instance: its day, with the time if a day has several. It is stable while the instance keeps
    both."""
    if isinstance(slot, AllDay) or is_daily_at_most(series):
        return id_on_day(series, slot_day(slot))
    renamed = timedelta(seconds=series.renamed)
    if slot.fold:
        return f"{series.id}_{slot.instant + renamed:%Y%m%dT%H%M%SZ}"
    return f"{series.id}_{slot.local + renamed:%Y%m%dT%H%M%S}"


def id_on_day(series: Event, day: date) -> str:
    """Return the id of the only instance on a day of a series."""
    if not series.renamed:
        return f"{series.id}_{day:%Y%m%d}"
    return f"{series.id}_{datetime.combine(day, time()) + timedelta(seconds=series.renamed):%Y%m%dT%H%M%S}"


def is_instance(series: Event, slot: When, event_id: str) -> bool:
    """Return whether the id names the instance of the series at `slot`. Where a day has one, its clock may differ."""
    named = read_instance_id(event_id)
    if is_daily_at_most(series) and not series.renamed:
        return named is not None and slot_day(slot) == named.day
    return instance_id(series, slot) == event_id


def uid_of(series_id: str) -> str:
    return series_id + _OWN_UID


def series_id_of(exception: Event) -> str:
    """Return the id of an exception's series, derived from the exception alone."""
    if exception.uid.endswith(_OWN_UID):
        return exception.uid.removesuffix(_OWN_UID)
    instance = read_instance_id(exception.id)
    return instance.series if instance is not None else exception.uid


def is_daily_at_most(series: Event) -> bool:
    """Return whether the rule of the series gives no day two instances."""
    rule = rule_of(series)
    parts = (rule.byhour, rule.byminute, rule.bysecond)
    once = not (series.rdates or series.further_rrules)
    return rule.freq in _DAYS_OR_MORE and all(len(part) <= 1 for part in parts) and once


def rule_of(series: Event) -> Rule:
    return parse_rule(series.rrule or "FREQ=YEARLY;COUNT=1")


def slot_at(series: Event, start: int, zone: ZoneInfo) -> When:
    """Return the recurrence id of the instance that starts at `start` (in ms since 1970), in a calendar of `zone`."""
    if isinstance(series.start, AllDay):
        return AllDay(instant_at(start).astimezone(zone).date())
    return convert_to_zone(instant_at(start), series.start.tzinfo)


def slot_day(slot: When) -> date:
    return slot.day if isinstance(slot, AllDay) else slot.local.date()
