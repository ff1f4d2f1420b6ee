"""Store changes that put, move and delete events, holds and operations of a calendar."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.calendar.entries.codec import event_entry, place_of
from almanac.families.calendar.entries.records import (
    EVENTS,
    HOLDS,
    IDEMPOTENCY,
    OPERATIONS,
    POINTERS,
    CalendarRecord,
    EventEntry,
    Hold,
    IdempotencyRecord,
    Operation,
    PlaceInCalendar,
    Pointer,
)
from almanac.families.calendar.model.events import Event, decode_event
from almanac.families.calendar.model.instance_ids import series_id_of
from almanac.families.calendar.texts.announcements import EventAnnouncer
from almanac.families.calendar.texts.documents import EventPlace, document_of, follow_change, is_document
from almanac.families.time.core.zones import stored_zone
from almanac.kernel.caller import Scope
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.conditions import Condition
from almanac.platform.store.port import Change, Store
from almanac.search.engine.document_writes import document_change, removal_change
from almanac.search.port import Document

REMEMBERED_MS = 30 * 86_400_000
"""Time for which the outcome of a removed booking is remembered, in ms."""


class Author(Struct, frozen=True):
    """Actor and instant (milliseconds since 1970) of a write."""

    actor: str
    now: int
    random_bytes: RandomBytes


class EntryWrite(NamedTuple):
    """Entry, and the changes that store and index it."""

    entry: EventEntry
    changes: list[Change]


class EntryWriter:
    """Changes to the entries of one calendar, with their pointers, documents and announcements.

    `calendar` is as it was read, or older if the write is fenced. Announcements give whole days in the zone `reader`,
    else in the calendar's.
    """

    def __init__(self, store: Store, scope: Scope, calendar: CalendarRecord, reader: str | None = None) -> None:
        self._scope = scope
        self._calendar = calendar
        self._events = EVENTS.within(store, scope)
        self._holds = HOLDS.within(store, scope)
        self._operations = OPERATIONS.within(store, scope)
        self._pointers = POINTERS.within(store, scope)
        self._idempotency = IDEMPOTENCY.within(store, scope)
        self._place = EventPlace(calendar.id, calendar.zone, calendar.provider)
        self.announcing = EventAnnouncer(scope, self._place, stored_zone(reader or calendar.known_zone))
        self._coming: dict[str, Event] = {}

    def expect(self, events: Iterable[Event]) -> None:
        """Announce events that are about to be stored, so that exceptions find their series among them."""
        self._coming |= {event.id: event for event in events if event.recurrence_id is None}

    def entry(self, event: Event) -> EventEntry:
        return event_entry(self._calendar.id, event, self._calendar.zone)

    def store(
        self,
        event: Event,
        author: Author,
        booked_by: str | None,
        *,
        replaces: PlaceInCalendar | None = None,
        is_new: bool = False,
    ) -> EntryWrite:
        """Store the event with its pointer and document, and delete the entry at another place that it replaces.

        `is_new`: the event has a fresh random id.
        """
        said = follow_change(event, self._place, self._calendar.version + 1, self._series_of, author.now)
        told = [self._put_document(said.document, author)] if said.document is not None else []
        told += [self._remove_document(said.gone, author)] if said.gone is not None else []
        entry = self.entry(said.event)
        return EntryWrite(entry, [*self.put(entry, booked_by, replaces=replaces, is_new=is_new), *told])

    def remove(self, event: Event, place: PlaceInCalendar, author: Author) -> list[Change]:
        """Delete the event with its pointer and its document, without announcing it."""
        return [*self.release(place), *self._forget_document(event, author)]

    def put(
        self,
        entry: EventEntry,
        booked_by: str | None,
        *,
        replaces: PlaceInCalendar | None = None,
        is_new: bool = False,
    ) -> list[Change]:
        """Store the entry with its pointer, but without its document, and delete the entry at another place that it
        replaces."""
        pointer = pointer_to(entry.calendar, place_of(entry), booked_by)
        changes: list[Change] = [self._events.put(entry)]
        if is_new:
            changes.append(self._pointers.insert_early(pointer))
        elif replaces != pointer.place or not self._calendar.is_native:
            # Otherwise the pointer leads there already.
            changes.append(self._pointers.put(pointer))
        if replaces is not None and replaces != pointer.place:
            changes.append(self.delete(replaces))
        return changes

    def delete(self, place: PlaceInCalendar) -> Change:
        """Delete the entry at the place; its pointer stays."""
        return self._events.delete(self._calendar.id, place.reach, place.start, place.id)

    def release(self, place: PlaceInCalendar) -> list[Change]:
        """Delete the entry at the place, with its pointer."""
        return [self.delete(place), self.delete_pointer(place.id)]

    def cancel(self, event: Event, place: PlaceInCalendar, author: Author, booked_by: str | None) -> list[Change]:
        """Delete the event, mark its pointer as cancelled for a while, and announce it."""
        told = self.announcing.announce(
            "booking_cancelled", event, actor=author.actor, at=author.now, random_bytes=author.random_bytes
        )
        return [*self.clear(event, place, author, booked_by), *told]

    def clear(self, event: Event, place: PlaceInCalendar, author: Author, booked_by: str | None) -> list[Change]:
        """Delete an event whose cancellation is already announced, and mark its pointer as cancelled for a while."""
        pointer = Pointer(
            calendar=self._calendar.id,
            id=event.id,
            place=place,
            state="cancelled",
            booked_by=booked_by,
            expires_at=author.now + REMEMBERED_MS,
        )
        return [self.delete(place), self._pointers.put(pointer), *self._forget_document(event, author)]

    def put_pointer(self, pointer: Pointer) -> Change:
        return self._pointers.put(pointer)

    def delete_pointer(self, key: str) -> Change:
        return self._pointers.delete(self._calendar.id, key)

    def put_hold(self, hold: Hold) -> list[Change]:
        pointer = Pointer(calendar=hold.calendar, id=hold.id, place=place_of(hold), expires_at=hold.expires_at)
        return [self._holds.put(hold), self._pointers.insert_early(pointer)]

    def put_operation(self, operation: Operation, condition: Condition | None = None) -> Change:
        return self._operations.put(operation, condition)

    def delete_operation(self, operation: Operation, condition: Condition) -> Change:
        calendar, place = self._calendar.id, place_of(operation)
        return self._operations.delete(calendar, place.reach, place.start, place.id, condition=condition)

    def put_idempotency(self, record: IdempotencyRecord) -> Change:
        return self._idempotency.put(record)

    def delete_idempotency(self, key: str) -> Change:
        return self._idempotency.delete(self._calendar.id, key)

    def _forget_document(self, event: Event, author: Author) -> list[Change]:
        return [self._remove_document(document_of(event, self._place), author)] if is_document(event) else []

    def _put_document(self, document: Document, author: Author) -> Change:
        return document_change(
            document, self._scope, actor=author.actor, at=author.now, random_bytes=author.random_bytes
        )

    def _remove_document(self, last: Document, author: Author) -> Change:
        return removal_change(last, self._scope, actor=author.actor, at=author.now, random_bytes=author.random_bytes)

    def _series_of(self, exception: Event) -> Event | None:
        name = series_name(exception)
        series = self._coming.get(name) or self._stored_event(name)
        return series if series is not None and series.uid == exception.uid else None

    def _stored_event(self, event_id: str) -> Event | None:
        pointer = self._pointers.get(self._calendar.id, event_id)
        place = pointer.place if pointer is not None and pointer.state == "stands" else None
        held = self._events.get(self._calendar.id, place.reach, place.start, place.id) if place is not None else None
        return decode_event(held.event) if held is not None else None


def series_name(exception: Event) -> str:
    """Return the id of an exception's series. CalDAV keeps both in one resource."""
    return re.sub(r"~\d{8}(T\d{6}Z?)?$", "", exception.id) if "~" in exception.id else series_id_of(exception)


def pointer_to(calendar: str, place: PlaceInCalendar, booked_by: str | None) -> Pointer:
    """Return the pointer to a stored event. `booked_by` is None for an event made elsewhere."""
    return Pointer(calendar=calendar, id=place.id, place=place, booked_by=booked_by)


def undone_pointer(pointer_id: str, operation: Operation, now: int) -> Pointer:
    """Return the pointer of a booking that was undone."""
    return Pointer(
        calendar=operation.calendar,
        id=pointer_id,
        place=place_of(operation),
        state="undone",
        booked_by=operation.booked_by,
        expires_at=now + REMEMBERED_MS,
    )


def next_token(operation: Operation, **changes: object) -> Operation:
    """Return the operation under its next token. The holder of the former token can no longer commit."""
    return replace(operation, token=operation.token + 1, **changes)
