"""Holds: time that is kept for a while, visible to everybody, until it is booked, released or over."""

from datetime import date, datetime

from almanac.content import admit
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.booking.slots import drawn, slots_of
from almanac.families.calendar.entries.codec import shown_entry
from almanac.families.calendar.entries.records import Hold, reach_of
from almanac.families.calendar.model.booking_ids import is_hold_id, new_hold_id
from almanac.families.calendar.model.events import encode_event
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.port import ConditionFailed


def hold(
    bookings: BookingService,
    calendar_id: str,
    start: datetime | date,
    end: datetime | date,
    summary: str,
    ttl_seconds: int,
    recurrence: str | None = None,
) -> Hold:
    """Keeps the slot for `ttl_seconds`, of a series each instance. Raises Conflict where it is taken."""
    summary = admit({"summary": summary})["summary"]
    calendar = bookings.calendars.writable(calendar_id)
    zone = bookings.zone_of(calendar).key
    event = drawn(start, end, recurrence, zone)
    slots, patience = slots_of(event, zone), bookings.patience()
    first = slots.instances[0]
    plain = not (event.is_series or event.is_all_day)
    while True:
        calendar = bookings.next_reading(calendar, patience)
        if not bookings.is_clear(calendar, slots, patience):
            continue
        now = bookings.calendars.now()
        held = Hold(
            calendar=calendar.id,
            reach=reach_of(*first, event if event.is_series else None),
            start=first.start,
            id=new_hold_id(now, bookings.random_bytes),
            end=first.end,
            busy=True,
            summary=summary,
            actor=bookings.actor,
            expires_at=now + ttl_seconds * 1000,
            event=None if plain else encode_event(event),
        )
        try:
            bookings.calendars.write(calendar, bookings.filing(calendar).keep(held), new=[shown_entry(held)])
        except ConditionFailed:
            continue
        return held


def release(bookings: BookingService, calendar_id: str, hold_id: str) -> bool:
    """The slot is free again. False where the hold was over, released or booked already."""
    if not is_hold_id(hold_id):
        raise InvalidInput(f'"{hold_id[:80]}" is not a hold.', "Give the hold_id from hold_slot.", path="hold_id")
    calendar = bookings.calendars.find(calendar_id)
    patience = bookings.patience()
    while True:
        calendar = bookings.next_reading(calendar, patience)
        pointer = bookings.calendars.pointer(calendar, hold_id)
        if pointer is None:
            return False
        try:
            bookings.calendars.write(calendar, bookings.filing(calendar).release(pointer.place), gone=[pointer.place])
        except ConditionFailed:
            continue
        return True
