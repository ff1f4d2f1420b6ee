"""Series: the ids of their instances, their rules, and what becomes of both when a series is cut or moved."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace as with_parts
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from typing import NamedTuple

from msgspec.structs import replace

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.events import AllDay, Event, Timed, When, instant_of, timed
from almanac.families.calendar.instances import Instance, Repetition, arranged, instances
from almanac.families.time.recurrence import Rule, expand, parse_rule
from almanac.families.time.wall_time import resolve
from almanac.families.time.zones import find_zone
from almanac.kernel.instants import instant_at, milliseconds

_INSTANCE = re.compile(r"(.+)_(\d{8})(?:T(\d{6}))?")
_OWN_UID = "@almanac"
_DAYS_OR_MORE = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
_UTC = find_zone("UTC")
_AHEAD = timedelta(days=366)
_LAST = datetime(2199, 12, 31, tzinfo=UTC)


class InstanceId(NamedTuple):
    """`clock` is None where the day is enough to tell the instances of the series apart."""

    series: str
    day: date
    clock: time | None


def read_instance_id(text: str) -> InstanceId | None:
    """The parts of the id of an instance; None for any other id."""
    found = _INSTANCE.fullmatch(text)
    if found is None:
        return None
    try:
        day = datetime.strptime(found[2], "%Y%m%d").date()  # noqa: DTZ007 - a day of the series' own zone
        clock = time.fromisoformat(found[3]) if found[3] else None
    except ValueError:
        return None
    return InstanceId(found[1], day, clock)


def instance_id(series: Event, slot: When) -> str:
    """Stable for as long as the instance keeps its day: the day names it, with the time where a day has several."""
    if isinstance(slot, AllDay):
        return f"{series.id}_{slot.day:%Y%m%d}"
    return f"{series.id}_{slot.local:%Y%m%d}" if is_daily_at_most(series) else f"{series.id}_{slot.local:%Y%m%dT%H%M%S}"


def uid_of(series_id: str) -> str:
    return series_id + _OWN_UID


def series_id_of(exception: Event) -> str:
    """The id of the series that an exception belongs to, as far as the exception itself tells."""
    if exception.uid.endswith(_OWN_UID):
        return exception.uid.removesuffix(_OWN_UID)
    named = read_instance_id(exception.id)
    return named.series if named is not None else exception.uid


def is_daily_at_most(series: Event) -> bool:
    """Whether no day has two instances of the series by its own rule."""
    rule = rule_of(series)
    parts = (rule.byhour, rule.byminute, rule.bysecond)
    return rule.freq in _DAYS_OR_MORE and all(len(part) <= 1 for part in parts) and not series.rdates


def rule_of(series: Event) -> Rule:
    return parse_rule(series.rrule or "FREQ=YEARLY;COUNT=1")


def slot_at(series: Event, start: int, zone: str) -> When:
    """The start, in milliseconds since 1970, of an instance as its recurrence id, in a calendar of `zone`."""
    if isinstance(series.start, AllDay):
        return AllDay(instant_at(start).astimezone(find_zone(zone)).date())
    return timed(instant_at(start), series.start.zone)


def slot_day(slot: When) -> date:
    return slot.day if isinstance(slot, AllDay) else slot.local.date()


def live(series: Event, exceptions: Iterable[Event], zone: str, since: datetime | None = None) -> Iterator[Instance]:
    """The instances that no exception stands for, in order, from `since` on."""
    _, repetitions = arranged([series, *exceptions], zone)
    for repetition in repetitions:
        yield from _year_by_year(repetition, since or instant_of(series.start, zone))


def _year_by_year(repetition: Repetition, since: datetime) -> Iterator[Instance]:
    last = min(last_instant(repetition.event, repetition.zone), _LAST)
    begin = since
    while begin <= last:
        end = begin + _AHEAD
        window = Interval(milliseconds(begin), milliseconds(end))
        yield from (one for one in instances(repetition, window) if one.start >= window.start)
        begin = end


def last_instant(series: Event, zone: str) -> datetime:
    """No instance starts after this one; far away for a series without end."""
    dates = [instant_of(when, zone) for when in (series.start, *series.rdates)]
    if series.rrule is not None:
        rule = rule_of(series)
        if rule.count is None and rule.until is None:
            return _LAST
        if rule.until is not None:
            until = rule.until if isinstance(rule.until, datetime) else datetime.combine(rule.until, time(23, 59, 59))
            # A day more than the widest offset: this bounds, it does not decide.
            dates.append(until.replace(tzinfo=UTC) + timedelta(days=2))
        else:
            found = _expanded(series, rule)
            dates += [found[-1] + timedelta(days=2)] if found else []
    return max(dates)


def _expanded(
    series: Event,
    rule: Rule,
    *,
    after: datetime | None = None,
    before: datetime | None = None,
    limit: int | None = None,
) -> list[datetime]:
    """Starts by the rule alone, of an all-day series at midnight UTC."""
    if isinstance(series.start, AllDay):
        first, zone = datetime.combine(series.start.day, time()), _UTC
    else:
        first, zone = series.start.local, find_zone(series.start.zone)
    return [one.instant for one in expand(rule, first, zone, after=after, before=before, limit=limit).occurrences]


def aligned(event: Event) -> Event:
    """The series, begun on the first instance that its rule names from its start on."""
    rule = rule_of(event)
    found = _expanded(event, with_parts(rule, count=None), limit=1)
    if not found:
        return event
    return moved_to(event, found[0].date() if isinstance(event.start, AllDay) else timed(found[0], event.start.zone))


def moved_to(event: Event, start: date | Timed) -> Event:
    """The event with another start, as long as before on the clock."""
    if isinstance(start, Timed):
        if isinstance(event.start, Timed) and isinstance(event.end, Timed):
            length = event.end.local - event.start.local
            return replace(event, start=start, end=Timed(start.local + length, start.zone))
        return replace(event, start=start, end=start)
    days = (
        event.end.day - event.start.day if isinstance(event.start, AllDay) and isinstance(event.end, AllDay) else None
    )
    return replace(event, start=AllDay(start), end=AllDay(start + (days or timedelta(days=1))))


def ended_before(series: Event, slot: When, zone: str) -> Event:
    """The part of a series before the instance at `slot`. A rule that has ended by then stays as it is."""
    rule = rule_of(series)
    if next(iter(_expanded(series, rule, after=_as_expanded(slot, zone), limit=1)), None) is not None:
        rule = with_parts(rule, count=None, until=_just_before(slot, zone))
    return replace(
        series,
        rrule=str(rule) if series.rrule is not None else None,
        exdates=tuple(when for when in series.exdates if is_before(when, slot, zone)),
        rdates=tuple(when for when in series.rdates if is_before(when, slot, zone)),
    )


def begun_at(series: Event, slot: When, zone: str) -> Event:
    """The part of a series from the instance at `slot` on, with what is left of its COUNT; ids are still the old.

    It begins with the first instance of the rule: an exception may stand for one that the rule no longer names.
    """
    rule = rule_of(series)
    following = _expanded(series, rule, after=_as_expanded(slot, zone), limit=1)
    if rule.count is not None:
        passed = len(_expanded(series, rule, before=_as_expanded(slot, zone)))
        rule = with_parts(rule, count=max(1, rule.count - passed))
    if not following:
        rule = with_parts(rule, count=1, until=None)
    start = slot
    if following:
        start = (
            timed(following[0], series.start.zone) if isinstance(series.start, Timed) else AllDay(following[0].date())
        )
    return replace(
        moved_to(series, start.day if isinstance(start, AllDay) else start),
        rrule=str(rule) if series.rrule is not None else None,
        exdates=tuple(when for when in series.exdates if not is_before(when, slot, zone)),
        rdates=tuple(when for when in series.rdates if not is_before(when, slot, zone)),
    )


def _as_expanded(slot: When, zone: str) -> datetime:
    """A slot among the instants of `_expanded`."""
    return datetime.combine(slot.day, time(), UTC) if isinstance(slot, AllDay) else instant_of(slot, zone)


def at_clock(when: When, clock: time | None, zone: str) -> When:
    """The same day at another time of day in `zone`; None makes it a whole day."""
    day = slot_day(when)
    return AllDay(day) if clock is None else Timed(datetime.combine(day, clock), zone)


def with_until_kept(rule: Rule, before: When, after: When) -> Rule:
    """The rule of a series whose start moves from `before` to `after`, another time of the day: the same last day."""
    until = rule.until
    if until is None:
        return rule
    last = until
    if isinstance(until, datetime):
        zone = find_zone(before.zone) if isinstance(before, Timed) else _UTC
        local = until.astimezone(zone).replace(tzinfo=None) if until.tzinfo else until
        first = before.local.time() if isinstance(before, Timed) else time()
        last = local.date() if first <= local.time() else local.date() - timedelta(days=1)
    return with_parts(rule, until=last if isinstance(after, AllDay) else end_of_day(last, after.zone))


def end_of_day(day: date, zone: str) -> datetime:
    """As an UNTIL: the last second of the day in `zone`, in UTC."""
    return resolve(datetime.combine(day, time(23, 59, 59)), find_zone(zone), "later").instant.astimezone(UTC)


def has_instances(series: Event, exceptions: Iterable[Event], zone: str) -> bool:
    """Whether anything is left of the series."""
    known = list(exceptions)
    return (
        any(one.status != "cancelled" for one in known) or next(islice(live(series, known, zone), 1), None) is not None
    )


def is_before(when: When, slot: When, zone: str) -> bool:
    if isinstance(when, AllDay) or isinstance(slot, AllDay):
        return slot_day(when) < slot_day(slot)
    return instant_of(when, zone) < instant_of(slot, zone)


def _just_before(slot: When, zone: str) -> date | datetime:
    if isinstance(slot, AllDay):
        return slot.day - timedelta(days=1)
    return instant_of(slot, zone) - timedelta(seconds=1)
