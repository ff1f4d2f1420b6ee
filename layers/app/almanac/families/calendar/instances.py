"""A series and what differs from it, as instances in a window."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import chain
from typing import NamedTuple
from zoneinfo import ZoneInfo

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.events import AllDay, Event, Timed, When, instant_at, instant_of, milliseconds
from almanac.families.time.recurrence import Rule, expand, parse_rule
from almanac.families.time.zones import find_zone

_UTC = ZoneInfo("UTC")
_NEXT_DAY = timedelta(days=1)
_MILLISECOND = timedelta(milliseconds=1)
_NONE = timedelta()
_YEAR = 366 * 86_400_000


class Instance(NamedTuple):
    """One time that `event` happens, in milliseconds since 1970. `recurs` where it is one of a series."""

    start: int
    end: int
    event: Event
    recurs: bool = False


class Repetition(NamedTuple):
    """A series of a calendar in `zone`, without the instances that other events stand for."""

    event: Event
    zone: str
    replaced: frozenset[int]
    replaced_days: frozenset[date]


def interval_of(event: Event, zone: str) -> Interval:
    """When a single event, or the first instance of a series, happens. An end before the start counts as the start."""
    start = milliseconds(instant_of(event.start, zone))
    return Interval(start, max(start, milliseconds(instant_of(event.end, zone))))


def arranged(events: Iterable[Event], zone: str) -> tuple[list[Event], list[Repetition]]:
    """The events of a calendar in `zone` that happen once, and its series.

    An event with a recurrence id stands in place of that instance of the series with its UID; of several for one
    instance the one of the highest sequence counts. Without a series it stands for itself, and may recur.
    """
    known = list(events)
    series = {event.uid for event in known if event.recurrence_id is None and event.is_series}
    overrides = [event for event in known if event.recurrence_id is not None and event.uid in series]
    single = [event for event in known if event.uid not in series and not event.is_series]
    single += [event for event in known if event.uid in series and event.recurrence_id is None and not event.is_series]
    single += _latest(overrides, zone)
    masters = [event for event in known if event.is_series and (event.recurrence_id is None or event.uid not in series)]
    return single, [_repetition(event, overrides, zone) for event in masters]


def instances(repetition: Repetition, window: Interval) -> Iterator[Instance]:
    """The instances of a series that overlap `window`, in the order of their starts.

    DTSTART is an instance even where the rule does not name it. A timed instance ends as long after its start, by the
    clock on the wall, as the first one does. Raises InvalidInput, code RRULE_TOO_LONG, where a year has too many.
    """
    if repetition.event.status == "cancelled":
        return
    # A year at a time: the steps that one expansion may take are counted anew.
    for begin in range(window.start, window.end, _YEAR):
        piece = Interval(begin, min(begin + _YEAR, window.end))
        for start, end in _in_year(repetition, piece):
            reaches_in = max(start, piece.start) < min(end, piece.end)
            if reaches_in and start not in repetition.replaced and (start >= begin or begin == window.start):
                yield Instance(start, end, repetition.event, recurs=True)


def _in_year(repetition: Repetition, window: Interval) -> Iterator[tuple[int, int]]:
    event = repetition.event
    if isinstance(event.start, AllDay):
        return _days(event, event.start.day, repetition, window)
    return _times(event, event.start, repetition, window)


def _times(event: Event, first: Timed, repetition: Repetition, window: Interval) -> Iterator[tuple[int, int]]:
    zone, last = find_zone(first.zone), event.end
    by_clock = isinstance(last, Timed) and last.zone == first.zone
    elapsed = instant_of(last, repetition.zone) - instant_of(first, repetition.zone)
    length = max(timedelta(), last.local - first.local if isinstance(last, Timed) and by_clock else elapsed)
    lasts = length // _MILLISECOND
    excluded = [_wall_or_instant(when, first, repetition.zone) for when in event.exdates]
    days_out = {when.day for when in event.exdates if isinstance(when, AllDay)} | repetition.replaced_days
    # Clock changes move an end by a few hours at most.
    after = instant_at(window.start) - length - timedelta(hours=3)
    for local, instant in _starts(event, first.local, zone, excluded, after, instant_at(window.end), repetition.zone):
        if days_out and local.date() in days_out:
            continue
        start = milliseconds(instant)
        ends = start + lasts
        if by_clock and zone.utcoffset(local + length) != (offset := zone.utcoffset(local)):
            ends += ((offset or _NONE) - (zone.utcoffset(local + length) or _NONE)) // _MILLISECOND
        yield start, max(start, ends)


def _starts(
    event: Event,
    first: datetime,
    zone: ZoneInfo,
    excluded: Sequence[datetime],
    after: datetime,
    before: datetime,
    calendar_zone: str,
) -> Iterator[tuple[datetime, datetime]]:
    added = [first, *(_wall_or_instant(when, event.start, calendar_zone) for when in event.rdates)]
    found = expand(_rule(event), first, zone, after=after, before=before, exdates=excluded, rdates=added)
    return ((occurrence.local, occurrence.instant) for occurrence in found.occurrences)


def _days(event: Event, first: date, repetition: Repetition, window: Interval) -> Iterator[tuple[int, int]]:
    zone = find_zone(repetition.zone)
    length = max(timedelta(), event.end.day - first) if isinstance(event.end, AllDay) else _NEXT_DAY
    out = {_day(when, zone) for when in event.exdates} | repetition.replaced_days
    begin = instant_at(window.start).astimezone(zone).date() - length
    # Days have no clock changes: they are expanded in UTC and only then given to the calendar's zone.
    after = datetime.combine(begin, time(), UTC)
    before = datetime.combine(instant_at(window.end).astimezone(zone).date() + _NEXT_DAY, time(), UTC)
    midnight = datetime.combine(first, time())
    added = [midnight, *(datetime.combine(_day(when, zone), time()) for when in event.rdates)]
    for occurrence in expand(_rule(event), midnight, _UTC, after=after, before=before, rdates=added).occurrences:
        day = occurrence.local.date()
        if day not in out:
            ends = AllDay(day + length)
            yield (
                milliseconds(instant_of(AllDay(day), repetition.zone)),
                milliseconds(instant_of(ends, repetition.zone)),
            )


def _rule(event: Event) -> Rule:
    return parse_rule(event.rrule or "FREQ=YEARLY;COUNT=1")


def _day(when: When, zone: ZoneInfo) -> date:
    return when.day if isinstance(when, AllDay) else instant_of(when, zone.key).astimezone(zone).date()


def _wall_or_instant(when: When, first: When, calendar_zone: str) -> datetime:
    """As `expand` takes it: a wall time of the series' own zone, an instant for any other."""
    if isinstance(when, Timed) and isinstance(first, Timed) and when.zone == first.zone and not when.fold:
        return when.local
    return instant_of(when, calendar_zone)


def _latest(overrides: Sequence[Event], zone: str) -> list[Event]:
    ordered = sorted(overrides, key=lambda event: (event.sequence, event.revision))
    return list({(event.uid, _recurrence_instant(event, zone)): event for event in ordered}.values())


def _recurrence_instant(event: Event, zone: str) -> int:
    return milliseconds(instant_of(event.recurrence_id or event.start, zone))


def _repetition(event: Event, overrides: Sequence[Event], zone: str) -> Repetition:
    own = [other.recurrence_id for other in overrides if other.uid == event.uid and other.recurrence_id is not None]
    by_day = event.is_all_day
    days = {_day(when, find_zone(zone)) for when in own if by_day or isinstance(when, AllDay)}
    times = chain(when for when in own if isinstance(when, Timed) and not by_day)
    replaced = frozenset(milliseconds(instant_of(when, zone)) for when in times)
    return Repetition(event, zone, replaced, frozenset(days))
