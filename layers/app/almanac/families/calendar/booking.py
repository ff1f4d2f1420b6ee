"""Booking: at most one of two overlapping bookings succeeds, whoever makes them and wherever they run.

Whoever books reads the calendar at a version, finds nothing in the way, and writes under the condition that the
version is still the same; whoever comes second reads again and meets the first. In a native calendar that one write is
the whole booking. In any other it only prepares the booking, which `operations` carries out.
"""

from datetime import datetime
from hashlib import sha256

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.booking_ids import is_hold_id, new_event_id
from almanac.families.calendar.desk import Desk, slot_between
from almanac.families.calendar.entries import place_of, shown_entry
from almanac.families.calendar.events import Event, timed
from almanac.families.calendar.patience import Patience
from almanac.families.calendar.records import MEMOS, CalendarRecord, Memo, Operation, PlaceInCalendar, Pointer
from almanac.kernel.errors import Conflict
from almanac.kernel.firewall import admit
from almanac.kernel.instants import instant_at
from almanac.platform.store.port import Change, ConditionFailed

MEMO_MS = 7 * 86_400_000


class Draft(Struct, frozen=True, kw_only=True):
    """What is to be booked. `start` and `end` are aware. `hold_id` names a hold whose time may be used."""

    calendar_id: str
    start: datetime
    end: datetime
    summary: str
    description: str = ""
    location: str = ""
    attendees: tuple[str, ...] = ()
    idempotency_key: str | None = None
    hold_id: str | None = None


class Booked(Struct, frozen=True):
    """`replayed`: booked by an earlier call with the same idempotency key."""

    calendar: CalendarRecord
    event: Event
    replayed: bool = False


def book(desk: Desk, draft: Draft) -> Booked:
    """Books the slot, or raises Conflict (code slot_taken) naming what stands there.

    A call with the idempotency key of an earlier one, and otherwise equal, answers with what that one booked, for a
    week; with other arguments it is a Conflict. Raises Unavailable where the provider does not answer: then nothing is
    booked. Raises InvalidInput (code content_refused) for text that addresses a language model instead of a reader.
    """
    slot, draft = slot_between(draft.start, draft.end), _admitted(draft)
    calendar = desk.calendars.writable(draft.calendar_id)
    patience = desk.patience()
    while True:
        calendar = desk.next_reading(calendar, patience)
        if draft.idempotency_key is not None:
            asked = _asked_before(desk, calendar, draft, draft.idempotency_key, patience)
            if asked == "again":
                continue
            if isinstance(asked, Event):
                return Booked(calendar, asked, replayed=True)
        hold = _hold(desk, calendar, draft.hold_id)
        if not desk.is_clear(calendar, slot, patience, ignoring=(hold.id,) if hold else ()):
            continue
        try:
            event, operation = _written(desk, calendar, draft, slot, hold)
        except ConditionFailed:
            continue
        return Booked(calendar, event if operation is None else desk.operations.carry_out(calendar, operation))


def _admitted(draft: Draft) -> Draft:
    """The draft without characters that nobody sees. Raises InvalidInput where its text addresses a language model."""
    fields = {"summary": draft.summary, "description": draft.description, "location": draft.location}
    guests = {f"attendees[{number}]": guest for number, guest in enumerate(draft.attendees)}
    admitted = admit({name: text for name, text in (fields | guests).items() if text})
    attendees = tuple(admitted.pop(name) for name in guests if name in admitted)
    return replace(draft, **admitted, attendees=attendees)


def _written(
    desk: Desk, calendar: CalendarRecord, draft: Draft, slot: Interval, hold: PlaceInCalendar | None
) -> tuple[Event, Operation | None]:
    """The event, with the operation that is still to be carried out in a calendar that is not native.

    Raises ConditionFailed where the calendar is not as it was read any more.
    """
    event = _drafted(desk, calendar, draft, slot)
    filing, author = desk.filing(calendar), desk.author()
    memo: list[Change] = []
    if (key := draft.idempotency_key) is not None:
        expires_at = author.now + MEMO_MS
        asked = Memo(calendar=calendar.id, key=key, asked=_digest(draft), event_id=event.id, expires_at=expires_at)
        memo = [filing.memorise(asked)]
    if not calendar.is_native:
        operation = replace(desk.operation("create", calendar, event, slot), hold=hold, idempotency_key=key)
        pointer = Pointer(
            calendar=calendar.id,
            id=event.id,
            place=place_of(operation),
            state="preparing",
            operation=place_of(operation),
            booked_by=desk.actor,
        )
        desk.operations.prepare(calendar, operation, pointer, memo)
        return event, operation
    entry = filing.entry(event)
    changes = [*filing.stand(entry, desk.actor), *memo, *filing.tell("slot_booked", event, author)]
    changes += filing.release(hold) if hold is not None else []
    gone = [hold] if hold is not None else []
    desk.calendars.write(calendar, changes, gone=gone, new=[shown_entry(entry)])
    return event, None


def _drafted(desk: Desk, calendar: CalendarRecord, draft: Draft, slot: Interval) -> Event:
    now = desk.calendars.now()
    event_id = new_event_id(now, desk.random_bytes)
    zone = desk.zone_of(calendar).key
    return Event(
        id=event_id,
        uid=f"{event_id}@almanac",
        start=timed(instant_at(slot.start), zone),
        end=timed(instant_at(slot.end), zone),
        summary=draft.summary,
        description=draft.description,
        location=draft.location,
        attendees=draft.attendees,
        created=instant_at(now),
        updated=instant_at(now),
    )


def _hold(desk: Desk, calendar: CalendarRecord, hold_id: str | None) -> PlaceInCalendar | None:
    """Where the hold stands; None where it is gone: then the slot is had only if it is free."""
    if hold_id is None or not is_hold_id(hold_id):
        return None
    pointer = desk.calendars.pointer(calendar, hold_id)
    return pointer.place if pointer is not None else None


def _asked_before(
    desk: Desk, calendar: CalendarRecord, draft: Draft, key: str, patience: Patience
) -> "Event | str | None":
    """What was booked under the key; "again" where that was not yet known; None where nothing was."""
    memo = MEMOS.within(desk.calendars.store, desk.calendars.scope).get(calendar.id, key)
    if memo is None:
        return None
    if memo.asked != _digest(draft):
        raise Conflict(
            f'The idempotency key "{key[:80]}" was used for another booking.',
            "Use a new key for a new booking; repeat a booking with the very same arguments.",
            code="idempotency_key_reused",
        )
    pointer = desk.calendars.pointer(calendar, memo.event_id)
    if pointer is None or pointer.state == "undone":
        return None
    if pointer.operation is not None and pointer.state == "preparing":
        desk.await_operation(calendar, pointer.operation, patience)
        return "again"
    event = desk.calendars.event(calendar, memo.event_id)
    if event is None:
        raise Conflict(
            f'The booking that was made with the idempotency key "{key[:80]}" was cancelled since.',
            "Use a new key to book the slot again.",
            code="idempotency_key_reused",
        )
    return event


def _digest(draft: Draft) -> bytes:
    return sha256(msgspec.msgpack.encode(draft)).digest()
