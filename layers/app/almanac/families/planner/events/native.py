"""The native calendar as the planner reads it: single events, series, their instances and what differs from them."""

from collections.abc import Iterable
from functools import cached_property

from almanac.families.calendar.entries.finding import Found, exceptions_of, standing_pointer
from almanac.families.calendar.entries.finding import find_event as found_event
from almanac.families.calendar.entries.records import EVENTS, POINTERS, CalendarRecord, Pointer
from almanac.families.calendar.model.events import Event, decode_event
from almanac.families.calendar.model.located_ids import PRIMARY, located_id
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import MARKS, Mark
from almanac.families.planner.core.unfinished import Unfinished, all_work
from almanac.families.planner.events.ids import locate
from almanac.families.planner.events.series import is_before
from almanac.families.planner.texts.shown import shown_text
from almanac.kernel.errors import NotFound


class Agenda:
    """The calendar at one version of it. `zone` is the one whose days whole days are: the caller's."""

    def __init__(self, planner: Planner, calendar: CalendarRecord) -> None:
        self.planner = planner
        self.calendar = calendar
        self.zone = planner.bookings.zone_of(calendar).key
        self._calendars = planner.bookings.calendars
        self._marks = planner.rows(MARKS)

    def find(self, event_id: str) -> Found:
        """Raises NotFound for what is not in the calendar, or is no longer."""
        wanted = event_id.strip()
        found = found_event(self._calendars, self.calendar, wanted)
        if found is None:
            raise NotFound(
                f'Event not found: "{wanted[:80]}".', "calendar_list_events lists the ids of events and instances."
            )
        return found

    @cached_property
    def shown_name(self) -> str:
        return shown_text("name", self.calendar.name).text

    def named(self, event_id: str) -> str:
        """The id by which the planner tells an event of this calendar, and keeps marks and links of it."""
        return located_id(self.calendar.id, event_id)

    def exceptions(self, series: Event) -> list[Event]:
        """What stands in place of instances of the series, in no order."""
        return exceptions_of(self._calendars, self.calendar, series)

    def event(self, event_id: str) -> Event | None:
        """What stands under an id of its own."""
        return self._calendars.event(self.calendar, event_id)

    def is_gone(self, exception: Event) -> bool:
        """Whether it went with its series, or a part of that, though its entry still stands."""
        if exception.recurrence_id is None:
            return False
        slot = exception.recurrence_id
        return any(
            (work.calendar, work.uid) == (self.calendar.id, exception.uid)
            and (work.slot is None or not is_before(slot, work.slot, self.zone))
            for work in self._going
        )

    def pointer(self, event_id: str) -> Pointer | None:
        return standing_pointer(self._calendars, self.calendar, event_id)

    def mark(self, event_id: str) -> Mark:
        return self.stored_mark(event_id) or Mark(id=self.named(event_id))

    def stored_mark(self, event_id: str) -> Mark | None:
        return self._marks.get(self.named(event_id))

    def existing(self, event_ids: Iterable[str]) -> dict[str, Event]:
        """Those of the events that stand under ids of their own: no instances of series but exceptions."""
        store, scope, calendar = self.planner.store, self.planner.scope, self.calendar.id
        wanted = [one for one in dict.fromkeys(event_ids) if one]
        pointers, entries = POINTERS.within(store, scope), EVENTS.within(store, scope)
        known = [one for one in pointers.get_many([(calendar, one) for one in wanted]) if one is not None]
        places = [one.place for one in known if one.state == "stands" and one.expires_at is None]
        filed = entries.get_many([(calendar, one.reach, one.start, one.id) for one in places])
        events = [decode_event(entry.event) for entry in filed if entry is not None]
        return {event.id: event for event in events if event.status != "cancelled" and not self.is_gone(event)}

    @cached_property
    def _going(self) -> list[Unfinished]:
        return all_work(self.planner, ("instances",))


def open_agenda(planner: Planner, calendar: str = PRIMARY) -> Agenda:
    """For reading what is known. Raises NotFound."""
    return Agenda(planner, planner.bookings.calendars.find(calendar))


def find_event(planner: Planner, event_id: str) -> tuple[Agenda, Found]:
    """An event of any calendar. Raises NotFound, and InvalidInput for an id that several have."""
    located = locate(planner.bookings.calendars, event_id)
    try:
        agenda = open_agenda(planner, located.calendar)
        return agenda, agenda.find(located.event)
    except NotFound:
        raise NotFound(
            f'Event not found: "{event_id.strip()[:80]}".',
            "calendar_list_events lists the ids of events and instances.",
        ) from None
