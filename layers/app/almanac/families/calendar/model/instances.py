"""Instances of series and their exceptions in a window."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, time, timedelta
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import AllDay, Event, When, ZonedTime, day_of, instant_of
from almanac.families.calendar.model.repetition import Repetition, expand_series, series_times
from almanac.kernel.instants import instant_at, milliseconds

_YEAR = 366 * 86_400_000
_DAY = 86_400_000
_NONE = timedelta()
_MS = timedelta(milliseconds=1)
_MOST_SPLITS = 100


class Instance(NamedTuple):
    """One occurrence of `event`, in milliseconds since 1970. `recurs`: it belongs to a series."""

    start: int
    end: int
    event: Event
    recurs: bool = False


class Recurrence(NamedTuple):
    """Instances of a series described by `event`: the series itself, or an exception for all later instances.

    For an exception, each instance keeps the distance on the clock that its first instance has from the series.
    """

    event: Event
    repetition: Repetition

    @property
    def series(self) -> Event:
        return self.repetition.event

    def read_in(self, zone: ZoneInfo) -> "Recurrence":
        """Return the same instances for a reader whose days are those of `zone`."""
        return self._replace(repetition=self.repetition._replace(reader=zone))


def interval_of(event: Event, zone: ZoneInfo) -> Interval:
    """Return the interval of a single event, or of the first instance of a series, in ms since 1970.

    An end before the start counts as the start.
    """
    start = milliseconds(instant_of(event.start, zone))
    return Interval(start, max(start, milliseconds(instant_of(event.end, zone))))


def recurrence_of(series: Event, zone: ZoneInfo) -> Recurrence:
    """Return the instances of a series without exceptions, in a calendar of `zone`."""
    return Recurrence(series, Repetition(series, zone))


def split_series(events: Iterable[Event], zone: ZoneInfo) -> tuple[list[Event], list[Recurrence]]:
    """Split the events of a calendar in `zone` into single events and series.

    An event with a recurrence id replaces that instance of the series with its UID, even if the series has no such
    instance. If several replace the same instance, the highest sequence counts. Without its series the event counts by
    itself, and may recur.
    """
    current = without_tombstones(events, zone)
    series = {event.uid: event for event in current if event.recurrence_id is None and event.is_series}
    single: list[Event] = []
    recurrences: list[Recurrence] = []
    overrides: dict[str, list[Event]] = {uid: [] for uid in series}
    for event in current:
        if event.recurrence_id is not None and event.uid in series:
            overrides[event.uid].append(event)
        elif event.is_series:
            recurrences += [] if event.uid in series else [recurrence_of(event, zone)]
        else:
            single.append(event)
    for event in current:
        if event.recurrence_id is None and event.is_series:
            own = _latest(overrides[event.uid], zone)
            single += [] if series[event.uid] is not event else [one for one in own if not _is_split(one)]
            recurrences += _recurrences(event, own, zone)
    return single, recurrences


def without_tombstones(events: Iterable[Event], zone: ZoneInfo) -> list[Event]:
    """Return the events without tombstones and without exceptions that a tombstone covers."""
    every = list(events)
    graves = [event for event in every if event.tombstone]
    if not graves:
        return every
    return [one for one in every if not one.tombstone and not is_under_tombstone(graves, one, zone)]


def is_under_tombstone(graves: Iterable[Event], event: Event, zone: ZoneInfo) -> bool:
    """Return whether an exception was deleted together with its series, though its entry is still stored."""
    slot = event.recurrence_id
    if slot is None:
        return False
    since = [one.recurrence_id for one in graves if one.tombstone and one.uid == event.uid]
    return any(one is None or instant_of(slot, zone) >= instant_of(one, zone) for one in since)


def instances(recurrence: Recurrence, window: Interval) -> Iterator[Instance]:
    """Yield the instances of a series that overlap `window`, in the order of their starts.

    DTSTART is an instance even if the rule does not include it. A year with too many instances counts as one long
    instance.
    """
    return (Instance(start, end, recurrence.event, recurs=True) for start, end in times(recurrence, window))


def times(recurrence: Recurrence, window: Interval) -> Iterator[tuple[int, int]]:
    """Yield start and end of each of the `instances`."""
    event, repetition = recurrence
    if event is repetition.event:
        yield from series_times(repetition, window)
        return
    if event.status == "cancelled":
        return
    moved = _Move(event, repetition.event, repetition.days_zone)
    for start, until in series_times(repetition, moved.searched_window(window)):
        begin, end = moved.to(start, until)
        if begin < window.end and (window.start < end or window.start <= begin):
            yield begin, end


def is_too_dense(series: Event, zone: ZoneInfo) -> bool:
    """Return whether the first year of the series has too many instances to expand."""
    start = interval_of(series, zone).start
    return expand_series(Repetition(series, zone), Interval(start, start + _YEAR)) is None


class _Move:
    """Mapping of instances from their times in the series to those of `event`, an exception for all later instances.

    Whole days begin at midnight in `zone`.
    """

    def __init__(self, event: Event, series: Event, zone: ZoneInfo) -> None:
        self._event = event
        self._zone = zone
        starts = (event.start, series.start)
        self._clock = next((each.tzinfo for each in starts if isinstance(each, ZonedTime)), zone)
        self._series_clock = zone if series.is_all_day else self._clock
        self._shift = self._wall(event.start) - self._wall(event.recurrence_id or event.start)
        self._length = max(_NONE, instant_of(event.end, zone) - instant_of(event.start, zone))
        series_length = max(_NONE, instant_of(series.end, zone) - instant_of(series.start, zone))
        self._longest = series_length // _MS + _DAY

    def searched_window(self, window: Interval) -> Interval:
        """Return the part of the series whose instances may lie in the window."""
        shift, length = self._shift // _MS, self._length // _MS
        return Interval(window.start - shift - length - 2 * _DAY, window.end - shift + 2 * _DAY)

    def to(self, start: int, end: int) -> tuple[int, int]:
        if end - start > self._longest:
            return start, end  # too many instances to expand
        local = instant_at(start).astimezone(self._series_clock).replace(tzinfo=None) + self._shift
        if isinstance(self._event.start, AllDay) and isinstance(self._event.end, AllDay):
            later = local.date() + (self._event.end.day - self._event.start.day)
            return _at(AllDay(local.date()), self._zone), _at(AllDay(later), self._zone)
        begin = milliseconds(local.replace(tzinfo=self._clock, fold=0))
        return begin, begin + self._length // _MS

    def _wall(self, when: When) -> datetime:
        if isinstance(when, AllDay):
            return datetime.combine(when.day, time())
        return when.instant.astimezone(self._clock).replace(tzinfo=None)


def _recurrences(series: Event, overrides: Sequence[Event], zone: ZoneInfo) -> Iterator[Recurrence]:
    """Yield the series up to its first exception for later instances, and each such exception up to the next."""
    whole = _repetition(series, overrides, zone)
    splits = sorted((one for one in overrides if one.this_and_future), key=lambda one: _slot(one, zone))[:_MOST_SPLITS]
    bounds = [*(_slot(one, zone) for one in splits), whole.until]
    yield Recurrence(series, whole._replace(until=bounds[0]))
    for split, (since, until) in zip(splits, pairwise(bounds), strict=True):
        if _is_split(split):
            others = [one for one in overrides if one is not split]
            yield Recurrence(split, _repetition(split, others, zone)._replace(until=until))
        else:
            yield Recurrence(split, whole._replace(since=since, until=until))


def _is_split(override: Event) -> bool:
    """Return whether the exception is a series of its own from its instance on."""
    return override.this_and_future and override.is_series


def _latest(overrides: Sequence[Event], zone: ZoneInfo) -> list[Event]:
    ordered = sorted(overrides, key=lambda event: (event.sequence, event.revision))
    return list({(event.uid, _slot(event, zone)): event for event in ordered}.values())


def _slot(override: Event, zone: ZoneInfo) -> int:
    return _at(override.recurrence_id or override.start, zone)


def _repetition(event: Event, overrides: Sequence[Event], zone: ZoneInfo) -> Repetition:
    """Return the series without its replaced instances."""
    by_day = event.is_all_day
    replaced = [one.recurrence_id or one.start for one in overrides]
    days = {day_of(when, zone) for when in replaced if by_day or isinstance(when, AllDay)}
    starts = {_at(when, zone) for when in replaced if isinstance(when, ZonedTime) and not by_day}
    return Repetition(event, zone, frozenset(starts), frozenset(days))


def _at(when: When, zone: ZoneInfo) -> int:
    return milliseconds(instant_of(when, zone))
