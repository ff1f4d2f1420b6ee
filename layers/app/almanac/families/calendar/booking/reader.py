"""Reads of a calendar that the plans need."""

from datetime import date, datetime

from almanac.families.calendar.booking.idempotency import IdempotentRequest
from almanac.families.calendar.booking.plan_cancellation import Cancellation
from almanac.families.calendar.booking.plan_move import Move, move_of, series_move_of
from almanac.families.calendar.booking.plans import RemoveEvent
from almanac.families.calendar.booking.refusals import (
    hold_of_another,
    missing_booking_error,
    no_such_event,
    outcome_unknown,
    slot_pending,
)
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.event_lookup import (
    LocatedEvent,
    current_pointer,
    exceptions_of,
    find_event,
    provider_override,
)
from almanac.families.calendar.entries.records import (
    HOLDS,
    IDEMPOTENCY,
    OPERATIONS,
    CalendarRecord,
    IdempotencyRecord,
    Operation,
    PlaceInCalendar,
    Pointer,
)
from almanac.families.calendar.model.booking_ids import event_id_of, is_hold_id
from almanac.families.calendar.model.instance_ids import is_instance, read_instance_id
from almanac.kernel.errors import InvalidInput, Unavailable

AT_ONCE = 30
"""Most exceptions of a series that one write cancels."""


def idempotency_record(
    calendars: Calendars, calendar: CalendarRecord, request: IdempotentRequest
) -> IdempotencyRecord | None:
    """Return the record of an earlier booking of the same actor under the key."""
    rows = IDEMPOTENCY.within(calendars.store, calendars.scope)
    own, shared = rows.get_many([(calendar.id, request.record_key), (calendar.id, request.key)])
    if own is not None or shared is None or shared.actor is not None:
        return own
    # This record dates from before keys belonged to actors: it belongs to the actor that made the booking.
    pointer = calendars.pointer(calendar, shared.event_id)
    return shared if pointer is not None and pointer.booked_by == request.actor else None


def read_event(
    calendars: Calendars, calendar_id: str, given_id: str
) -> tuple[CalendarRecord, LocatedEvent, Operation | None]:
    """Return the event of an event id or booking id with its calendar, and a change to it that its provider has not
    answered.

    Raises NotFound if there is none, OutcomeUnknown if its provider does not tell whether it was booked, Conflict while
    it is being booked.
    """
    event_id = event_id_of(given_id, calendar_id)
    try:
        calendar = calendars.readable(calendar_id)
    except Unavailable as down:
        calendar = calendars.find(calendar_id)
        operation = _pending_change(calendars, calendar, calendars.pointer(calendar, event_id) if event_id else None)
        if operation is None:
            raise
        raise outcome_unknown(calendar, operation, down) from down
    located = find_event(calendars, calendar, event_id)
    if located is not None:
        return calendar, located, _pending_change(calendars, calendar, operation_pointer(calendars, calendar, located))
    pointer = calendars.pointer(calendar, event_id) if event_id else None
    operation = _pending_change(calendars, calendar, pointer)
    if operation is not None:
        raise outcome_unknown(calendar, operation)
    if pointer is not None and pointer.state == "undone":
        raise missing_booking_error(given_id, calendar)
    if pointer is not None and pointer.state == "preparing":
        raise slot_pending(calendar, pointer.place.start, event_id, calendars.reader_zone(calendar))
    raise no_such_event(given_id, calendar)


def operation_pointer(calendars: Calendars, calendar: CalendarRecord, located: LocatedEvent) -> Pointer | None:
    """Return the pointer that notes a change to the found event while it is under way."""
    if calendar.is_native or located.is_exception or located.series is None or located.slot is None:
        return located.pointer
    # This instance does not differ from its series yet.
    return calendars.pointer(calendar, provider_override(calendar, located.series, located.slot).id)


def _pending_change(calendars: Calendars, calendar: CalendarRecord, pointer: Pointer | None) -> Operation | None:
    """Return the change under way there, if its provider has not told whether it arrived."""
    place = pointer.operation if pointer is not None else None
    if place is None:
        return None
    rows = OPERATIONS.within(calendars.store, calendars.scope)
    operation = rows.get(calendar.id, place.reach, place.start, place.id)
    if operation is None or operation.state in {"undoing", "undone"}:
        return None
    return operation if operation.state == "unknown" or operation.lapses_at <= calendars.now() else None


def own_hold(calendars: Calendars, calendar: CalendarRecord, hold_id: str | None, actor: str) -> PlaceInCalendar | None:
    """Return the place of the actor's hold; None if it is over, so that only a free slot can be booked.

    Raises Forbidden for a hold of another actor.
    """
    if hold_id is None or not is_hold_id(hold_id):
        return None
    pointer = calendars.pointer(calendar, hold_id)
    if pointer is None:
        return None
    place = pointer.place
    hold = HOLDS.within(calendars.store, calendars.scope).get(calendar.id, place.reach, place.start, place.id)
    if hold is not None and hold.expires_at > calendars.now() and hold.actor != actor:
        raise hold_of_another(hold, calendar, calendars.reader_zone(calendar))
    return place


def read_cancellation(calendars: Calendars, calendar: CalendarRecord, located: LocatedEvent) -> Cancellation:
    """Read the stored entries that a cancellation needs. At a provider `located` is enough."""
    if not calendar.is_native:
        return Cancellation(located)
    if located.series is not None and located.slot is not None:
        return Cancellation(located, series=current_pointer(calendars, calendar, located.series.id))
    exceptions = exceptions_of(calendars, calendar, located.event) if located.event.is_series else []
    first = exceptions[:AT_ONCE]
    pointers = [current_pointer(calendars, calendar, one.id) for one in first]
    stored = [RemoveEvent(one, at.place) for one, at in zip(first, pointers, strict=True) if at is not None]
    return Cancellation(located, exceptions=stored, has_more=len(exceptions) > AT_ONCE)


def read_move(
    calendars: Calendars,
    calendar: CalendarRecord,
    located: LocatedEvent,
    start: datetime | date,
    end: datetime | date | None,
) -> Move:
    """Return the move of the found event; for a whole series, with its exceptions."""
    zone = calendars.reader_zone(calendar)
    if not located.names_whole_series:
        return move_of(calendar, located, start, end, zone)
    exceptions = exceptions_of(calendars, calendar, located.event)
    return series_move_of(calendar, located, start, end, zone, exceptions=exceptions, now=calendars.now())


def was_cancelled(calendars: Calendars, calendar: CalendarRecord, event_id: str) -> bool:
    """Return whether the event was cancelled earlier, or the instance removed from its series."""
    pointer = calendars.pointer(calendar, event_id)
    if pointer is not None:
        event = calendars.event(calendar, event_id)
        return pointer.state == "cancelled" or (event is not None and event.status == "cancelled")
    instance = read_instance_id(event_id)
    stored = current_pointer(calendars, calendar, instance.series) if instance is not None else None
    series = calendars.event_at(calendar, stored) if stored is not None else None
    if instance is None or series is None or not series.is_series:
        return False
    cancelled = [*series.exdates]
    exceptions = exceptions_of(calendars, calendar, series)
    cancelled += [
        one.recurrence_id for one in exceptions if one.status == "cancelled" and one.recurrence_id is not None
    ]
    return any(is_instance(series, slot, event_id) for slot in cancelled)


def refuse_unknown(calendars: Calendars, calendar: CalendarRecord, booking_id: str) -> None:
    """Raise NotFound, unless the event exists and has only moved since the lookup."""
    stored = calendars.pointer(calendar, event_id_of(booking_id, calendar.id) or "-")
    if stored is not None and stored.state == "undone":
        raise missing_booking_error(booking_id, calendar)
    pointer = stored if stored is not None and stored.state == "stands" else None
    if pointer is not None and pointer.expires_at is not None:
        raise InvalidInput(
            f'"{booking_id[:80]}" is a hold, not a booking.',
            "Release it with release_hold, then hold another slot.",
            path="booking_id",
        )
    if pointer is None or calendars.event(calendar, pointer.id) is not None:
        raise no_such_event(booking_id, calendar)
