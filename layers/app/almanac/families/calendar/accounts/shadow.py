"""Shadow of a calendar in the store: a copy of the provider's events, as of the last pull."""

import re
from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.codec import read_entries, view_of_entry
from almanac.families.calendar.entries.records import EVENTS, POINTERS, CalendarRecord, PlaceInCalendar, Pointer
from almanac.families.calendar.entries.view import EntryView, event_of
from almanac.families.calendar.entries.writer import Author, EntryWriter
from almanac.families.calendar.model.booking_ids import is_hold_id
from almanac.families.calendar.model.events import Event, decode_event
from almanac.platform.store.port import MAX_CHANGES, Change

_INSTANCE = r"[~_]\d{8}(T\d{6}Z?)?"
_LONGEST_ID = 600
_BULK = 50


class Alteration(Struct, frozen=True):
    """Changes that put or remove one event, and the entries that they remove and add."""

    changes: tuple[Change, ...]
    gone: tuple[PlaceInCalendar, ...] = ()
    new: tuple[EntryView, ...] = ()

    @property
    def touches_wide(self) -> bool:
        return any(place.reach == "wide" for place in (*self.gone, *(one.filed for one in self.new)))


class Shadow:
    """Shadow of one calendar, based on `calendar` as it was read.

    It leaves events with an operation under way alone; `waiting` then means that the provider has to be asked again.
    `orphans` are bookings that were undone here but arrived at the provider later; the caller deletes them there.
    `take` may get only a part of the events `among` which series find their exceptions.
    """

    def __init__(
        self, calendars: Calendars, calendar: CalendarRecord, author: Author, among: Sequence[Event] = ()
    ) -> None:
        self._calendars = calendars
        self._calendar = calendar
        self._author = author
        self._writer = EntryWriter(calendars.store, calendars.scope, calendar, calendars.default_zone)
        self._writer.expect(among)
        self._rows = POINTERS.within(calendars.store, calendars.scope)
        self._entries = EVENTS.within(calendars.store, calendars.scope)
        self._known: dict[str, Pointer] | None = None
        self._done: set[str] = set()
        self.waiting = False
        self.orphans: list[str] = []

    def take(self, events: Sequence[Event]) -> Iterator[Alteration]:
        """Store these events as they are. Other stored events of the same resource (`href`) are removed."""
        if len(events) > _BULK:
            self._known = {pointer.id: pointer for pointer in self._pointers()}
        self._writer.expect(events)
        for event in {event.id: event for event in events}.values():
            self._done.add(event.id)
            if len(event.id.encode()) <= _LONGEST_ID and (alteration := self._put(event)) is not None:
                yield alteration
        for resource, kept in _resources(events).items():
            for pointer in self._instances(resource):
                if pointer.id not in kept and (alteration := self._remove(pointer)) is not None:
                    yield alteration

    def retire(self, events: Sequence[Event]) -> Iterator[Alteration]:
        """Remove exceptions that are older than their series, except those that `take` stored."""
        for series in events:
            if series.recurrence_id is None and series.sequence:
                for pointer in self._instances(series.id):
                    event = self._calendars.event(self._calendar, pointer.id) if pointer.id not in self._done else None
                    older = event is not None and event.uid == series.uid and event.sequence < series.sequence
                    if older and (alteration := self._remove(pointer)) is not None:
                        yield alteration

    def remove(self, event_id: str) -> Iterator[Alteration]:
        """Remove the event, and with a series its exceptions."""
        pointer = self._pointer(event_id)
        for one in [*([pointer] if pointer is not None else []), *self._instances(event_id)]:
            if (alteration := self._remove(one)) is not None:
                yield alteration

    def remove_others(self, is_present: Callable[[str], bool]) -> Iterator[Alteration]:
        """Remove all events whose id fails the test `is_present`."""
        for pointer in self._pointers():
            if not is_present(pointer.id) and (alteration := self._remove(pointer)) is not None:
                yield alteration

    def _put(self, event: Event) -> Alteration | None:
        pointer = self._pointer(event.id)
        if pointer is None:
            return self._store(event, None, None)
        if pointer.operation is not None or pointer.state == "preparing":
            self.waiting = True
            return None
        if pointer.state == "undone":
            self.orphans.append(event.id)
            return None
        if pointer.state == "cancelled":
            return self._store(event, pointer.booked_by, None)
        place = pointer.place
        held = self._entries.get(self._calendar.id, place.reach, place.start, place.id)
        if held is None:
            return self._store(event, pointer.booked_by, place)
        former = decode_event(held.event)
        event = replace(event, indexed=former.indexed)
        same = replace(event, revision=former.revision)
        # An equal event is filed again if its instant changed, as days do in another zone of the calendar.
        if former == same and held == self._writer.entry(same):
            return None
        return self._store(replace(event, revision=former.revision + 1), pointer.booked_by, place)

    def _store(self, event: Event, booked_by: str | None, replaces: PlaceInCalendar | None) -> Alteration:
        entry, changes = self._writer.store(event, self._author, booked_by, replaces=replaces)
        return Alteration(tuple(changes), (replaces,) if replaces is not None else (), (view_of_entry(entry),))

    def _remove(self, pointer: Pointer) -> Alteration | None:
        if pointer.id in self._done or pointer.state != "stands" or is_hold_id(pointer.id):
            return None
        self._done.add(pointer.id)
        if pointer.operation is not None:
            self.waiting = True
            return None
        event = self._calendars.event(self._calendar, pointer.id)
        if event is None:
            changes = self._writer.release(pointer.place)
        elif event.status == "cancelled":
            # A cancelled exception stood in for its instance until the series itself excluded it.
            changes = self._writer.clear(event, pointer.place, self._author, pointer.booked_by)
        elif pointer.booked_by is not None:
            changes = self._writer.cancel(event, pointer.place, self._author, pointer.booked_by)
        else:
            changes = self._writer.remove(event, pointer.place, self._author)
        return Alteration(tuple(changes), (pointer.place,))

    def _pointer(self, event_id: str) -> Pointer | None:
        if self._known is not None:
            return self._known.get(event_id)
        return self._calendars.pointer(self._calendar, event_id)

    def _instances(self, series: str) -> list[Pointer]:
        pattern = re.compile(re.escape(series) + _INSTANCE)
        if self._known is not None:
            return [pointer for key, pointer in self._known.items() if pattern.fullmatch(key)]
        return [one for one in self._pointers(f"{series}_", f"{series}~~") if pattern.fullmatch(one.id)]

    def _pointers(self, since: str | None = None, until: str | None = None) -> Iterator[Pointer]:
        return self._rows.every(self._calendar.id, since=since, until=until, page=1000)


def forget_events(calendars: Calendars, calendar: CalendarRecord, author: Author) -> None:
    """Remove all events of a calendar that is about to be deleted, without announcements."""
    writer = EntryWriter(calendars.store, calendars.scope, calendar)
    for reach in ("narrow", "wide"):
        entries = list(read_entries(calendars.store, calendars.scope, calendar.id, calendar.zone, reach))
        filed_events = (
            (event, one.filed) for one in entries if one.kind == "event" and (event := event_of(one)) is not None
        )
        going = [Alteration(tuple(writer.remove(event, place, author))) for event, place in filed_events]
        for batch in batches(going, spare=0):
            calendars.store.write([change for one in batch for change in one.changes])


def series_id(event_id: str) -> str:
    """Return the id of an instance's series, else the event's own: both are in one resource."""
    return re.sub(f"{_INSTANCE}$", "", event_id)


def batches(alterations: Sequence[Alteration], spare: int) -> Iterator[list[Alteration]]:
    """Group the alterations, in order, into batches that fit into one atomic write with `spare` further changes."""
    batch: list[Alteration] = []
    size = 0
    for alteration in alterations:
        if batch and size + len(alteration.changes) > MAX_CHANGES - spare:
            yield batch
            batch, size = [], 0
        batch.append(alteration)
        size += len(alteration.changes)
    if batch:
        yield batch


def write_batch(
    calendars: Calendars, calendar: CalendarRecord, batch: Sequence[Alteration], more: Sequence[Change] = ()
) -> CalendarRecord:
    """Write one batch and `more` atomically, and return the calendar afterwards.

    Raises ConditionFailed if the calendar has changed since it was read.
    """
    changes = [change for one in batch for change in one.changes]
    removed = [place for one in batch for place in one.gone]
    new = [shown for one in batch for shown in one.new]
    calendars.versioned_writes.write(calendar, [*changes, *more], gone=removed, new=new)
    wide = any(one.touches_wide for one in batch)
    return replace(calendar, version=calendar.version + 1, wide_version=calendar.wide_version + (1 if wide else 0))


def _resources(events: Sequence[Event]) -> dict[str, set[str]]:
    """Return the ids of the events by the id of their resource."""
    held: dict[str, set[str]] = {}
    for event in events:
        if event.href is not None:
            held.setdefault(event.id.partition("~")[0], set()).add(event.id)
    return held
