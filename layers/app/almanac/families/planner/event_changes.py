"""The one write that an edit of events is: entries of the calendar, marks, links and announcements together."""

from collections.abc import Callable
from typing import TypeVar

from msgspec.structs import replace

from almanac.families.calendar.calendars import PRIMARY
from almanac.families.calendar.entries import place_of, shown_entry
from almanac.families.calendar.events import Event
from almanac.families.calendar.records import PlaceInCalendar, Pointer
from almanac.families.calendar.view import Shown
from almanac.families.planner.agenda import Agenda
from almanac.families.planner.link_changes import LinkChanges
from almanac.families.planner.planner import ItemEvent, Planner
from almanac.families.planner.records import MARKS, Mark
from almanac.families.planner.series import slot_day
from almanac.kernel.errors import LimitExceeded
from almanac.kernel.instants import instant_at
from almanac.platform.store.port import MAX_CHANGES, Change, ConditionFailed

A = TypeVar("A")


class EventChanges:
    """Collects what one edit changes; `write` makes it under the condition that the calendar is still as read."""

    def __init__(self, agenda: Agenda) -> None:
        self.agenda = agenda
        self.planner = agenda.planner
        self.links = LinkChanges(agenda.planner)
        self._filing = agenda.planner.desk.filing(agenda.calendar)
        self._marks = MARKS.within(agenda.planner.store, agenda.planner.scope)
        self._changes: list[Change] = []
        self._gone: list[PlaceInCalendar] = []
        self._new: list[Shown] = []

    def stand(self, event: Event, mark: Mark, pointer: Pointer | None = None) -> Event:
        """The event stands, in place of what stood at `pointer`. Returns it as it will be read."""
        now = instant_at(self.planner.now_ms())
        event = replace(event, updated=now, created=event.created or now)
        entry = self._filing.entry(event)
        booked_by = pointer.booked_by if pointer is not None else None
        before = pointer.place if pointer is not None else None
        self._changes += self._filing.stand(entry, booked_by, instead_of=before)
        self._gone += [before] if before is not None else []
        self._new.append(shown_entry(entry))
        self._mark(event, mark)
        return event

    def refile(self, event: Event, pointer: Pointer) -> None:
        """The event stands where it stood, its pointer and its mark as they were: only the series it names changed."""
        entry = self._filing.entry(event)
        if place_of(entry) != pointer.place:
            self._changes += self._filing.stand(entry, pointer.booked_by, instead_of=pointer.place)
        else:
            self._changes += self._filing.stand(entry, pointer.booked_by)[:1]
        self._gone.append(pointer.place)
        self._new.append(shown_entry(entry))

    def remove(self, event: Event, pointer: Pointer) -> None:
        """The event is gone, with its mark and its links."""
        if pointer.booked_by is not None:
            author = self.planner.desk.author()
            self._changes += self._filing.gone(event, pointer.place, author, pointer.booked_by)
        else:
            self._changes += self._filing.release(pointer.place)
        self._gone.append(pointer.place)
        self._changes.append(self._marks.delete(event.id))
        self.links.drop(event.id)

    def tell(self, kind: ItemEvent, item_id: str, mark: Mark, **payload: object) -> None:
        self._changes += self.planner.tell(kind, mark.type, item_id, payload)

    def write(self) -> None:
        """Raises ConditionFailed where somebody else changed the calendar or the links first."""
        changes = [*self._changes, *self.links.changes()]
        if len(changes) >= MAX_CHANGES:
            raise LimitExceeded(
                "The change touches too many exceptions and links at once.",
                "Delete some of the changed instances, or unlink some items, and repeat the call.",
            )
        self.planner.desk.calendars.write(self.agenda.calendar, changes, gone=self._gone, new=self._new)

    def _mark(self, event: Event, mark: Mark) -> None:
        once = not event.is_series and mark.type == "task" and mark.status == "pending"
        mark = replace(mark, id=event.id, open_day=_day_of(event) if once else None)
        plain = mark == Mark(id=event.id)
        self._changes.append(self._marks.delete(event.id) if plain else self._marks.put(mark))


def edit(planner: Planner, attempt: Callable[[EventChanges], A]) -> A:
    """What `attempt` answers, once the changes that it collected are written; it is repeated on fresh readings."""
    calendar = planner.desk.calendars.writable(PRIMARY)
    for number in planner.desk.patience():
        calendar = calendar if number == 0 else planner.desk.calendars.find(calendar.id)
        changes = EventChanges(Agenda(planner, calendar))
        try:
            answer = attempt(changes)
            changes.write()
        except ConditionFailed:
            continue
        return answer
    raise AssertionError("patience ends by raising")


def _day_of(event: Event) -> str:
    return slot_day(event.start).isoformat()
