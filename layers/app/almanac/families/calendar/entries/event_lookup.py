"""Lookup of an event, or of one instance of a series, by its id."""

from collections.abc import Iterator
from typing import NamedTuple
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.codec import read_entries
from almanac.families.calendar.entries.records import CalendarRecord, Pointer
from almanac.families.calendar.entries.view import event_of
from almanac.families.calendar.ical.ids import recurrence_stamp
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import AllDay, Event, When, ZonedTime, instant_of
from almanac.families.calendar.model.instance_ids import (
    InstanceId,
    instance_id,
    is_instance,
    read_instance_id,
    series_id_of,
    slot_at,
)
from almanac.families.calendar.model.instances import instances, is_under_tombstone, split_series, without_tombstones
from almanac.families.calendar.model.overrides import override_of
from almanac.kernel.instants import milliseconds

_DAY = 86_400_000


class LocatedEvent(NamedTuple):
    """Event or instance that an id names. `event` is the stored one: a single event, a series, or an exception.

    `slot` is the original start if the id names an instance, and `series` is the instance's series. `pointer` leads to
    `event`, which for an instance without exception is its series.
    """

    event: Event
    pointer: Pointer
    slot: When | None = None
    series: Event | None = None

    @property
    def is_exception(self) -> bool:
        return self.series is not None and self.event is not self.series

    @property
    def names_whole_series(self) -> bool:
        return self.series is None and self.event.is_series

    @property
    def id(self) -> str:
        """Id of the event or instance in lists."""
        if self.series is not None and self.slot is not None and not self.is_exception:
            return instance_id(self.series, self.slot)
        return self.event.id


def find_event(calendars: Calendars, calendar: CalendarRecord, event_id: str) -> LocatedEvent | None:
    """Return the event or instance with the id; None if the calendar does not have it, or no longer."""
    return _find_stored(calendars, calendar, event_id) or _find_instance(calendars, calendar, event_id)


def exceptions_of(calendars: Calendars, calendar: CalendarRecord, series: Event) -> list[Event]:
    """Return the exceptions of the series, in no order."""
    own = (one for one in _recurring_events(calendars, calendar) if one.uid == series.uid)
    return without_tombstones([one for one in own if one.recurrence_id is not None or one.tombstone], calendar.zone)


def exceptions_called_after(calendars: Calendars, calendar: CalendarRecord, series: Event) -> list[Event]:
    """Return the stored exceptions whose ids begin with that of the series, also those of a later part that has become
    a series of its own."""
    recurring = _recurring_events(calendars, calendar)
    return [one for one in recurring if one.recurrence_id is not None and one.id.startswith(f"{series.id}_")]


def current_pointer(calendars: Calendars, calendar: CalendarRecord, event_id: str) -> Pointer | None:
    pointer = calendars.pointer(calendar, event_id) if event_id else None
    return pointer if pointer is not None and pointer.state == "stands" else None


def provider_override(calendar: CalendarRecord, series: Event, slot: When) -> Event:
    """Return the instance at `slot` as an event of its own, with the id that its provider gives it."""
    if calendar.provider == "caldav":
        # CalDAV keeps it in the resource of its series, which gives it its version.
        event_id = f"{series.id}~{recurrence_stamp(slot, calendar.zone)}"
        return replace(override_of(series, slot, event_id), etag=series.etag, href=series.href)
    return override_of(series, slot, f"{series.id}_{recurrence_stamp(slot, calendar.zone)}")


def _find_stored(calendars: Calendars, calendar: CalendarRecord, event_id: str) -> LocatedEvent | None:
    pointer = current_pointer(calendars, calendar, event_id)
    event = calendars.event_at(calendar, pointer) if pointer is not None else None
    if pointer is None or event is None or event.status == "cancelled" or event.tombstone:
        return None
    if event.recurrence_id is None:
        return LocatedEvent(event, pointer)
    if is_under_tombstone(_recurring_events(calendars, calendar), event, calendar.zone):
        return None
    return LocatedEvent(event, pointer, event.recurrence_id, _series_of(calendars, calendar, event))


def _series_of(calendars: Calendars, calendar: CalendarRecord, exception: Event) -> Event | None:
    event = calendars.event(calendar, series_id_of(exception))
    if event is not None and event.uid == exception.uid:
        return event
    recurring = _recurring_events(calendars, calendar)
    own = (one for one in recurring if one.uid == exception.uid and one.recurrence_id is None)
    return next((one for one in own if not one.tombstone), None)


def _find_instance(calendars: Calendars, calendar: CalendarRecord, event_id: str) -> LocatedEvent | None:
    instance = read_instance_id(event_id)
    pointer = current_pointer(calendars, calendar, instance.series) if instance is not None else None
    if instance is None or pointer is None:
        return None
    series = calendars.event_at(calendar, pointer)
    if series is None or not series.is_series or series.status == "cancelled":
        return None
    exceptions = exceptions_of(calendars, calendar, series)
    for one in exceptions:
        if one.recurrence_id is not None and is_instance(series, one.recurrence_id, event_id):
            own = current_pointer(calendars, calendar, one.id)
            if own is None or one.status == "cancelled":
                return None
            return LocatedEvent(one, own, one.recurrence_id, series)
    for slot in _slots_about(series, exceptions, calendar.zone, instance):
        if is_instance(series, slot, event_id):
            return LocatedEvent(series, pointer, slot, series)
    return None


def _slots_about(series: Event, exceptions: list[Event], zone: ZoneInfo, instance: InstanceId) -> Iterator[When]:
    """Yield the instances of the series about the day that the id names, without exceptions."""
    day = milliseconds(
        instant_of(AllDay(instance.day), series.start.tzinfo if isinstance(series.start, ZonedTime) else zone)
    )
    # The day of an id in UTC may be the day before or after.
    window = Interval(day - 2 * _DAY, day + 3 * _DAY)
    for repetition in split_series([series, *exceptions], zone)[1]:
        yield from (slot_at(series, one.start, zone) for one in instances(repetition, window))


def _recurring_events(calendars: Calendars, calendar: CalendarRecord) -> Iterator[Event]:
    recurring = read_entries(calendars.store, calendars.scope, calendar.id, calendar.zone, "wide")
    return (event for one in recurring if one.kind == "event" and (event := event_of(one)) is not None)
