"""Tools that book, move and cancel slots."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.content import quote_fields
from almanac.families.calendar.booking.conflicts import doubts_of
from almanac.families.calendar.booking.draft import BookingResult, Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.booking_ids import booking_id_of, event_id_of
from almanac.families.calendar.model.events import AllDay, instant_of
from almanac.families.calendar.model.reminders import reminders_of
from almanac.families.calendar.texts.secrets import visible
from almanac.families.calendar.tools.parameters import (
    UNKNOWN_ZONE,
    Attendees,
    BookingId,
    CalendarId,
    Details,
    DisplayZone,
    Location,
    Recurrence,
    Reminders,
    SlotEnd,
    SlotStart,
    day_or_instant,
)
from almanac.families.time.core.own_zones import zone_label
from almanac.families.time.core.spans import span_of, span_of_days
from almanac.kernel.instants import instant_at, milliseconds
from almanac.protocol.tool import Effect, tool

HoldId = Annotated[str, Meta(max_length=100)]
IdempotencyKey = Annotated[str, Meta(min_length=1, max_length=200)]
_PAST = "The slot lies in the past. Tell the user, unless a past meeting was meant."
TimeText = Annotated[str, Meta(max_length=40)]


class Booking(msgspec.Struct, frozen=True):
    """A valid booking. `start` and `end` are in UTC, the local times carry their offset. For an all-day booking all
    four are dates, the end excluded. `replayed`: an earlier call with the same idempotency_key made it. For a series,
    `start` and `end` are the first instance's; `instances_checked` counts the instances checked for conflicts, and
    `checked_until` is set if more follow. `warnings`: possible mistakes. `notes`: suspicious parts of a summary or
    location that other people wrote.
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


class CancellationResult(msgspec.Struct, frozen=True):
    """`already`: an earlier call cancelled it."""

    success: bool
    event_id: str
    booking_id: str
    already: bool


@tool(title="Book a meeting or appointment", effect=Effect.ADDS, open_world=True)
def book_slot(
    calendar_id: CalendarId,
    start: SlotStart,
    end: SlotEnd,
    summary: Annotated[str, Meta(description="Title of the event.", min_length=1, max_length=1000)],
    description: Annotated[Details | None, Meta(description="Details of the event.")] = None,
    attendees: Annotated[Attendees | None, Meta(description="Email addresses.")] = None,
    location: Annotated[Location | None, Meta(description="Place, room or video link.")] = None,
    idempotency_key: Annotated[
        IdempotencyKey | None,
        Meta(description="Your own id, to repeat a call safely."),
    ] = None,
    hold_id: Annotated[HoldId | None, Meta(description="From hold_slot; the booking replaces it.")] = None,
    recurrence: Recurrence = None,
    reminders: Annotated[
        Reminders | None,
        Meta(description="Minutes before the start, e.g. [10, 1440]."),
    ] = None,
    timezone: DisplayZone = None,
    *,
    bookings: BookingService,
) -> Booking:
    """Book or schedule a meeting, call, lunch or appointment in a calendar, reserve a room and invite people, if the
    time is still free, so that nothing is double-booked. For an event that may overlap use calendar_create_event; to
    keep a time until the user decides hold_slot.

    After outcome_unknown the slot stays taken. A series is booked if its instances of two years are free.
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
    # A series recurs on wall clocks, which an offset does not determine.
    bookings = bookings.in_zone(timezone, *((start, end) if recurrence is None else ()))
    return _booking(bookings, bookings.book(draft))


@tool(title="Cancel a meeting or booking", effect=Effect.REMOVES, open_world=True)
def cancel_booking(calendar_id: CalendarId, booking_id: BookingId, *, bookings: BookingService) -> CancellationResult:
    """Cancel, drop or call off a meeting, appointment, reservation or booking that was booked, e.g. if you cannot come,
    also at Google or CalDAV. To move it use reschedule_booking; for the planner calendar_delete_event.

    Its series_id cancels the whole series.
    """
    now_cancelled = bookings.cancel(calendar_id, booking_id)
    event_id = event_id_of(booking_id, calendar_id)
    return CancellationResult(True, event_id, booking_id_of(event_id), not now_cancelled)


@tool(title="Reschedule a meeting or booking", effect=Effect.SETS, open_world=True)
def reschedule_booking(
    calendar_id: CalendarId,
    booking_id: BookingId,
    start: SlotStart,
    end: Annotated[
        TimeText | None,
        Meta(description="Default: same length as before."),
    ] = None,
    timezone: DisplayZone = None,
    *,
    bookings: BookingService,
) -> Booking:
    """Reschedule a meeting, call, appointment or booking: move, shift, delay or postpone it from 3pm to a later time,
    to Friday or another day, or push it back by half an hour or a week, if the new time is free. For title or guests
    use update_booking.

    At a provider series_id moves the whole series.
    """
    until, bookings = day_or_instant(end, "end") if end is not None else None, bookings.in_zone(timezone, start, end)
    return _booking(bookings, bookings.reschedule(calendar_id, booking_id, day_or_instant(start, "start"), until))


def _booking(bookings: BookingService, booked: BookingResult) -> Booking:
    event, calendar = visible(booked.event, booked.calendar.provider), booked.calendar
    zone = bookings.zone_of(calendar)
    start, end = instant_of(event.start, zone), instant_of(event.end, zone)
    span = span_of(start, end, zone)
    if isinstance(event.start, AllDay) and isinstance(event.end, AllDay):
        span = span_of_days(event.start.day, event.end.day)
    texts = {name: text for name, text in (("summary", event.summary), ("location", event.location)) if text}
    quoted = quote_fields(texts, calendar.provider)
    past = milliseconds(end) <= bookings.calendars.now()
    checked = booked.slots.checked_until
    return Booking(
        success=True,
        event_id=event.id,
        booking_id=booking_id_of(event.id),
        summary=quoted.fields.get("summary", ""),
        start=span.start,
        end=span.end,
        calendar_id=calendar.id,
        local_start=span.local_start,
        local_end=span.local_end,
        day_of_week=span.day_of_week,
        timezone=zone_label(zone.key),
        location=quoted.fields.get("location", ""),
        replayed=booked.replayed,
        all_day=event.is_all_day,
        recurrence=event.rrule,
        instances_checked=len(booked.slots.instances),
        checked_until=instant_at(checked).astimezone(zone).isoformat() if checked is not None else None,
        reminders=reminders_of(event),
        warnings=[
            *([_PAST] if past else []),
            *([UNKNOWN_ZONE] if bookings.calendars.lacks_zone(calendar) else []),
            *doubts_of(event, calendar.zone, Interval(booked.slots.span.start, checked or booked.slots.span.end)),
        ],
        notes=list(quoted.notes),
    )
