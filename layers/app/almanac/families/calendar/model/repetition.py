"""Expansion of a series into its times in a window."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import AllDay, Event, When, ZonedTime, day_of, instant_of
from almanac.families.time.core.zones import UTC_ZONE
from almanac.families.time.recurrence import Rule, expand, parse_rule, starts_within
from almanac.families.time.recurrence.clock_changes import NO_TIME, offset_at, plain_time
from almanac.families.time.recurrence.line import DAY, LINE_1970, line_time
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at, milliseconds

_NEXT_DAY = timedelta(days=1)
_NAMED = 3
"""Most instances that a warning names."""
_NONE = timedelta()
_SECOND = timedelta(seconds=1)
_YEAR = 366 * 86_400_000
_ALWAYS = 10**15
_CLOCKS = timedelta(hours=3)
"""More than a clock change can move an end."""


class Repetition(NamedTuple):
    """Series of a calendar in `zone`, without its replaced instances.

    `since` and `until` bound the starts of the instances that count, in milliseconds since 1970. Whole days are those
    of the zone `reader` if it is set; the bounds apply to their start in `zone`.
    """

    event: Event
    zone: ZoneInfo
    replaced: frozenset[int] = frozenset()
    replaced_days: frozenset[date] = frozenset()
    since: int = -_ALWAYS
    until: int = _ALWAYS
    reader: ZoneInfo | None = None

    @property
    def days_zone(self) -> ZoneInfo:
        """Zone in which its whole days begin and end."""
        return self.reader or self.zone


def series_times(repetition: Repetition, window: Interval) -> Iterator[tuple[int, int]]:
    """Yield start and end of each instance that overlaps `window`, or is empty and lies in it, ordered by start.

    A year with too many instances counts as one long instance.
    """
    if repetition.event.status == "cancelled":
        return
    # One year at a time, because each expansion has a limit on its steps.
    for begin in range(window.start, window.end, _YEAR):
        end = min(begin + _YEAR, window.end)
        # An earlier piece has already yielded the instances that began before this one.
        since = begin if begin > window.start else -_ALWAYS
        yield from [
            (first, last)
            for first, last in _piece(repetition, Interval(begin, end))
            if since <= first < end and (begin < last or begin <= first)
        ]


def expand_series(repetition: Repetition, window: Interval) -> list[tuple[int, int]] | None:
    """Return the instances that may lie in `window`, or None if they are too many."""
    event = repetition.event
    try:
        if isinstance(event.start, AllDay):
            return _whole_days(event, event.start.day, repetition, window)
        times = _times(event, event.start, repetition, window)
        return [one for one in times if repetition.since <= one[0] < repetition.until]
    except InvalidInput:
        return None


def _piece(repetition: Repetition, window: Interval) -> list[tuple[int, int]]:
    if repetition.until <= repetition.since or repetition.since >= window.end:
        return []
    expansion = expand_series(repetition, window)
    if expansion is not None:
        return expansion
    # A series that is too dense to expand must not make the calendar unreadable, and must not look free.
    first = milliseconds(instant_of(repetition.event.start, repetition.days_zone))
    begin, end = max(window.start, first, repetition.since), min(window.end, repetition.until)
    return [(begin, end)] if begin < end else []


class _Length(NamedTuple):
    """Length of instances: calendar days, then elapsed seconds (RFC 5545, 3.3.6 and 3.8.5.3).

    Many programs read start and end as clock times instead, `clock` seconds apart.
    """

    days: int
    seconds: int
    clock: int | None = None

    @property
    def about(self) -> timedelta:
        return timedelta(days=self.days, seconds=max(self.seconds, self.clock or 0))


def _length(event: Event, first: ZonedTime, calendar_zone: ZoneInfo) -> _Length:
    end = instant_of(event.end, calendar_zone)
    if event.nominal_days:
        later = ZonedTime(first.local + timedelta(days=event.nominal_days), first.zone, first.fold)
        rest = (end - later.instant) // _SECOND
        if rest >= 0:
            return _Length(event.nominal_days, rest)
    seconds = max(_NONE, end - first.instant) // _SECOND
    return _Length(0, seconds, None if event.exact_length else _clock_seconds(first, end))


def _clock_seconds(first: ZonedTime, end: datetime) -> int:
    """Return how many seconds the clocks in the zone of the start have advanced at the end."""
    return (end.astimezone(first.tzinfo).replace(tzinfo=None) - first.local) // _SECOND


def ambiguous_end(event: Event, calendar_zone: ZoneInfo) -> str | None:
    """Return a warning if the instances may end at two times, because the first one crosses a clock change."""
    if not (event.is_series and isinstance(event.start, ZonedTime)) or event.exact_length or event.nominal_days:
        return None
    length = _length(event, event.start, calendar_zone)
    if length.clock is None or length.clock in {length.seconds, 0} or not length.seconds:
        return None
    return (
        "its first instance crosses a clock change: the others may last as long as that one, or end at the same clock "
        "time; both are taken as busy"
    )


def left_out(event: Event, span: Interval) -> str | None:
    """Return a warning about the instances of a series that clocks skip, within a span."""
    if event.rrule is None or not isinstance(event.start, ZonedTime):
        return None
    since, until = instant_at(span.start), instant_at(span.end)
    skipped = expand(_rule(event), event.start.local, event.start.tzinfo, after=since, before=until).skipped
    more = f" There are {len(skipped) - _NAMED} more." if len(skipped) > _NAMED else ""
    return f"The series leaves out: {' '.join(one.reason for one in skipped[:_NAMED])}{more}" if skipped else None


def _times(event: Event, first: ZonedTime, repetition: Repetition, window: Interval) -> Iterator[tuple[int, int]]:
    zone = first.tzinfo
    length = _length(event, first, repetition.zone)
    own = _own_ends(event, repetition.zone)
    days_out = {when.day for when in event.exdates if isinstance(when, AllDay)} | repetition.replaced_days
    longest = max([length.about, *(timedelta(milliseconds=until - start) for start, until in own.items())])
    plain = NO_TIME
    for instant, local in _starts(event, first, zone, longest, repetition.zone, window):
        starts = (instant - LINE_1970) * 1000
        if starts in repetition.replaced or (days_out and line_time(local).date() in days_out):
            continue
        # The clock decides only if it gives more than the elapsed time.
        nominal = length.days * DAY if length.clock is None else length.clock
        ends, later = instant + nominal, local + nominal
        if nominal and not (plain.begin <= local and later < plain.end):
            plain = plain_time(zone, local)
            ends += offset_at(zone, line_time(local)) - offset_at(zone, line_time(later))
        ends = ends + length.seconds if length.clock is None else max(ends, instant + length.seconds)
        yield starts, max(starts, own.get(starts, (ends - LINE_1970) * 1000))


def _own_ends(event: Event, calendar_zone: ZoneInfo) -> dict[int, int]:
    """Return the added dates with an end of their own, as start and end in milliseconds since 1970."""
    pairs = ((instant_of(one.start, calendar_zone), instant_of(one.end, calendar_zone)) for one in event.periods)
    return {milliseconds(start): milliseconds(max(start, end)) for start, end in pairs}


def _starts(
    event: Event, first: ZonedTime, zone: ZoneInfo, length: timedelta, calendar_zone: ZoneInfo, window: Interval
) -> Iterable[tuple[int, int]]:
    added = [first.local, *(_wall_or_instant(when, first, calendar_zone) for when in event.rdates)]
    excluded = [_wall_or_instant(when, first, calendar_zone) for when in event.exdates]
    after, before = instant_at(window.start) - length - _CLOCKS, instant_at(window.end)

    def by(rule: Rule, exdates: Sequence[datetime] = (), rdates: Sequence[datetime] = ()) -> list[tuple[int, int]]:
        return starts_within(rule, first.local, zone, after=after, before=before, exdates=exdates, rdates=rdates)

    starts = by(_rule(event), excluded, added)
    for text in event.further_rrules:
        starts = sorted({*starts, *by(parse_rule(text), excluded)})
    out: set[int] = set()
    for text in event.exrules:
        with suppress(InvalidInput):  # too dense to expand: better busy than free
            out.update(instant for instant, _ in by(parse_rule(text)))
    return [one for one in starts if one[0] not in out] if out else starts


def _whole_days(event: Event, first: date, repetition: Repetition, window: Interval) -> list[tuple[int, int]]:
    zone, reader = repetition.zone, repetition.days_zone
    bounds = range(repetition.since, repetition.until)
    return [
        (_midnight(day, reader), _midnight(ends, reader))
        for day, ends in _days(event, first, repetition, window)
        if _midnight(day, zone) in bounds
    ]


def _days(event: Event, first: date, repetition: Repetition, window: Interval) -> Iterator[tuple[date, date]]:
    zone, reader = repetition.zone, repetition.days_zone
    length = max(_NONE, event.end.day - first) if isinstance(event.end, AllDay) else _NEXT_DAY
    own = {day_of(one.start, zone): day_of(one.end, zone) for one in event.periods}
    longest = max([length, *(ends - starts for starts, ends in own.items())])
    begin = instant_at(window.start).astimezone(reader).date() - longest
    end = instant_at(window.end).astimezone(reader).date() + _NEXT_DAY
    out = {day_of(when, zone) for when in event.exdates} | repetition.replaced_days
    for day in _first_days(event, first, zone, begin, end):
        if day not in out:
            yield day, max(day + _NEXT_DAY, own[day]) if day in own else day + length


def _first_days(event: Event, first: date, zone: ZoneInfo, begin: date, end: date) -> list[date]:
    """Return the first days of all-day instances. Days have no clock changes, so they are expanded in UTC."""
    midnight = datetime.combine(first, time())
    after, before = (datetime.combine(each, time(), UTC) for each in (begin, end))
    added = [midnight, *(datetime.combine(day_of(when, zone), time()) for when in event.rdates)]

    def by(rule: Rule, rdates: Sequence[datetime] = ()) -> set[date]:
        found = expand(rule, midnight, UTC_ZONE, after=after, before=before, rdates=rdates).occurrences
        return {one.local.date() for one in found}

    days = by(_rule(event), added).union(*(by(parse_rule(text)) for text in event.further_rrules))
    for text in event.exrules:
        with suppress(InvalidInput):  # as above
            days -= by(parse_rule(text))
    return sorted(days)


def _midnight(day: date, zone: ZoneInfo) -> int:
    return milliseconds(instant_of(AllDay(day), zone))


def _rule(event: Event) -> Rule:
    return parse_rule(event.rrule or "FREQ=YEARLY;COUNT=1")


def _wall_or_instant(when: When, first: When, calendar_zone: ZoneInfo) -> datetime:
    """Return the form that `expand` takes: a wall time in the series' own zone, an instant in any other."""
    if isinstance(when, ZonedTime) and isinstance(first, ZonedTime) and when.zone == first.zone and not when.fold:
        return when.local
    return instant_of(when, calendar_zone)
