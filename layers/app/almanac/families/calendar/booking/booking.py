"""Booking: at most one of two overlapping bookings succeeds, whoever makes them and wherever they run.

Whoever books reads the calendar at a version, finds nothing in the way, and writes under the condition that the
version is still the same; whoever comes second reads again and meets the first. In a native calendar that one write is
the whole booking. In any other it only prepares the booking, which `operations` carries out.
"""

from msgspec import Struct
from msgspec.structs import replace

from almanac.content import admit
from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.idempotency import asked_before, memo_of
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.booking.slots import Slots, drawn, slots_of
from almanac.families.calendar.entries.codec import place_of, shown_entry
from almanac.families.calendar.entries.records import CalendarRecord, Operation, PlaceInCalendar, Pointer
from almanac.families.calendar.model.attendees import checked_attendees
from almanac.families.calendar.model.booking_ids import is_hold_id, new_event_id
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.reminders import alarms_at
from almanac.kernel.instants import instant_at
from almanac.platform.store.port import Change, ConditionFailed

__all__ = ["Booked", "Draft", "book"]


class Booked(Struct, frozen=True):
    """`replayed`: booked by an earlier call with the same idempotency key."""

    calendar: CalendarRecord
    event: Event
    replayed: bool = False


def book(bookings: BookingService, draft: Draft) -> Booked:
    """Books the slot, or raises Conflict (code slot_taken) naming what stands there.

    A call with the idempotency key of an earlier one, and otherwise equal, answers with what that one booked, for a
    week; with other arguments it is a Conflict. Raises Unavailable where the provider does not answer: then nothing is
    booked. Raises InvalidInput (code content_refused) for text that addresses a language model instead of a reader.
    """
    draft = _admitted(draft)
    calendar = bookings.calendars.writable(draft.calendar_id)
    zone = bookings.zone_of(calendar).key
    template = drawn(draft.start, draft.end, draft.recurrence, zone)
    slots, patience = slots_of(template, zone), bookings.patience()
    while True:
        calendar = bookings.next_reading(calendar, patience)
        if draft.idempotency_key is not None:
            asked = asked_before(bookings, calendar, draft, draft.idempotency_key, patience)
            if asked == "again":
                continue
            if isinstance(asked, Event):
                return Booked(calendar, asked, replayed=True)
        hold = _hold(bookings, calendar, draft.hold_id)
        kept = hold.id if hold is not None else None
        if not bookings.is_clear(calendar, slots, patience, own=lambda one, kept=kept: one.filed.id == kept):
            continue
        try:
            event, operation = _written(bookings, calendar, draft, template, slots, hold)
        except ConditionFailed:
            continue
        carried = event if operation is None else bookings.carried_out(calendar, operation, patience)
        if carried is not None:
            return Booked(calendar, carried)


def _admitted(draft: Draft) -> Draft:
    """The draft without characters that nobody sees. Raises InvalidInput where its text addresses a language model,
    and for somebody invited who has no e-mail address."""
    fields = {"summary": draft.summary, "description": draft.description, "location": draft.location}
    guests = {f"attendees[{number}]": guest for number, guest in enumerate(draft.attendees)}
    admitted = admit({name: text for name, text in (fields | guests).items() if text})
    attendees = checked_attendees([admitted.pop(name, "") for name in guests])
    return replace(draft, **admitted, attendees=attendees)


def _written(
    bookings: BookingService,
    calendar: CalendarRecord,
    draft: Draft,
    template: Event,
    slots: Slots,
    hold: PlaceInCalendar | None,
) -> tuple[Event, Operation | None]:
    """The event, with the operation that is still to be carried out in a calendar that is not native.

    Raises ConditionFailed where the calendar is not as it was read any more.
    """
    filing, event = bookings.filing(calendar), _drafted(bookings, draft, template)
    memo = memo_of(bookings, calendar, draft, draft.idempotency_key, event.id) if draft.idempotency_key else None
    remembered: list[Change] = [filing.memorise(memo)] if memo is not None else []
    if not calendar.is_native:
        operation = bookings.operation("create", calendar, event, slots.instances[0], booked_by=bookings.actor)
        operation = replace(operation, hold=hold, idempotency_key=memo.key if memo is not None else None)
        pointer = Pointer(
            calendar=calendar.id,
            id=event.id,
            place=place_of(operation),
            state="preparing",
            operation=place_of(operation),
            booked_by=bookings.actor,
        )
        bookings.operations.prepare(calendar, operation, pointer, remembered)
        return event, operation
    entry = filing.entry(event)
    changes = [*filing.stand(entry, bookings.actor), *remembered, *filing.tell("slot_booked", event, bookings.author())]
    changes += filing.release(hold) if hold is not None else []
    gone = [hold] if hold is not None else []
    bookings.calendars.write(calendar, changes, gone=gone, new=[shown_entry(entry)])
    return event, None


def _drafted(bookings: BookingService, draft: Draft, template: Event) -> Event:
    now = bookings.calendars.now()
    event_id = new_event_id(now, bookings.random_bytes)
    return replace(
        template,
        id=event_id,
        uid=f"{event_id}@almanac",
        summary=draft.summary,
        description=draft.description,
        location=draft.location,
        attendees=draft.attendees,
        alarms=alarms_at(draft.reminders),
        created=instant_at(now),
        updated=instant_at(now),
    )


def _hold(bookings: BookingService, calendar: CalendarRecord, hold_id: str | None) -> PlaceInCalendar | None:
    """Where the hold stands; None where it is gone: then the slot is had only if it is free."""
    if hold_id is None or not is_hold_id(hold_id):
        return None
    pointer = bookings.calendars.pointer(calendar, hold_id)
    return pointer.place if pointer is not None else None
