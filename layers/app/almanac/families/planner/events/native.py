"""A calendar as the planner reads it: single events, series, instances and exceptions, with their marks."""

from collections.abc import Iterable
from functools import cached_property

from almanac.families.calendar.entries.event_lookup import (
    LocatedEvent,
    current_pointer,
    exceptions_called_after,
    exceptions_of,
)
from almanac.families.calendar.entries.event_lookup import find_event as found_event
from almanac.families.calendar.entries.records import EVENTS, POINTERS, CalendarRecord, Pointer
from almanac.families.calendar.model.events import Event, decode_event
from almanac.families.calendar.model.located_ids import PRIMARY, make_located_id
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import MARKS, Mark
from almanac.families.planner.core.unfinished_work import UnfinishedWork, all_work
from almanac.families.planner.events.ids import event_not_found, locate
from almanac.families.planner.events.series import is_before
from almanac.families.planner.texts.display_texts import display_text
from almanac.kernel.errors import NotFound


class Agenda:
    """One version of a calendar. `zone` is the caller's, and whole days are days there."""

    def __init__(self, planner: Planner, calendar: CalendarRecord) -> None:
        self.planner = planner
        self.calendar = calendar
        self.zone = planner.bookings.zone_of(calendar)
        self._calendars = planner.bookings.calendars
        self._marks = planner.rows(MARKS)

    def find(self, event_id: str) -> LocatedEvent:
        """Find an event or instance. Raises NotFound."""
        found = found_event(self._calendars, self.calendar, event_id.strip())
        if found is None:
            raise event_not_found(event_id)
        return found

    @cached_property
    def display_name(self) -> str:
        return display_text("name", self.calendar.name).text

    def located_id_of(self, event_id: str) -> str:
        """Return the id of an event for results, marks and links, which includes its calendar."""
        return make_located_id(self.calendar.id, event_id)

    def exceptions(self, series: Event) -> list[Event]:
        """Return the exceptions of a series, in no order."""
        return exceptions_of(self._calendars, self.calendar, series)

    def exceptions_called_after(self, series: Event) -> list[Event]:
        """Return the stored exceptions whose ids begin with that of the series, also those of its later parts."""
        return exceptions_called_after(self._calendars, self.calendar, series)

    def event(self, event_id: str) -> Event | None:
        """Return the event stored under an id; None if there is none."""
        return self._calendars.event(self.calendar, event_id)

    def is_deleted(self, exception: Event) -> bool:
        """Return whether an exception was deleted with its series, or a part of it, while its entry is still stored."""
        if exception.recurrence_id is None:
            return False
        slot = exception.recurrence_id
        return any(
            (work.calendar, work.uid) == (self.calendar.id, exception.uid)
            and (work.slot is None or not is_before(slot, work.slot, self.zone))
            for work in self._deletions
        )

    def pointer(self, event_id: str) -> Pointer | None:
        return current_pointer(self._calendars, self.calendar, event_id)

    def mark(self, event_id: str) -> Mark:
        return self.stored_mark(event_id) or Mark(id=self.located_id_of(event_id))

    def stored_mark(self, event_id: str) -> Mark | None:
        return self._marks.get(self.located_id_of(event_id))

    def find_existing(self, event_ids: Iterable[str]) -> dict[str, Event]:
        """Return the events stored under these ids. Only exceptions are stored among instances."""
        calendar = self.calendar.id
        ids = [one for one in dict.fromkeys(event_ids) if one]
        pointers, entries = self.planner.rows(POINTERS), self.planner.rows(EVENTS)
        known = [one for one in pointers.get_many([(calendar, id_) for id_ in ids]) if one is not None]
        places = [one.place for one in known if one.state == "stands" and one.expires_at is None]
        stored = entries.get_many([(calendar, place.reach, place.start, place.id) for place in places])
        events = [decode_event(entry.event) for entry in stored if entry is not None]
        return {event.id: event for event in events if event.status != "cancelled" and not self.is_deleted(event)}

    @cached_property
    def _deletions(self) -> list[UnfinishedWork]:
        return all_work(self.planner, ("instances",))


def open_agenda(planner: Planner, calendar: str = PRIMARY) -> Agenda:
    """Open a calendar for reading what is stored. Raises NotFound."""
    return Agenda(planner, planner.bookings.calendars.find(calendar))


def find_event(planner: Planner, event_id: str) -> tuple[Agenda, LocatedEvent]:
    """Find an event of any calendar. Raises NotFound, and InvalidInput for an ambiguous id."""
    located = locate(planner.bookings.calendars, event_id)
    try:
        agenda = open_agenda(planner, located.calendar)
        return agenda, agenda.find(located.event)
    except NotFound:
        raise event_not_found(event_id) from None
