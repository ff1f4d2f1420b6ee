"""The one write that an edit of events is: entries of the calendar, marks, links and announcements together."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from almanac.families.calendar.entries.codec import place_of, shown_entry
from almanac.families.calendar.entries.records import PlaceInCalendar, Pointer
from almanac.families.calendar.entries.view import Shown
from almanac.families.calendar.model.events import Event, When
from almanac.families.calendar.model.instance_ids import slot_day
from almanac.families.calendar.model.located_ids import PRIMARY
from almanac.families.planner.core.planner import ItemEvent, Planner
from almanac.families.planner.core.records import MARKS, Mark
from almanac.families.planner.core.unfinished import Unfinished, all_unfinished, carry_on, carry_on_now, left_over
from almanac.families.planner.events.native import Agenda
from almanac.families.planner.events.news import announced
from almanac.families.planner.links.changes import LinkChanges
from almanac.kernel.errors import LimitExceeded
from almanac.kernel.instants import instant_at
from almanac.platform.store.contention import Contended
from almanac.platform.store.port import MAX_CHANGES, Change, ConditionFailed

A = TypeVar("A")

_STEPS_BEFORE_ANOTHER = 2000


class BeingChanged(Contended):
    """An earlier change of the series is not done yet. `works` are what is left of it."""

    code = "being_changed"

    def __init__(self, works: Sequence[Unfinished]) -> None:
        super().__init__("An earlier change of this series is still being carried out.", "Repeat the call in a moment.")
        self.works = works


class EventChanges:
    """Collects what one edit changes; `write` makes it under the condition that the calendar is still as read."""

    def __init__(self, agenda: Agenda) -> None:
        self.agenda = agenda
        self.planner = agenda.planner
        self.links = LinkChanges(agenda.planner)
        self._writer = agenda.planner.bookings.writer(agenda.calendar)
        self._marks = MARKS.within(agenda.planner.store, agenda.planner.scope)
        self.left: list[Unfinished] = []
        self._changes: list[Change] = []
        self._gone: list[PlaceInCalendar] = []
        self._new: list[Shown] = []

    def stand(self, event: Event, mark: Mark, pointer: Pointer | None = None) -> Event:
        """The event stands, in place of what stood at `pointer`. Returns it as it will be read."""
        now = instant_at(self.planner.now_ms())
        event = replace(event, updated=now, created=event.created or now)
        entry = self._writer.entry(event)
        booked_by = pointer.booked_by if pointer is not None else None
        before = pointer.place if pointer is not None else None
        self._changes += self._writer.put(entry, booked_by, replaces=before)
        self._gone += [before] if before is not None else []
        self._new.append(shown_entry(entry))
        self._mark(event, mark)
        return event

    def refile(self, event: Event, pointer: Pointer) -> None:
        """The event stands where it stood, its pointer and its mark as they were: only the series it names changed."""
        entry = self._writer.entry(event)
        if place_of(entry) != pointer.place:
            self._changes += self._writer.put(entry, pointer.booked_by, replaces=pointer.place)
        else:
            self._changes += self._writer.put(entry, pointer.booked_by)[:1]
        self._gone.append(pointer.place)
        self._new.append(shown_entry(entry))

    def remove(self, event: Event, pointer: Pointer) -> None:
        """The event is gone, with its mark and its links."""
        if pointer.booked_by is not None:
            author = self.planner.bookings.author()
            self._changes += self._writer.cancel(event, pointer.place, author, pointer.booked_by)
        else:
            self._changes += self._writer.release(pointer.place)
        self._gone.append(pointer.place)
        self._changes.append(self._marks.delete(self.agenda.named(event.id)))
        self.links.drop(self.agenda.named(event.id))

    def bury(self, series: Event, slot: When | None) -> str:
        """What stands in place of instances of the series, from `slot` on or ever, is gone for who reads. Returns the
        id of the tombstone."""
        grave = Event(
            id=f"{series.id}~gone",
            uid=series.uid,
            start=series.start,
            end=series.end,
            recurrence_id=slot,
            tombstone=True,
            status="cancelled",
            transparent=True,
        )
        # Among what is read with every window, like the exceptions that it hides.
        entry = replace(self._writer.entry(grave), reach="wide")
        self._changes += self._writer.put(entry, None)
        self._new.append(shown_entry(entry))
        return grave.id

    def unbury(self, grave: Pointer) -> None:
        self._changes += self._writer.release(grave.place)
        self._gone.append(grave.place)

    def leave(self, work: Unfinished) -> None:
        """Something is done after the write, by a reaction if by nobody else."""
        work = replace(work, calendar=self.agenda.calendar.id, item=self.agenda.named(work.item))
        self.left.append(work)
        self._changes += left_over(self.planner, work)

    def besides(self, change: Change) -> None:
        self._changes.append(change)

    def tell(self, kind: ItemEvent, event: Event, mark: Mark, before: Event | None = None, **payload: object) -> None:
        """`before` is the event as it was, where it is changed."""
        name = self.agenda.named(event.id)
        told = payload | announced(event, self.agenda.calendar) | {"status": mark.status}
        if before is not None:
            was = announced(before, self.agenda.calendar)
            told |= {f"previous_{part}": was[part] for part in ("title", "start", "all_day")}
        self._changes += self.planner.tell(kind, mark.type, name, told)

    def write(self) -> None:
        """Raises ConditionFailed where somebody else changed the calendar or the links first."""
        changes = [*self._changes, *self.links.changes()]
        if not changes:
            return
        if len(changes) >= MAX_CHANGES:
            raise LimitExceeded("The change affects too many events at once.", "Make it in several steps.")
        self.planner.bookings.calendars.write(self.agenda.calendar, changes, gone=self._gone, new=self._new)

    def mark(self, event: Event, mark: Mark) -> None:
        """The event itself stays as it is; no change where it has that mark."""
        if self._mark_of(event, mark) != self.agenda.kept_mark(event.id):
            self._mark(event, mark)

    def _mark(self, event: Event, mark: Mark) -> None:
        mark = self._mark_of(event, mark)
        # An instance that was changed by itself is not what its series is: it keeps a mark that says no more than none.
        needless = event.recurrence_id is None and mark == Mark(id=mark.id)
        self._changes.append(self._marks.delete(mark.id) if needless else self._marks.put(mark))

    def _mark_of(self, event: Event, mark: Mark) -> Mark:
        once = not event.is_series and mark.type == "task" and mark.status == "pending"
        day = slot_day(event.start).isoformat() if once else None
        return replace(mark, id=self.agenda.named(event.id), open_day=day)


def edit(planner: Planner, attempt: Callable[[EventChanges], A], calendar_id: str = PRIMARY) -> A:
    """What `attempt` answers, once the changes that it collected are written; it is repeated on fresh readings."""
    calendar = planner.bookings.calendars.stored(calendar_id)
    for number in planner.patience():
        calendar = calendar if number == 0 else planner.bookings.calendars.find(calendar.id)
        changes = EventChanges(Agenda(planner, calendar))
        try:
            answer = attempt(changes)
            changes.write()
        except ConditionFailed:
            continue
        return answer
    raise AssertionError("patience ends by raising")


def edit_to_the_end(planner: Planner, attempt: Callable[[EventChanges], A], calendar: str) -> A:
    """As `edit`, with what it leaves to be done begun, and with what an earlier one left done before."""
    made: list[EventChanges] = []

    def noted(changes: EventChanges) -> A:
        made[:] = [changes]
        return attempt(changes)

    try:
        answer = edit(planner, noted, calendar)
    except BeingChanged as waiting:
        for work in waiting.works:
            carry_on(planner, work.item, work.task, _STEPS_BEFORE_ANOTHER)
        answer = edit(planner, noted, calendar)
    carry_on_now(planner, [*made[0].left, *made[0].links.left])
    return answer


def refuse_unfinished(changes: EventChanges, series: Event) -> None:
    """Raises BeingChanged while something is left to do about instances of the series."""
    works = all_unfinished(changes.planner, ("instances", "series"))
    own = [work for work in works if work.calendar == changes.agenda.calendar.id]
    if waiting := [work for work in own if work.uid == series.uid or work.heir == series.id]:
        raise BeingChanged(waiting)
