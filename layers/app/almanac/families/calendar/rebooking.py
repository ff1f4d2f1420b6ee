"""What becomes of a booking: cancelled, or moved to another slot in one step, so that it never stands twice or not at
all."""

from datetime import datetime

from msgspec.structs import replace

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.booking import Booked
from almanac.families.calendar.booking_ids import event_id_of
from almanac.families.calendar.desk import Desk, slot_between
from almanac.families.calendar.entries import place_of, shown_entry
from almanac.families.calendar.events import Event, Timed, encode_event, timed
from almanac.families.calendar.instances import interval_of
from almanac.families.calendar.patience import Patience
from almanac.families.calendar.records import CalendarRecord, Operation, Pointer
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.kernel.instants import instant_at
from almanac.platform.store.port import ConditionFailed


def cancel(desk: Desk, calendar_id: str, booking_id: str) -> bool:
    """Cancels a booking, named by its booking id or event id. False where it was cancelled before.

    Raises NotFound for what was never booked, InvalidInput for an event that was not booked here.
    """
    calendar = desk.calendars.writable(calendar_id)
    patience = desk.patience()
    while True:
        calendar = desk.next_reading(calendar, patience)
        pointer = _pointer(desk, calendar, booking_id, patience)
        if pointer is None:
            continue
        if pointer.state == "cancelled":
            return False
        event = _booked_event(desk, calendar, pointer)
        if event is None:
            continue
        try:
            operation = _taken_out(desk, calendar, pointer, event)
        except ConditionFailed:
            continue
        if operation is not None:
            desk.operations.carry_out(calendar, operation)
        return True


def reschedule(desk: Desk, calendar_id: str, booking_id: str, start: datetime, end: datetime | None) -> Booked:
    """Moves a booking to the slot from `start` to `end`; without `end` it stays as long as it is.

    Raises Conflict where the new slot is taken, by anything but the booking itself: it then stands where it stood.
    """
    calendar = desk.calendars.writable(calendar_id)
    patience = desk.patience()
    while True:
        calendar = desk.next_reading(calendar, patience)
        pointer = _pointer(desk, calendar, booking_id, patience)
        event = _booked_event(desk, calendar, pointer) if pointer is not None else None
        if pointer is None or event is None:
            continue
        stands = interval_of(event, calendar.zone)
        slot = slot_between(
            start, end if end is not None else start + (instant_at(stands.end) - instant_at(stands.start))
        )
        if slot == stands:
            return Booked(calendar, event)
        if not desk.is_clear(calendar, slot, patience, ignoring=(event.id,)):
            continue
        try:
            moved, operation = _moved(desk, calendar, pointer, event, slot)
        except ConditionFailed:
            continue
        return Booked(calendar, moved if operation is None else desk.operations.carry_out(calendar, operation))


def _pointer(desk: Desk, calendar: CalendarRecord, booking_id: str, patience: Patience) -> Pointer | None:
    """To the booking; None where something was under way with it: then look again."""
    pointer = desk.calendars.pointer(calendar, event_id_of(booking_id))
    if pointer is not None and pointer.operation is not None:
        desk.await_operation(calendar, pointer.operation, patience)
        return None
    if (
        pointer is None
        or pointer.state in ("undone", "preparing")
        or (pointer.expires_at and pointer.state == "stands")
    ):
        raise NotFound(
            f'There is no booking "{booking_id[:80]}" in the calendar {calendar.id}.',
            "Give the booking_id or event_id that book_slot answered with; list_events shows event ids.",
        )
    if pointer.booked_by is None:
        raise InvalidInput(
            f'The event "{booking_id[:80]}" was not booked with book_slot.',
            "Change it where it was made. Only bookings can be cancelled or rescheduled here.",
            path="booking_id",
        )
    return pointer


def _booked_event(desk: Desk, calendar: CalendarRecord, pointer: Pointer) -> Event | None:
    """None where it moved or went since the pointer was read."""
    if pointer.state == "cancelled":
        raise Conflict(
            "The booking was cancelled: it cannot be moved.", "Book the new slot with book_slot.", code="cancelled"
        )
    event = desk.calendars.event(calendar, pointer.id)
    if event is not None and event.is_series:
        raise InvalidInput(
            "The booking was made a series since, in another program.", "Change the series there.", path="booking_id"
        )
    return event


def _taken_out(desk: Desk, calendar: CalendarRecord, pointer: Pointer, event: Event) -> Operation | None:
    """Cancels in a native calendar; in any other one prepares that, and returns what is to be carried out."""
    if calendar.is_native:
        changes = desk.filing(calendar).gone(event, pointer.place, desk.author(), pointer.booked_by or desk.actor)
        desk.calendars.write(calendar, changes, gone=[pointer.place])
        return None
    stands = interval_of(event, calendar.zone)
    operation = desk.operation("cancel", calendar, event, stands, booked_by=pointer.booked_by)
    # Filed beside the event, whose time is busy anyway.
    place = pointer.place
    operation = replace(operation, busy=False, reach=place.reach, start=place.start, stands_at=place)
    return _prepared(desk, calendar, pointer, operation)


def _moved(
    desk: Desk, calendar: CalendarRecord, pointer: Pointer, event: Event, slot: Interval
) -> tuple[Event, Operation | None]:
    """As `_taken_out`, for another slot; with the event as it is to be."""
    author = desk.author()
    zone = event.start.zone if isinstance(event.start, Timed) else desk.zone_of(calendar).key
    moved = replace(
        event,
        start=timed(instant_at(slot.start), zone),
        end=timed(instant_at(slot.end), zone),
        sequence=event.sequence + 1,
        revision=event.revision + 1,
        updated=instant_at(author.now),
    )
    if calendar.is_native:
        filing = desk.filing(calendar)
        entry = filing.entry(moved)
        changes = filing.stand(entry, pointer.booked_by, instead_of=pointer.place)
        changes += filing.tell("booking_rescheduled", moved, author)
        desk.calendars.write(calendar, changes, gone=[pointer.place], new=[shown_entry(entry)])
        return moved, None
    operation = desk.operation("move", calendar, moved, slot, booked_by=pointer.booked_by)
    operation = replace(operation, before=encode_event(event), stands_at=pointer.place)
    return moved, _prepared(desk, calendar, pointer, operation)


def _prepared(desk: Desk, calendar: CalendarRecord, pointer: Pointer, operation: Operation) -> Operation:
    """Its time is locked, and whoever looks for the booking finds what is under way with it."""
    desk.operations.prepare(calendar, operation, replace(pointer, operation=place_of(operation)), [])
    return operation
