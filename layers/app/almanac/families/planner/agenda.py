"""The native calendar as the planner reads it: single events, series, their instances and what differs from them."""

from collections.abc import Iterable
from typing import NamedTuple

from almanac.families.calendar.calendars import PRIMARY
from almanac.families.calendar.entries import read_entries
from almanac.families.calendar.events import AllDay, Event, Timed, When, decode_event, instant_of
from almanac.families.calendar.records import EVENTS, POINTERS, CalendarRecord, Pointer
from almanac.families.calendar.view import event_of
from almanac.families.planner.planner import Planner
from almanac.families.planner.records import MARKS, Mark
from almanac.families.planner.series import (
    instance_id,
    is_daily_at_most,
    live,
    read_instance_id,
    series_id_of,
    slot_at,
    slot_day,
)
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import milliseconds

_DAY = 86_400_000


class Found(NamedTuple):
    """What an event id names. `event` is what stands in the calendar: a single event, a series, or an exception.

    `slot` is the start that the rule gave, where an instance is named; `series` what the instance belongs to.
    `pointer` is that of `event`; without an exception, of an instance's series.
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
        """As the instance is called in lists."""
        if self.series is not None and self.slot is not None and not self.is_exception:
            return instance_id(self.series, self.slot)
        return self.event.id


class Agenda:
    """The calendar at one version of it."""

    def __init__(self, planner: Planner, calendar: CalendarRecord) -> None:
        self.planner = planner
        self.calendar = calendar
        self.zone = calendar.zone
        self._calendars = planner.desk.calendars
        self._marks = MARKS.within(planner.store, planner.scope)

    def find(self, event_id: str) -> Found:
        """Raises NotFound for what is not in the calendar, or is no longer."""
        wanted = event_id.strip()
        found = self._standing(wanted) or self._instance(wanted)
        if found is None:
            raise NotFound(
                f'Event not found: "{wanted[:80]}".', "calendar_list_events gives the ids of events and instances."
            )
        return found

    def exceptions(self, series: Event) -> list[Event]:
        """What stands in place of instances of the series, in no order."""
        wide = read_entries(self.planner.store, self.planner.scope, self.calendar.id, self.zone, "wide")
        events = (event_of(one) for one in wide if one.kind == "event")
        return [one for one in events if one and one.uid == series.uid and one.recurrence_id is not None]

    def pointer(self, event_id: str) -> Pointer | None:
        pointer = self._calendars.pointer(self.calendar, event_id)
        return pointer if pointer is not None and pointer.state == "stands" else None

    def mark(self, event_id: str) -> Mark:
        return self._marks.get(event_id) or Mark(id=event_id)

    def marks(self, event_ids: Iterable[str]) -> dict[str, Mark]:
        """The marks of those events that have one."""
        return self._marks.by_id(event_ids)

    def standing(self, event_ids: Iterable[str]) -> dict[str, Event]:
        """Those of the events that stand under ids of their own: no instances of series but exceptions."""
        store, scope, calendar = self.planner.store, self.planner.scope, self.calendar.id
        wanted = [one for one in dict.fromkeys(event_ids) if one]
        pointers, entries = POINTERS.within(store, scope), EVENTS.within(store, scope)
        known = [one for one in pointers.get_many([(calendar, one) for one in wanted]) if one is not None]
        places = [one.place for one in known if one.state == "stands" and one.expires_at is None]
        filed = entries.get_many([(calendar, one.reach, one.start, one.id) for one in places])
        events = [decode_event(entry.event) for entry in filed if entry is not None]
        return {event.id: event for event in events if event.status != "cancelled"}

    def _standing(self, event_id: str) -> Found | None:
        pointer = self.pointer(event_id) if event_id else None
        event = self._calendars.event(self.calendar, event_id) if pointer is not None else None
        if pointer is None or event is None or event.status == "cancelled":
            return None
        if event.recurrence_id is None:
            return Found(event, pointer)
        return Found(event, pointer, event.recurrence_id, self._series_of(event))

    def _series_of(self, exception: Event) -> Event | None:
        event = self._calendars.event(self.calendar, series_id_of(exception))
        if event is not None and event.uid == exception.uid:
            return event
        wide = read_entries(self.planner.store, self.planner.scope, self.calendar.id, self.zone, "wide")
        events = (event_of(one) for one in wide if one.kind == "event")
        return next((one for one in events if one and one.uid == exception.uid and one.recurrence_id is None), None)

    def _instance(self, event_id: str) -> Found | None:
        named = read_instance_id(event_id)
        pointer = self.pointer(named.series) if named is not None else None
        if named is None or pointer is None:
            return None
        series = self._calendars.event(self.calendar, named.series)
        if series is None or not series.is_series or series.status == "cancelled":
            return None
        exceptions = self.exceptions(series)
        for one in exceptions:
            if one.recurrence_id is not None and _is_named(series, one.recurrence_id, named.day, event_id):
                stands = self.pointer(one.id)
                return Found(one, stands, one.recurrence_id, series) if stands is not None else None
        day = AllDay(named.day)
        zone = series.start.zone if isinstance(series.start, Timed) else self.zone
        begin = milliseconds(instant_of(day, zone))
        for instance in live(series, exceptions, self.zone, since=instant_of(day, zone)):
            if instance.start > begin + 2 * _DAY:
                break
            slot = slot_at(series, instance.start, self.zone)
            if _is_named(series, slot, named.day, event_id):
                return Found(series, pointer, slot, series)
        return None


def _is_named(series: Event, slot: When, day: object, event_id: str) -> bool:
    if slot_day(slot) != day:
        return False
    return is_daily_at_most(series) or instance_id(series, slot) == event_id


def open_agenda(planner: Planner) -> Agenda:
    """For reading."""
    return Agenda(planner, planner.desk.calendars.readable(PRIMARY))
