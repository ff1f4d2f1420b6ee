"""A series and what differs from it, as instances in a window."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.events import AllDay, Event, Timed, When, instant_of
from almanac.families.time.recurrence import Rule, expand, parse_rule, starts_within
from almanac.families.time.recurrence.clock_changes import NO_TIME, offset_at, plain_time
from almanac.families.time.recurrence.line import LINE_1970, line_time
from almanac.families.time.zones import find_zone
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at, milliseconds

_UTC = ZoneInfo("UTC")
_NEXT_DAY = timedelta(days=1)
_SECOND = timedelta(seconds=1)
_NONE = timedelta()
_YEAR = 366 * 86_400_000
_ALWAYS = 10**15


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
    own: dict[str, list[When]] = {}
    for event in overrides:
        own.setdefault(event.uid, []).append(event.recurrence_id or event.start)
    return single, [_repetition(event, own.get(event.uid, ()), zone) for event in masters]


def instances(repetition: Repetition, window: Interval) -> Iterator[Instance]:
    """The instances of a series that overlap `window`, in the order of their starts.

    DTSTART is an instance even where the rule does not name it. A timed instance ends as long after its start, by the
    clock on the wall, as the first one does. A year with too many instances to write out is one instance, all of it.
    """
    return (Instance(start, end, repetition.event, recurs=True) for start, end in times(repetition, window))


def times(repetition: Repetition, window: Interval) -> Iterator[tuple[int, int]]:
    """Start and end of each of the `instances`."""
    event = repetition.event
    if event.status == "cancelled":
        return
    # A year at a time: the steps that one expansion may take are counted anew.
    for begin in range(window.start, window.end, _YEAR):
        end = min(begin + _YEAR, window.end)
        # What began before a later piece has come in an earlier one.
        since = begin if begin > window.start else -_ALWAYS
        yield from [
            one
            for one in _piece(repetition, Interval(begin, end))
            if since <= one[0] < end and begin < one[1] and one[0] < one[1] and one[0] not in repetition.replaced
        ]


def is_too_dense(series: Event, zone: str) -> bool:
    """Whether its first year has too many instances to write out."""
    start = interval_of(series, zone).start
    return _written_out(Repetition(series, zone, frozenset(), frozenset()), Interval(start, start + _YEAR)) is None


def _piece(repetition: Repetition, window: Interval) -> list[tuple[int, int]]:
    found = _written_out(repetition, window)
    if found is not None:
        return found
    # One series that nobody can write out must not make the calendar unreadable, nor look free.
    return [(max(window.start, interval_of(repetition.event, repetition.zone).start), window.end)]


def _written_out(repetition: Repetition, window: Interval) -> list[tuple[int, int]] | None:
    event = repetition.event
    try:
        if isinstance(event.start, AllDay):
            return list(_days(event, event.start.day, repetition, window))
        return list(_times(event, event.start, repetition, window))
    except InvalidInput:
        return None


def _times(event: Event, first: Timed, repetition: Repetition, window: Interval) -> Iterator[tuple[int, int]]:
    zone, last = find_zone(first.zone), event.end
    by_clock = isinstance(last, Timed) and last.zone == first.zone
    elapsed = instant_of(last, repetition.zone) - instant_of(first, repetition.zone)
    length = max(_NONE, last.local - first.local if isinstance(last, Timed) and by_clock else elapsed)
    lasts = length // _SECOND
    days_out = {when.day for when in event.exdates if isinstance(when, AllDay)} | repetition.replaced_days
    plain = NO_TIME
    for instant, local in _starts(event, first, zone, length, repetition.zone, window):
        if days_out and line_time(local).date() in days_out:
            continue
        ends = instant + lasts
        if by_clock and not (plain.begin <= local and local + lasts < plain.end):
            plain = plain_time(zone, local)
            shift = offset_at(zone, line_time(local)) - offset_at(zone, line_time(local + lasts))
            ends = max(instant, ends + shift)
        yield (instant - LINE_1970) * 1000, (ends - LINE_1970) * 1000


def _starts(
    event: Event, first: Timed, zone: ZoneInfo, length: timedelta, calendar_zone: str, window: Interval
) -> list[tuple[int, int]]:
    added = [first.local, *(_wall_or_instant(when, first, calendar_zone) for when in event.rdates)]
    excluded = [_wall_or_instant(when, first, calendar_zone) for when in event.exdates]
    # Clock changes move an end by a few hours at most.
    after, before = instant_at(window.start) - length - timedelta(hours=3), instant_at(window.end)
    return starts_within(_rule(event), first.local, zone, after=after, before=before, exdates=excluded, rdates=added)


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


def _repetition(event: Event, replaced: Sequence[When], zone: str) -> Repetition:
    by_day = event.is_all_day
    days = {_day(when, find_zone(zone)) for when in replaced if by_day or isinstance(when, AllDay)}
    starts = {milliseconds(instant_of(when, zone)) for when in replaced if isinstance(when, Timed) and not by_day}
    return Repetition(event, zone, frozenset(starts), frozenset(days))
