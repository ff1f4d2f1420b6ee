"""What was booked under an idempotency key. Keys are an actor's own in a calendar: two actors may use the same one."""

from hashlib import sha256
from typing import Any

import msgspec

from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.records import MEMOS, CalendarRecord, IdempotencyRecord
from almanac.families.calendar.model.events import Event
from almanac.kernel.errors import Conflict
from almanac.platform.store.contention import Patience

MEMO_MS = 7 * 86_400_000
_FIRST_FIELDS = (
    *("calendar_id", "start", "end", "summary", "description", "location", "attendees", "idempotency_key", "hold_id"),
)


def memo_of(
    bookings: BookingService, calendar: CalendarRecord, draft: Draft, key: str, event_id: str
) -> IdempotencyRecord:
    """What is to be remembered, for a week, with the booking itself."""
    return IdempotencyRecord(
        calendar=calendar.id,
        key=memo_key(bookings.actor, key),
        actor=bookings.actor,
        asked=digest(draft),
        event_id=event_id,
        expires_at=bookings.calendars.now() + MEMO_MS,
    )


def memo_key(actor: str, key: str) -> str:
    """Under which a key of the actor's is kept: no other pair of both makes the same."""
    return f"{sha256(actor.encode()).hexdigest()[:32]}:{key}"


def asked_before(
    bookings: BookingService, calendar: CalendarRecord, draft: Draft, key: str, patience: Patience
) -> "Event | str | None":
    """What was booked under the key; "again" where that was not yet known; None where nothing was."""
    memo = _memo(bookings, calendar, key)
    if memo is None:
        return None
    if memo.asked != digest(draft):
        raise Conflict(
            f'The idempotency key "{key[:80]}" was used for another booking.',
            "Use a new key for a new booking; repeat a booking with the very same arguments.",
            code="idempotency_key_reused",
        )
    pointer = bookings.calendars.pointer(calendar, memo.event_id)
    if pointer is None or pointer.state == "undone":
        return None
    if pointer.operation is not None and pointer.state == "preparing":
        bookings.await_operation(calendar, pointer.operation, patience)
        return "again"
    event = bookings.calendars.event(calendar, memo.event_id)
    if event is None:
        raise Conflict(
            f'The booking that was made with the idempotency key "{key[:80]}" has been cancelled.',
            "Use a new key to book the slot again.",
            code="idempotency_key_reused",
        )
    return event


def digest(draft: Draft) -> bytes:
    """Of what is asked for. A draft that says no more than drafts could at first has the digest that it had then."""
    said: dict[str, Any] = {name: getattr(draft, name) for name in _FIRST_FIELDS}
    later = {"recurrence": draft.recurrence, "reminders": draft.reminders}
    return sha256(msgspec.msgpack.encode(said | {name: value for name, value in later.items() if value})).digest()


def _memo(bookings: BookingService, calendar: CalendarRecord, key: str) -> IdempotencyRecord | None:
    rows = MEMOS.within(bookings.calendars.store, bookings.calendars.scope)
    own, shared = rows.get_many([(calendar.id, memo_key(bookings.actor, key)), (calendar.id, key)])
    if own is not None or shared is None or shared.actor is not None:
        return own
    # Kept before keys were an actor's own: it is whoever's booking it is.
    pointer = bookings.calendars.pointer(calendar, shared.event_id)
    return shared if pointer is not None and pointer.booked_by == bookings.actor else None
