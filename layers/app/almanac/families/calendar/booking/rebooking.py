"""What becomes of an event: cancelled, or moved to another slot in one step, so that it never stands twice or not at
all. Events that were booked here and those that were made elsewhere are alike; of a series one instance can be meant.
"""

from collections.abc import Callable
from datetime import date, datetime

from msgspec.structs import replace

from almanac.families.calendar.booking.booking import Booked
from almanac.families.calendar.booking.cancelling import cancelled_before, taken_out
from almanac.families.calendar.booking.refusals import no_such_event
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.booking.slots import Slots, drawn
from almanac.families.calendar.entries.codec import place_of, shown_entry
from almanac.families.calendar.entries.finding import Found, find_event, provider_override, standing_pointer
from almanac.families.calendar.entries.records import CalendarRecord, Operation, Pointer
from almanac.families.calendar.entries.view import Shown
from almanac.families.calendar.model.booking_ids import event_id_of
from almanac.families.calendar.model.events import AllDay, Event, Timed, encode_event, instant_of
from almanac.families.calendar.model.instances import interval_of
from almanac.families.calendar.model.overrides import override_of
from almanac.kernel.errors import Conflict, InvalidInput
from almanac.kernel.instants import instant_at, milliseconds
from almanac.platform.store.contention import Patience
from almanac.platform.store.port import ConditionFailed


def cancel(bookings: BookingService, calendar_id: str, booking_id: str) -> bool:
    """Cancels an event, a whole series or one instance, named by its booking id or event id. False where it was
    cancelled before.

    Raises NotFound for what was never there, Forbidden where the calendar can only be read.
    """
    calendar = bookings.calendars.writable(calendar_id)
    event_id, patience = event_id_of(booking_id, calendar_id), bookings.patience()
    while True:
        calendar = bookings.next_reading(calendar, patience)
        if _is_under_way(bookings, calendar, event_id, patience):
            continue
        found = find_event(bookings.calendars, calendar, event_id)
        if found is None:
            if cancelled_before(bookings, calendar, event_id):
                return False
            _refuse_unknown(bookings, calendar, booking_id)
            continue
        if found.pointer.operation is not None:
            bookings.await_operation(calendar, found.pointer.operation, patience)
            continue
        try:
            operation = taken_out(bookings, calendar, found)
        except ConditionFailed:
            continue
        if operation == "more":
            continue
        if operation is not None:
            bookings.operations.carry_out(calendar, operation)
        return True


def reschedule(
    bookings: BookingService, calendar_id: str, booking_id: str, start: datetime | date, end: datetime | date | None
) -> Booked:
    """Moves an event, or one instance of a series, to the slot from `start` to `end`; without `end` it stays as long as
    it is.

    Raises Conflict where the new slot is taken, by anything but the event itself: it then stands where it stood.
    """
    calendar = bookings.calendars.writable(calendar_id)
    event_id, patience = event_id_of(booking_id, calendar_id), bookings.patience()
    while True:
        calendar = bookings.next_reading(calendar, patience)
        if _is_under_way(bookings, calendar, event_id, patience):
            continue
        found = find_event(bookings.calendars, calendar, event_id)
        if found is None:
            _refuse_cancelled(bookings, calendar, event_id)
            _refuse_unknown(bookings, calendar, booking_id)
            continue
        if found.pointer.operation is not None:
            bookings.await_operation(calendar, found.pointer.operation, patience)
            continue
        event = _movable(calendar, found)
        zone = bookings.zone_of(calendar).key
        moved = _at(event, start, end, zone)
        if (moved.start, moved.end) == (event.start, event.end) or _same_instants(moved, event, zone):
            return Booked(calendar, event)
        slots = Slots((interval_of(moved, zone),))
        if moved.takes_time and not bookings.is_clear(calendar, slots, patience, own=_own(found, zone)):
            continue
        try:
            moved, operation = _moved(bookings, calendar, found, event, moved)
        except ConditionFailed:
            continue
        carried = moved if operation is None else bookings.carried_out(calendar, operation, patience)
        if carried is not None:
            return Booked(calendar, carried)


def _is_under_way(bookings: BookingService, calendar: CalendarRecord, event_id: str, patience: Patience) -> bool:
    """Whether something was under way with the event, which is waited for: then look again."""
    pointer = bookings.calendars.pointer(calendar, event_id)
    if pointer is None or pointer.operation is None:
        return False
    bookings.await_operation(calendar, pointer.operation, patience)
    return True


def _refuse_unknown(bookings: BookingService, calendar: CalendarRecord, booking_id: str) -> None:
    """Raises NotFound but for an event that stands, and has only moved since it was looked for."""
    pointer = standing_pointer(bookings.calendars, calendar, event_id_of(booking_id, calendar.id))
    if pointer is not None and pointer.expires_at is not None:
        raise InvalidInput(
            f'"{booking_id[:80]}" is a hold, not a booking.',
            "Release it with release_hold, then hold another slot.",
            path="booking_id",
        )
    if pointer is None or bookings.calendars.event(calendar, pointer.id) is not None:
        raise no_such_event(booking_id, calendar)


def _refuse_cancelled(bookings: BookingService, calendar: CalendarRecord, event_id: str) -> None:
    if cancelled_before(bookings, calendar, event_id):
        raise Conflict(
            "The booking was cancelled and cannot be moved.", "Book the new slot with book_slot.", code="cancelled"
        )


def _movable(calendar: CalendarRecord, found: Found) -> Event:
    """The event as it stands, an instance of a series as one of its own."""
    if found.names_whole_series:
        raise InvalidInput(
            "This is the id of a whole series; only one instance can be moved.",
            "Give the id of one instance from list_events. To move all of a native series use calendar_update_event "
            'with scope "all"; elsewhere cancel the series and book it anew.',
            path="booking_id",
        )
    if found.is_exception or found.series is None or found.slot is None:
        return found.event
    if calendar.is_native:
        return override_of(found.series, found.slot, found.id)
    return provider_override(calendar, found.series, found.slot)


def _at(event: Event, start: datetime | date, end: datetime | date | None, zone: str) -> Event:
    """The event at another time. It keeps the zone in which it was made, where it has one."""
    own = event.start.zone if isinstance(event.start, Timed) else zone
    if end is None:
        if isinstance(start, datetime) is not isinstance(event.start, Timed):
            raise InvalidInput(
                '"start" does not fit the event: an all-day event takes a date, any other event a time.',
                "Give end too to change it into the other kind.",
                path="start",
            )
        end = _as_long(event, start, zone)
    template = drawn(start, end, None, own)
    return replace(event, start=template.start, end=template.end)


def _as_long(event: Event, start: datetime | date, zone: str) -> datetime | date:
    if isinstance(event.start, AllDay) and isinstance(event.end, AllDay):
        return start + (event.end.day - event.start.day)
    stands = interval_of(event, zone)
    return start + (instant_at(stands.end) - instant_at(stands.start))


def _same_instants(one: Event, other: Event, zone: str) -> bool:
    return one.is_all_day == other.is_all_day and interval_of(one, zone) == interval_of(other, zone)


def _own(found: Found, zone: str) -> Callable[[Shown], bool]:
    """What of the calendar is the event itself: of a series only the instance that moves."""
    filed = found.event.id
    if found.series is None or found.slot is None or found.is_exception:
        return lambda one: one.filed.id == filed
    begins = milliseconds(instant_of(found.slot, zone))
    return lambda one: one.filed.id == filed and one.start == begins


def _moved(
    bookings: BookingService, calendar: CalendarRecord, found: Found, event: Event, moved: Event
) -> tuple[Event, Operation | None]:
    """The event as it is to be. In a native calendar it stands; in any other one that is prepared, and the operation is
    still to be carried out."""
    author = bookings.author()
    moved = replace(
        moved,
        sequence=event.sequence + 1,
        revision=event.revision + 1,
        updated=instant_at(author.now),
        nominal_days=0,
    )
    pointer = found.pointer
    known = found.series is None or found.is_exception
    if calendar.is_native:
        filing = bookings.filing(calendar)
        entry = filing.entry(moved)
        changes = filing.stand(entry, pointer.booked_by, instead_of=pointer.place if known else None)
        changes += filing.tell("booking_rescheduled", moved, author)
        bookings.calendars.write(calendar, changes, gone=[pointer.place] if known else [], new=[shown_entry(entry)])
        return moved, None
    slot = interval_of(moved, bookings.zone_of(calendar).key)
    operation = bookings.operation("move", calendar, moved, slot, booked_by=pointer.booked_by)
    operation = replace(operation, before=encode_event(event), stands_at=pointer.place if known else None)
    if not known:
        pointer = Pointer(calendar=calendar.id, id=moved.id, place=place_of(operation), booked_by=pointer.booked_by)
    bookings.operations.prepare(calendar, operation, replace(pointer, operation=place_of(operation)), [])
    return moved, operation
