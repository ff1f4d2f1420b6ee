"""Exceptions of instances that their series had before a change and no longer has.

Texts of other programs may still contain them; only a lower sequence reveals them. The check applies where texts are
read and written. An instance changed here stays until a caller removes it, whatever happens to the rule.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import AllDay, Event, When, instant_of
from almanac.families.calendar.model.repetition import Repetition, expand_series
from almanac.kernel.instants import instant_at, milliseconds

_DAY = 86_400_000
_YEAR = 366 * _DAY


def without_superseded(events: Sequence[Event], zone: ZoneInfo) -> list[Event]:
    """Return the events without superseded exceptions. Whole days, and times without a zone, are those of `zone`."""
    superseded = {_place(one) for one, _ in _find_superseded(events, zone)}
    return [one for one in events if _place(one) not in superseded]


def raise_sequences(events: Sequence[Event], zone: ZoneInfo) -> list[Event]:
    """Return the events with raised sequences, so that no reader takes one for superseded by its series."""
    sequences = {_place(one): series.sequence for one, series in _find_superseded(events, zone)}
    return [replace(one, sequence=max(one.sequence, sequences.get(_place(one), 0))) for one in events]


class _Year(NamedTuple):
    """Instances of a series in a year, by start and by day."""

    starts: frozenset[int]
    days: frozenset[date]
    of_days: bool

    def has(self, slot: When, zone: ZoneInfo) -> bool:
        if self.of_days or isinstance(slot, AllDay):
            return _day(_instant(slot, zone), zone) in self.days
        return _instant(slot, zone) in self.starts


def _find_superseded(events: Sequence[Event], zone: ZoneInfo) -> Iterator[tuple[Event, Event]]:
    """Yield each superseded exception with its series."""
    all_series = {event.uid: event for event in events if event.recurrence_id is None and event.is_series}
    years: dict[tuple[str, int], _Year | None] = {}
    for one in events:
        slot, series = one.recurrence_id, all_series.get(one.uid)
        if slot is None or series is None or one.sequence >= series.sequence:
            continue
        # One year at a time, because a series may have thousands of exceptions.
        number = _instant(slot, zone) // _YEAR
        if (one.uid, number) not in years:
            years[one.uid, number] = _year(series, number, zone)
        year = years[one.uid, number]
        if year is not None and not year.has(slot, zone):
            yield one, series


def _year(series: Event, number: int, zone: ZoneInfo) -> _Year | None:
    """Return the instances of that year; None if they are too many to expand, in which case none counts as
    superseded."""
    window = Interval(number * _YEAR - _DAY, (number + 1) * _YEAR + _DAY)
    expansion = expand_series(Repetition(series, zone), window)
    if expansion is None:
        return None
    starts = frozenset(start for start, _ in expansion)
    return _Year(starts, frozenset(_day(start, zone) for start in starts), series.is_all_day)


def _place(event: Event) -> tuple[str, When | None]:
    return event.uid, event.recurrence_id


def _instant(when: When, zone: ZoneInfo) -> int:
    return milliseconds(instant_of(when, zone))


def _day(instant: int, zone: ZoneInfo) -> date:
    return instant_at(instant).astimezone(zone).date()
