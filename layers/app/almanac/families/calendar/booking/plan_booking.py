"""Plan a new booking, or a hold."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.idempotency import IdempotentRequest
from almanac.families.calendar.booking.plans import (
    Announcement,
    Attempt,
    PendingOperation,
    Plan,
    Preparation,
    PutEvent,
    SlotConflict,
    find_obstacle,
    new_operation,
)
from almanac.families.calendar.booking.slots import Slots
from almanac.families.calendar.entries.codec import place_of
from almanac.families.calendar.entries.records import CalendarRecord, Hold, PlaceInCalendar, Pointer, reach_of
from almanac.families.calendar.entries.view import EntryView
from almanac.families.calendar.model.attendees import attendee_details
from almanac.families.calendar.model.events import Event, encode_event
from almanac.families.calendar.model.reminders import alarms_at
from almanac.kernel.instants import instant_at


class RequestedTime(NamedTuple):
    """Requested time: an event without id and texts, its slots, and the entries read there.

    `hold` is the place of a hold that the booking may use.
    """

    calendar: CalendarRecord
    event: Event
    slots: Slots
    shown: Sequence[EntryView]
    hold: PlaceInCalendar | None = None


def plan_booking(
    opening: RequestedTime, draft: Draft, request: IdempotentRequest | None, attempt: Attempt
) -> Plan | PendingOperation | SlotConflict:
    """Plan a booking: a native calendar stores the event, any other prepares an operation."""
    calendar, hold = opening.calendar, opening.hold
    hold_id = hold.id if hold is not None else None
    obstacle = find_obstacle(opening.shown, opening.slots, lambda one: one.filed.id == hold_id)
    if obstacle is not None:
        return obstacle
    event = _new_event(opening.event, draft, attempt)
    record = request.record(calendar.id, event.id, attempt.now) if request is not None else None
    if not calendar.is_native:
        operation = new_operation("create", calendar, event, opening.slots.instances[0], attempt, attempt.actor)
        operation = replace(operation, hold=hold, idempotency_key=record.key if record is not None else None)
        place = place_of(operation)
        pointer = Pointer(
            calendar=calendar.id,
            id=event.id,
            place=place,
            state="preparing",
            operation=place,
            booked_by=attempt.actor,
        )
        return Plan(prepares=Preparation(operation, pointer), idempotency=record)
    return Plan(
        puts=(PutEvent(event, attempt.actor, is_new=True),),
        idempotency=record,
        announces=Announcement("slot_booked", event),
        releases=(hold,) if hold is not None else (),
    )


def plan_hold(
    opening: RequestedTime, summary: str, ttl_seconds: int, attempt: Attempt
) -> Hold | PendingOperation | SlotConflict:
    """Plan a hold that keeps the slot until it is booked, released or expired. `attempt.new_id` becomes its id."""
    obstacle = find_obstacle(opening.shown, opening.slots)
    if obstacle is not None:
        return obstacle
    event, first = opening.event, opening.slots.instances[0]
    plain = not (event.is_series or event.is_all_day)
    return Hold(
        calendar=opening.calendar.id,
        reach=reach_of(*first, event if event.is_series else None),
        start=first.start,
        id=attempt.new_id,
        end=first.end,
        busy=True,
        summary=summary,
        actor=attempt.actor,
        expires_at=attempt.now + ttl_seconds * 1000,
        event=None if plain else encode_event(event),
    )


def _new_event(template: Event, draft: Draft, attempt: Attempt) -> Event:
    return replace(
        template,
        id=attempt.new_id,
        uid=f"{attempt.new_id}@almanac",
        summary=draft.summary,
        description=draft.description,
        location=draft.location,
        attendees=draft.attendees,
        attendee_details=attendee_details(draft.attendees),
        alarms=alarms_at(draft.reminders),
        created=instant_at(attempt.now),
        updated=instant_at(attempt.now),
    )
