"""Slots that are booked."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.families.calendar.booking import Booked, Draft, book
from almanac.families.calendar.booking_ids import booking_id_of, event_id_of
from almanac.families.calendar.desk import Desk
from almanac.families.calendar.events import instant_of
from almanac.families.calendar.parameters import BookingId, CalendarId, End, Start, instant
from almanac.families.calendar.rebooking import cancel, reschedule
from almanac.families.time.timestamps import format_utc, weekday_name
from almanac.protocol.tool import Effect, tool

Attendees = Annotated[list[Annotated[str, Meta(min_length=3, max_length=254)]], Meta(max_length=200)]
Details = Annotated[str, Meta(max_length=8000)]
HoldId = Annotated[str, Meta(max_length=100)]
IdempotencyKey = Annotated[str, Meta(min_length=1, max_length=200)]
Location = Annotated[str, Meta(max_length=1000)]
TimeText = Annotated[str, Meta(max_length=40)]


class Booking(msgspec.Struct, frozen=True):
    """A booking that stands. `start` and `end` are in UTC, the local ones carry their offset.

    `replayed`: it was made by an earlier call with the same idempotency_key.
    """

    success: bool
    event_id: str
    booking_id: str
    summary: str
    start: str
    end: str
    calendar_id: str
    local_start: str
    local_end: str
    day_of_week: str
    timezone: str
    location: str
    replayed: bool


class Cancelled(msgspec.Struct, frozen=True):
    """`already`: it had been cancelled before."""

    success: bool
    event_id: str
    booking_id: str
    already: bool


@tool(title="Book a slot", effect=Effect.ADDS, open_world=True)
def book_slot(
    calendar_id: CalendarId,
    start: Start,
    end: End,
    summary: Annotated[str, Meta(description="Title of the event.", min_length=1, max_length=1000)],
    description: Annotated[Details | None, Meta(description="Details of the event.")] = None,
    attendees: Annotated[Attendees | None, Meta(description="Email addresses of those invited.")] = None,
    location: Annotated[Location | None, Meta(description="Where it takes place, or a link.")] = None,
    idempotency_key: Annotated[
        IdempotencyKey | None,
        Meta(description="Your own id of this booking: repeating the call with it never books twice."),
    ] = None,
    hold_id: Annotated[HoldId | None, Meta(description="Hold from hold_slot, whose time this booking takes.")] = None,
    *,
    desk: Desk,
) -> Booking:
    """Book a slot in a calendar: create an event, if nothing else takes that time.

    Exactly one of several bookings of overlapping slots succeeds, whoever makes them; the others get an error that
    names the event in the way, with its local times, and the next free slot. Then ask the user; do not just book
    another time. On any other error nothing was booked, unless it says that it may have been. Calling it twice books
    two events, unless both calls carry the same idempotency_key: pass one whenever a call may be repeated. Slots that
    touch do not overlap. Get start and end from resolve_datetime rather than computing them.
    """
    draft = Draft(
        calendar_id=calendar_id,
        start=instant(start, "start"),
        end=instant(end, "end"),
        summary=summary,
        description=description or "",
        location=location or "",
        attendees=tuple(attendees or ()),
        idempotency_key=idempotency_key,
        hold_id=hold_id,
    )
    return _booking(desk, book(desk, draft))


@tool(title="Cancel a booking", effect=Effect.REMOVES, open_world=True)
def cancel_booking(calendar_id: CalendarId, booking_id: BookingId, *, desk: Desk) -> Cancelled:
    """Cancel a booking made with book_slot: its event is removed and the time is free again.

    Repeating it is harmless. Events that were made elsewhere, by import or in another program, are not cancelled here.
    """
    now_cancelled = cancel(desk, calendar_id, booking_id)
    event_id = event_id_of(booking_id)
    return Cancelled(True, event_id, booking_id_of(event_id), not now_cancelled)


@tool(title="Move a booking", effect=Effect.SETS, open_world=True)
def reschedule_booking(
    calendar_id: CalendarId,
    booking_id: BookingId,
    start: Start,
    end: Annotated[
        TimeText | None, Meta(description="RFC 3339 end of the new slot. Default: as long as the booking is now.")
    ] = None,
    *,
    desk: Desk,
) -> Booking:
    """Move a booking made with book_slot to another slot, in one step: it never stands twice, and never not at all.

    If the new slot is taken the error names what is in the way and the booking stays where it is. The new slot may
    overlap the old one. Ids stay the same.
    """
    until = instant(end, "end") if end is not None else None
    return _booking(desk, reschedule(desk, calendar_id, booking_id, instant(start, "start"), until))


def _booking(desk: Desk, booked: Booked) -> Booking:
    event, calendar = booked.event, booked.calendar
    zone = desk.zone_of(calendar)
    start, end = instant_of(event.start, calendar.zone), instant_of(event.end, calendar.zone)
    local = start.astimezone(zone)
    return Booking(
        success=True,
        event_id=event.id,
        booking_id=booking_id_of(event.id),
        summary=event.summary,
        start=format_utc(start),
        end=format_utc(end),
        calendar_id=calendar.id,
        local_start=local.isoformat(),
        local_end=end.astimezone(zone).isoformat(),
        day_of_week=weekday_name(local),
        timezone=zone.key,
        location=event.location,
        replayed=booked.replayed,
    )
