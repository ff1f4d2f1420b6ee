"""Changes to the store that put, move and delete events, holds and operations of a calendar."""

from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from almanac.content import clean
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
from almanac.families.calendar.model.booking_ids import booking_id_of
from almanac.families.calendar.model.events import Event, Timed, instant_of
from almanac.families.time.core.zones import find_zone
from almanac.kernel.caller import Scope
from almanac.kernel.events import KEY_BYTES, new_event
from almanac.kernel.events import Event as Announcement
from almanac.kernel.ids import RandomBytes
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.conditions import Condition
from almanac.platform.store.port import Change, Store

REMEMBERED_MS = 30 * 86_400_000
"""How long it is known what became of a booking that is gone."""
_SUMMARY = 200
"""Of a title so many characters are announced: an announcement is paid for by the kilobyte."""


class Author(Struct, frozen=True):
    """Who writes, and when (milliseconds since 1970)."""

    actor: str
    now: int
    random_bytes: RandomBytes


class EntryWriter:
    """Changes to the entries of one calendar, with their pointers and announcements.

    Announcements tell whole days by the clocks of the zone `reader`, else by those of the calendar.
    """

    def __init__(self, store: Store, scope: Scope, calendar: CalendarRecord, reader: str | None = None) -> None:
        self._scope = scope
        self._calendar = calendar
        self._days_zone = reader or calendar.zone
        self._events = EVENTS.within(store, scope)
        self._holds = HOLDS.within(store, scope)
        self._operations = OPERATIONS.within(store, scope)
        self._pointers = POINTERS.within(store, scope)
        self._idempotency = IDEMPOTENCY.within(store, scope)

    def entry(self, event: Event) -> EventEntry:
        return event_entry(self._calendar.id, event, self._calendar.zone)

    def put(self, entry: EventEntry, booked_by: str | None, *, replaces: PlaceInCalendar | None = None) -> list[Change]:
        """Store the event with its pointer, and delete the entry at another place that it replaces."""
        pointer = pointer_to(entry.calendar, place_of(entry), booked_by)
        changes: list[Change] = [self._events.put(entry), self._pointers.put(pointer)]
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
        """Delete the event, let its pointer say so for a while, and announce it."""
        pointer = Pointer(
            calendar=self._calendar.id,
            id=event.id,
            place=place,
            state="cancelled",
            booked_by=booked_by,
            expires_at=author.now + REMEMBERED_MS,
        )
        return [self.delete(place), self._pointers.put(pointer), *self.emit("booking_cancelled", event, author)]

    def put_pointer(self, pointer: Pointer) -> Change:
        return self._pointers.put(pointer)

    def delete_pointer(self, key: str) -> Change:
        return self._pointers.delete(self._calendar.id, key)

    def put_hold(self, hold: Hold) -> list[Change]:
        pointer = Pointer(calendar=hold.calendar, id=hold.id, place=place_of(hold), expires_at=hold.expires_at)
        return [self._holds.put(hold), self._pointers.put(pointer)]

    def put_operation(self, operation: Operation, condition: Condition | None = None) -> Change:
        return self._operations.put(operation, condition)

    def delete_operation(self, operation: Operation, condition: Condition) -> Change:
        calendar, place = self._calendar.id, place_of(operation)
        return self._operations.delete(calendar, place.reach, place.start, place.id, condition=condition)

    def put_idempotency(self, record: IdempotencyRecord) -> Change:
        return self._idempotency.put(record)

    def delete_idempotency(self, key: str) -> Change:
        return self._idempotency.delete(self._calendar.id, key)

    def emit(self, kind: str, event: Event, author: Author) -> list[Change]:
        """The announcement that goes into the feed with the change itself."""
        return outbox([self._announcement(kind, event, author)])

    def _announcement(self, kind: str, event: Event, author: Author) -> Announcement:
        key = f"calendar/{self._calendar.id}/{event.id}"
        if len(key.encode()) > KEY_BYTES:
            # Ids from elsewhere may be long; the payload has them whole.
            key = f"calendar/{sha256(key.encode()).hexdigest()}"
        return new_event(
            kind,
            self._scope,
            key=key,
            actor=author.actor,
            at=author.now,
            random_bytes=author.random_bytes,
            payload=_payload(event, self._calendar, self._days_zone),
        )


def _payload(event: Event, calendar: CalendarRecord, days_zone: str) -> dict[str, object]:
    """Which event, what and when, on the clocks of its own zone; whole days begin and end in `days_zone`."""
    zone = find_zone(event.start.zone if isinstance(event.start, Timed) else days_zone)
    start, end = (instant_of(when, days_zone).astimezone(zone).isoformat() for when in (event.start, event.end))
    payload: dict[str, object] = {
        "calendar_id": calendar.id,
        "event_id": event.id,
        "booking_id": booking_id_of(event.id),
        "summary": clean(event.summary).text[:_SUMMARY],
        "start": start,
        "end": end,
        "timezone": zone.key,
        "all_day": event.is_all_day,
    }
    return payload | ({"recurrence": event.rrule} if event.rrule is not None else {})


def pointer_to(calendar: str, place: PlaceInCalendar, booked_by: str | None) -> Pointer:
    """To an event that is stored; `booked_by` None: made elsewhere."""
    return Pointer(calendar=calendar, id=place.id, place=place, booked_by=booked_by)


def undone_pointer(pointer_id: str, operation: Operation, now: int) -> Pointer:
    """What is remembered of a booking that was taken back."""
    return Pointer(
        calendar=operation.calendar,
        id=pointer_id,
        place=place_of(operation),
        state="undone",
        booked_by=operation.booked_by,
        expires_at=now + REMEMBERED_MS,
    )


def taken_over(operation: Operation, **changes: object) -> Operation:
    """The operation under its next token: whoever holds the one before can no longer commit."""
    return replace(operation, token=operation.token + 1, **changes)
