"""Instances of series, and the division of a series in two."""

from collections.abc import Iterable, Iterator
from dataclasses import replace as with_parts
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import AllDay, Event, When, ZonedTime, convert_to_zone, instant_of
from almanac.families.calendar.model.instance_ids import rule_of, slot_day
from almanac.families.calendar.model.instances import Instance, Recurrence, instances, split_series
from almanac.families.calendar.model.overrides import move_to
from almanac.families.time.core.wall_time import resolve
from almanac.families.time.core.zones import UTC_ZONE
from almanac.families.time.recurrence import Rule, expand
from almanac.kernel.instants import milliseconds

_AHEAD = timedelta(days=366)
_LAST = datetime(2199, 12, 31, tzinfo=UTC)


def live_instances(series: Event, exceptions: Iterable[Event], zone: ZoneInfo) -> Iterator[Instance]:
    """Yield the instances without an exception, in order."""
    _, recurrences = split_series([series, *exceptions], zone)
    for recurrence in recurrences:
        yield from _year_by_year(recurrence, instant_of(series.start, zone))


def _year_by_year(recurrence: Recurrence, since: datetime) -> Iterator[Instance]:
    last = min(last_instant(recurrence.series, recurrence.repetition.zone), _LAST)
    begin = since
    while begin <= last:
        end = begin + _AHEAD
        window = Interval(milliseconds(begin), milliseconds(end))
        yield from (one for one in instances(recurrence, window) if one.start >= window.start)
        begin = end


def last_instant(series: Event, zone: ZoneInfo) -> datetime:
    """Return an upper bound of the starts of instances. It is far away for a series without end."""
    dates = [instant_of(when, zone) for when in (series.start, *series.rdates)]
    if series.further_rrules:
        return _LAST
    if series.rrule is not None:
        rule = rule_of(series)
        if rule.count is None and rule.until is None:
            return _LAST
        if rule.until is not None:
            until = rule.until if isinstance(rule.until, datetime) else datetime.combine(rule.until, time(23, 59, 59))
            # A day more than the widest offset: this is only a bound.
            dates.append(until.replace(tzinfo=UTC) + timedelta(days=2))
        else:
            found = _expand(series, rule)
            dates += [found[-1] + timedelta(days=2)] if found else []
    return max(dates)


def _expand(
    series: Event,
    rule: Rule,
    *,
    after: datetime | None = None,
    before: datetime | None = None,
    limit: int | None = None,
) -> list[datetime]:
    """Return the starts by the rule alone. Those of an all-day series are at midnight UTC."""
    if isinstance(series.start, AllDay):
        first, zone = datetime.combine(series.start.day, time()), UTC_ZONE
    else:
        first, zone = series.start.local, series.start.tzinfo
    return [
        occurrence.instant
        for occurrence in expand(rule, first, zone, after=after, before=before, limit=limit).occurrences
    ]


def align_start(event: Event) -> Event:
    """Return the event with its start moved to the first instance of its rule."""
    rule = rule_of(event)
    found = _expand(event, with_parts(rule, count=None), limit=1)
    if not found:
        return event
    return move_to(
        event, found[0].date() if isinstance(event.start, AllDay) else convert_to_zone(found[0], event.start.tzinfo)
    )


def part_before(series: Event, slot: When, zone: ZoneInfo) -> Event:
    """Return the part of a series before the instance at `slot`. A rule that ends earlier stays as it is."""
    rule = rule_of(series)
    if next(iter(_expand(series, rule, after=_expansion_instant(slot, zone), limit=1)), None) is not None:
        rule = with_parts(rule, count=None, until=_just_before(slot, zone))
    return replace(
        series,
        rrule=str(rule) if series.rrule is not None else None,
        exdates=tuple(when for when in series.exdates if is_before(when, slot, zone)),
        rdates=tuple(when for when in series.rdates if is_before(when, slot, zone)),
    )


def part_from(series: Event, slot: When, zone: ZoneInfo) -> Event:
    """Return the part of a series from the instance at `slot` on, with the rest of its COUNT and still the old ids. It
    starts at the first instance of the rule from there on, because the slot of an exception may not fit the rule."""
    rule = rule_of(series)
    following = _expand(series, rule, after=_expansion_instant(slot, zone), limit=1)
    if rule.count is not None:
        passed = len(_expand(series, rule, before=_expansion_instant(slot, zone)))
        rule = with_parts(rule, count=max(1, rule.count - passed))
    if not following:
        # Without BY... parts, which may name other days: only the slot, which has an exception.
        rule = Rule(rule.freq, count=1)
    start = slot
    if following:
        start = (
            convert_to_zone(following[0], series.start.tzinfo)
            if isinstance(series.start, ZonedTime)
            else AllDay(following[0].date())
        )
    return replace(
        move_to(series, start.day if isinstance(start, AllDay) else start),
        rrule=str(rule) if series.rrule is not None else None,
        exdates=tuple(when for when in series.exdates if not is_before(when, slot, zone)),
        rdates=tuple(when for when in series.rdates if not is_before(when, slot, zone)),
    )


def _expansion_instant(slot: When, zone: ZoneInfo) -> datetime:
    """Return the instant of a slot in the form of `_expand`."""
    return datetime.combine(slot.day, time(), UTC) if isinstance(slot, AllDay) else instant_of(slot, zone)


def end_of_day(day: date, zone: ZoneInfo) -> datetime:
    """Return UNTIL for a last day: its last second in `zone`, in UTC."""
    return resolve(datetime.combine(day, time(23, 59, 59)), zone, "later").instant.astimezone(UTC)


def has_instances(series: Event, exceptions: Iterable[Event], zone: ZoneInfo) -> bool:
    """Return whether a series has any instance or exception left."""
    known = list(exceptions)
    return (
        any(one.status != "cancelled" for one in known)
        or next(islice(live_instances(series, known, zone), 1), None) is not None
    )


def is_before(when: When, slot: When, zone: ZoneInfo) -> bool:
    if isinstance(when, AllDay) or isinstance(slot, AllDay):
        return slot_day(when) < slot_day(slot)
    return instant_of(when, zone) < instant_of(slot, zone)


def _just_before(slot: When, zone: ZoneInfo) -> date | datetime:
    if isinstance(slot, AllDay):
        return slot.day - timedelta(days=1)
    return instant_of(slot, zone) - timedelta(seconds=1)
