"""Slots that are booked."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.content import quoted_fields
from almanac.families.calendar.booking.booking import Booked, book
from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.rebooking import cancel, reschedule
from almanac.families.calendar.booking.service import Desk
from almanac.families.calendar.booking.slots import slots_of
from almanac.families.calendar.model.booking_ids import booking_id_of, event_id_of
from almanac.families.calendar.model.events import AllDay, instant_of
from almanac.families.calendar.model.reminders import reminders_of
from almanac.families.calendar.tools.parameters import (
    BookingId,
    CalendarId,
    DisplayZone,
    Recurrence,
    SlotEnd,
    SlotStart,
    day_or_instant,
)
from almanac.families.time.timestamps import format_utc, weekday_name
from almanac.kernel.instants import instant_at, milliseconds
from almanac.protocol.tool import Effect, tool

Attendees = Annotated[list[Annotated[str, Meta(min_length=3, max_length=254)]], Meta(max_length=200)]
Details = Annotated[str, Meta(max_length=8000)]
HoldId = Annotated[str, Meta(max_length=100)]
IdempotencyKey = Annotated[str, Meta(min_length=1, max_length=200)]
Location = Annotated[str, Meta(max_length=1000)]
Reminders = Annotated[list[Annotated[int, Meta(ge=0, le=40320)]], Meta(max_length=10)]
TimeText = Annotated[str, Meta(max_length=40)]


class Booking(msgspec.Struct, frozen=True):
    """A booking that stands. `start` and `end` are in UTC, the local ones carry their offset; of an all-day booking all
    four are dates, the end excluded.

    `replayed`: it was made by an earlier call with the same idempotency_key. Of a series `start` and `end` are those
    of the first instance, `instances_checked` says how many were checked for conflicts, and `checked_until` up to
    when, where more follow. `warnings` say what may be a mistake. `notes` say what in summary and location, where they
    are other people's text, looks like instructions.
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
    all_day: bool
    recurrence: str | None
    instances_checked: int
    checked_until: str | None
    reminders: list[int]
    warnings: list[str]
    notes: list[str]


class Cancelled(msgspec.Struct, frozen=True):
    """`already`: it had been cancelled before."""

    success: bool
    event_id: str
    booking_id: str
    already: bool


@tool(title="Book a slot", effect=Effect.ADDS, open_world=True)
def book_slot(
    calendar_id: CalendarId,
    start: SlotStart,
    end: SlotEnd,
    summary: Annotated[str, Meta(description="Title of the event.", min_length=1, max_length=1000)],
    description: Annotated[Details | None, Meta(description="Details of the event.")] = None,
    attendees: Annotated[Attendees | None, Meta(description="Email addresses of those invited.")] = None,
    location: Annotated[Location | None, Meta(description="Where it takes place, or a link.")] = None,
    idempotency_key: Annotated[
        IdempotencyKey | None,
        Meta(description="Your own id of this booking: repeating the call with it never books twice."),
    ] = None,
    hold_id: Annotated[HoldId | None, Meta(description="Hold from hold_slot, whose time this booking takes.")] = None,
    recurrence: Recurrence = None,
    reminders: Annotated[
        Reminders | None,
        Meta(description="Minutes before the start at which calendar programs remind, e.g. [10, 1440]."),
    ] = None,
    timezone: DisplayZone = None,
    *,
    desk: Desk,
) -> Booking:
    """Book a slot in a calendar: create an event, if nothing else takes that time.

    Of several bookings of overlapping slots one succeeds, whoever makes them; the others get an error that names the
    event in the way, with its id and local times, and the next free slot. Then ask the user; do not just book another
    time. In a CalDAV or Google calendar this also holds for other Almanac installations, and for what another program
    entered before this call looked again at the provider; a program that writes later can still overlap. On any other
    error nothing was booked, unless it says that it may have been. Calling it twice books two events, unless both
    calls carry the same idempotency_key: pass one whenever a call may be repeated. Slots that touch do not overlap.
    Get start and end from resolve_datetime rather than computing them.
    Whole days: give dates as start and end. A series: give recurrence; it is booked only if every instance of the next
    two years is free, and the result says up to when that was checked.
    """
    draft = Draft(
        calendar_id=calendar_id,
        start=day_or_instant(start, "start"),
        end=day_or_instant(end, "end"),
        summary=summary,
        description=description or "",
        location=location or "",
        attendees=tuple(attendees or ()),
        idempotency_key=idempotency_key,
        hold_id=hold_id,
        recurrence=recurrence,
        reminders=tuple(reminders or ()),
    )
    desk = desk.in_zone(timezone)
    return _booking(desk, book(desk, draft))


@tool(title="Cancel a booking", effect=Effect.REMOVES, open_world=True)
def cancel_booking(calendar_id: CalendarId, booking_id: BookingId, *, desk: Desk) -> Cancelled:
    """Cancel a booking or any other event: it is removed, at its provider too, and the time is free again.

    The id of one instance of a series takes out that instance only; series_id cancels the whole series. Repeating it
    is harmless. Events made elsewhere are cancelled alike, where the calendar can be written to. If people are invited,
    the calendar's service decides whether it tells them; it may refuse for an event that somebody else organizes.
    """
    now_cancelled = cancel(desk, calendar_id, booking_id)
    event_id = event_id_of(booking_id, calendar_id)
    return Cancelled(True, event_id, booking_id_of(event_id), not now_cancelled)


@tool(title="Move a booking", effect=Effect.SETS, open_world=True)
def reschedule_booking(
    calendar_id: CalendarId,
    booking_id: BookingId,
    start: SlotStart,
    end: Annotated[
        TimeText | None,
        Meta(description="RFC 3339 end of the new slot, or a date. Default: as long as the booking is now."),
    ] = None,
    timezone: DisplayZone = None,
    *,
    desk: Desk,
) -> Booking:
    """Move a booking or any other event to another slot, in one step: it never stands twice, and never not at all.

    If the new slot is taken, at its provider too, the error names what is in the way and the event stays where it is.
    The new slot may overlap the old one. Ids stay the same. Of a series give the id of one instance: only that one
    moves, and at a provider it gets an id of its own, which the result has. All else that the event says stays. If
    people are invited, the calendar's service decides whether it tells them; it may refuse for an event that somebody
    else organizes.
    """
    until, desk = day_or_instant(end, "end") if end is not None else None, desk.in_zone(timezone)
    return _booking(desk, reschedule(desk, calendar_id, booking_id, day_or_instant(start, "start"), until))


def _booking(desk: Desk, booked: Booked) -> Booking:
    event, calendar = booked.event, booked.calendar
    zone = desk.zone_of(calendar)
    start, end = instant_of(event.start, zone.key), instant_of(event.end, zone.key)
    local, until = start.astimezone(zone), end.astimezone(zone).isoformat()
    times = (format_utc(start), format_utc(end), local.isoformat(), until)
    if isinstance(event.start, AllDay) and isinstance(event.end, AllDay):
        times = (event.start.day.isoformat(), event.end.day.isoformat()) * 2
    slots = slots_of(event, zone.key)
    texts = {name: text for name, text in (("summary", event.summary), ("location", event.location)) if text}
    read = quoted_fields(texts, calendar.provider)
    past = milliseconds(end) <= desk.calendars.now()
    checked = slots.checked_until
    return Booking(
        success=True,
        event_id=event.id,
        booking_id=booking_id_of(event.id),
        summary=read.fields.get("summary", ""),
        start=times[0],
        end=times[1],
        calendar_id=calendar.id,
        local_start=times[2],
        local_end=times[3],
        day_of_week=weekday_name(event.start.day if isinstance(event.start, AllDay) else local),
        timezone=zone.key,
        location=read.fields.get("location", ""),
        replayed=booked.replayed,
        all_day=event.is_all_day,
        recurrence=event.rrule,
        instances_checked=len(slots.instances),
        checked_until=instant_at(checked).astimezone(zone).isoformat() if checked is not None else None,
        reminders=reminders_of(event),
        warnings=["The slot lies in the past. Tell the user, unless a past meeting was meant."] if past else [],
        notes=list(read.notes),
    )
