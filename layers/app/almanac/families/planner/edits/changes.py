"""The single write of an edit of events: calendar entries, marks, links and domain events."""

from collections.abc import Callable, Sequence
from itertools import chain, count
from typing import Any, TypeVar

from msgspec.structs import replace

from almanac.content import clean
from almanac.content.redaction import SecretFinding
from almanac.families.calendar.entries.codec import place_of, view_of_entry
from almanac.families.calendar.entries.records import CalendarRecord, PlaceInCalendar, Pointer
from almanac.families.calendar.entries.view import EntryView
from almanac.families.calendar.model.events import Event, When, ZonedTime, instant_of
from almanac.families.calendar.model.instance_ids import slot_day
from almanac.families.calendar.model.located_ids import PRIMARY
from almanac.families.calendar.texts.secrets import visible
from almanac.families.planner.core.planner import ItemEvent, Planner
from almanac.families.planner.core.records import MARKS, Mark
from almanac.families.planner.core.unfinished_work import UnfinishedWork, all_work, run_now, run_steps, work_changes
from almanac.families.planner.events.native import Agenda
from almanac.families.planner.links.changes import LinkChanges
from almanac.kernel.errors import LimitExceeded
from almanac.kernel.instants import instant_at
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.contention import WriteContention
from almanac.platform.store.port import MAX_CHANGES, Change

_TITLE = 200

A = TypeVar("A")

_STEPS_BEFORE_ANOTHER = 2000


class BeingChanged(WriteContention):
    """An earlier change of the series is unfinished. `works` remain to be done."""

    code = "being_changed"

    def __init__(self, works: Sequence[UnfinishedWork]) -> None:
        super().__init__("An earlier change of this series is still being carried out.", "Repeat the call in a moment.")
        self.works = works


class EventChanges:
    """The collected changes of one edit. `write` fails if the calendar changed since it was read."""

    def __init__(self, agenda: Agenda) -> None:
        self.agenda = agenda
        self.planner = agenda.planner
        self.links = LinkChanges(agenda.planner)
        self._writer = agenda.planner.bookings.writer(agenda.calendar)
        self._author = agenda.planner.bookings.author()
        self._marks = agenda.planner.rows(MARKS)
        self.left: list[UnfinishedWork] = []
        self._changes: list[Change] = []
        self._gone: list[PlaceInCalendar] = []
        self._new: list[EntryView] = []

    def put(self, event: Event, mark: Mark, pointer: Pointer | None = None, *, is_new: bool = False) -> Event:
        """Put an event, replacing the entry at `pointer`, and return it as stored. `is_new`: its id was just generated
        at random."""
        now = instant_at(self.planner.now_ms())
        event = replace(event, updated=now, created=event.created or now)
        booked_by = pointer.booked_by if pointer is not None else None
        before = pointer.place if pointer is not None else None
        entry, changes = self._writer.store(event, self._author, booked_by, replaces=before, is_new=is_new)
        self._changes += changes
        self._gone += [before] if before is not None else []
        self._new.append(view_of_entry(entry))
        self._put_mark(event, mark)
        return event

    def move(self, event: Event, pointer: Pointer) -> None:
        """Put an event that now belongs to another series. Its pointer and its mark stay."""
        entry = self._writer.entry(event)
        if place_of(entry) != pointer.place:
            self._changes += self._writer.put(entry, pointer.booked_by, replaces=pointer.place)
        else:
            self._changes += self._writer.put(entry, pointer.booked_by)[:1]
        self._gone.append(pointer.place)
        self._new.append(view_of_entry(entry))

    def remove(self, event: Event, pointer: Pointer) -> None:
        """Delete an event with its mark and its links."""
        if pointer.booked_by is not None:
            self._changes += self._writer.cancel(event, pointer.place, self._author, pointer.booked_by)
        else:
            self._changes += self._writer.remove(event, pointer.place, self._author)
        self._gone.append(pointer.place)
        self._changes.append(self._marks.delete(self.agenda.located_id_of(event.id)))
        self.links.drop(self.agenda.located_id_of(event.id))

    def hide(self, series: Event, slot: When | None) -> str:
        """Hide the exceptions of a series from `slot` on, or all for None, behind a tombstone, and return its id."""
        tombstone = Event(
            id=f"{series.id}~gone",
            uid=series.uid,
            start=series.start,
            end=series.end,
            recurrence_id=slot,
            tombstone=True,
            status="cancelled",
            transparent=True,
        )
        # Read with every window, like the exceptions that it hides.
        entry = replace(self._writer.entry(tombstone), reach="wide")
        self._changes += self._writer.put(entry, None)
        self._new.append(view_of_entry(entry))
        return tombstone.id

    def unhide(self, tombstone: Pointer) -> None:
        self._changes += self._writer.release(tombstone.place)
        self._gone.append(tombstone.place)

    def defer(self, work: UnfinishedWork) -> None:
        """Store work to be done after the write, by a reaction at the latest."""
        work = replace(work, calendar=self.agenda.calendar.id, item=self.agenda.located_id_of(work.item))
        self.left.append(work)
        self._changes += work_changes(self.planner, work)

    def add(self, change: Change) -> None:
        self._changes.append(change)

    def list_redactions(self, event_id: str, findings: Sequence[SecretFinding]) -> None:
        """List the secrets removed from the texts of an event."""
        name = self.agenda.located_id_of(event_id)
        self._changes += redaction_changes(self.planner, name, "event", findings, self.planner.now_ms())

    def emit(self, kind: ItemEvent, event: Event, mark: Mark, before: Event | None = None, **payload: object) -> None:
        """Publish a domain event. `before` is a changed event's former version."""
        name = self.agenda.located_id_of(event.id)
        payload |= event_payload(event, self.agenda.calendar) | {"status": mark.status}
        if before is not None:
            former = event_payload(before, self.agenda.calendar)
            payload |= {f"previous_{part}": former[part] for part in ("title", "start", "all_day")}
        self._changes += self.planner.emit(kind, mark.type, name, payload)

    def write(self) -> None:
        """Write the changes. Raises ConditionFailed if the calendar or the links changed since they were read."""
        changes = [*self._changes, *self.links.changes()]
        if not changes:
            return
        if len(changes) >= MAX_CHANGES:
            raise LimitExceeded("The change affects too many events at once.", "Make it in several steps.")
        versioned = self.planner.bookings.calendars.versioned_writes
        versioned.write(self.agenda.calendar, changes, gone=self._gone, new=self._new)

    def mark(self, event: Event, mark: Mark) -> None:
        """Store the mark of an unchanged event; no change if it has that mark already."""
        if self._mark_of(event, mark) != self.agenda.stored_mark(event.id):
            self._put_mark(event, mark)

    def _put_mark(self, event: Event, mark: Mark) -> None:
        mark = self._mark_of(event, mark)
        # An exception keeps a mark even with default values, or it would read that of its series.
        is_default = event.recurrence_id is None and mark == Mark(id=mark.id)
        self._changes.append(self._marks.delete(mark.id) if is_default else self._marks.put(mark))

    def _mark_of(self, event: Event, mark: Mark) -> Mark:
        once = not event.is_series and mark.type == "task" and mark.status == "pending"
        day = slot_day(event.start).isoformat() if once else None
        return replace(mark, id=self.agenda.located_id_of(event.id), open_day=day)


def commit(planner: Planner, attempt: Callable[[EventChanges], A], calendar_id: str = PRIMARY) -> A:
    """Write the changes that `attempt` collects and return its value. A retry reads the calendar again."""
    calendars = planner.bookings.calendars
    stored = calendars.find_or_create(calendar_id)
    readings = chain([stored], (calendars.find(stored.id) for _ in count()))

    def once() -> A:
        changes = EventChanges(Agenda(planner, next(readings)))
        result = attempt(changes)
        changes.write()
        return result

    return planner.retry_on_conflict(once, "the calendar")


def commit_fully(planner: Planner, attempt: Callable[[EventChanges], A], calendar: str) -> A:
    """Commit like `commit`, after finishing the work of an earlier edit, and then start the work of this one."""
    collected: list[EventChanges] = []

    def attempt_and_collect(changes: EventChanges) -> A:
        collected[:] = [changes]
        return attempt(changes)

    try:
        result = commit(planner, attempt_and_collect, calendar)
    except BeingChanged as unfinished:
        for work in unfinished.works:
            run_steps(planner, work.item, work.task, _STEPS_BEFORE_ANOTHER)
        result = commit(planner, attempt_and_collect, calendar)
    run_now(planner, [*collected[0].left, *collected[0].links.left])
    return result


def refuse_unfinished(changes: EventChanges, series: Event) -> None:
    """Raise BeingChanged while work on instances of the series remains."""
    works = all_work(changes.planner, ("instances", "series"))
    own = [work for work in works if work.calendar == changes.agenda.calendar.id]
    if waiting := [work for work in own if work.uid == series.uid or work.heir == series.id]:
        raise BeingChanged(waiting)


def event_payload(event: Event, calendar: CalendarRecord) -> dict[str, Any]:
    """Return the payload of domain events about an event: titles and times as people read them, in the zone of the
    event."""
    zone = event.start.tzinfo if isinstance(event.start, ZonedTime) else calendar.zone
    start, end = (instant_of(when, calendar.zone).astimezone(zone).isoformat() for when in (event.start, event.end))
    payload: dict[str, Any] = {
        "calendar_id": calendar.id,
        "title": clean(visible(event, calendar.provider).summary).text[:_TITLE],
        "start": start,
        "end": end,
        "timezone": zone.key,
        "all_day": event.is_all_day,
    }
    return payload | ({"recurrence": event.rrule} if event.rrule is not None else {})
