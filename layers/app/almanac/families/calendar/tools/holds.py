"""Tools that hold slots for a while and release them."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.model.events import AllDay, decode_event
from almanac.families.calendar.tools.parameters import (
    CalendarId,
    DisplayZone,
    Recurrence,
    SlotEnd,
    SlotStart,
    day_or_instant,
    format_instant,
)
from almanac.families.time.core.own_zones import zone_label
from almanac.families.time.core.spans import span_of, span_of_days
from almanac.kernel.instants import instant_at
from almanac.protocol.tool import Effect, tool


class HoldResult(msgspec.Struct, frozen=True):
    """`start` and `end` are in UTC; `expires_at` and the local times are in `timezone`, with their offset. For whole
    days all but the expiry are dates, the end excluded. For a series they are the first instance's.
    """

    hold_id: str
    summary: str
    start: str
    end: str
    expires_at: str
    local_start: str
    local_end: str
    day_of_week: str
    timezone: str
    all_day: bool
    recurrence: str | None


class HoldRelease(msgspec.Struct, frozen=True):
    """`released` false: the hold had expired, or had been released or booked before."""

    released: bool
    hold_id: str


@tool(title="Hold a slot", effect=Effect.ADDS, open_world=True)
def hold_slot(
    calendar_id: CalendarId,
    start: SlotStart,
    end: SlotEnd,
    summary: Annotated[str, Meta(description="Reason for the hold; others see it.", max_length=1000)] = "",
    ttl_seconds: Annotated[int, Meta(description="Length of the hold.", ge=5, le=86400)] = 300,
    recurrence: Recurrence = None,
    timezone: DisplayZone = None,
    *,
    bookings: BookingService,
) -> HoldResult:
    """Hold a free slot for some minutes: pencil in, block or keep a time free tentatively while the user or customer
    decides, so that nobody else books it. book_slot with its hold_id confirms it; release_hold gives it back.
    """
    bookings = bookings.in_zone(timezone, *((start, end) if recurrence is None else ()))
    begin, until = day_or_instant(start, "start"), day_or_instant(end, "end")
    result = bookings.hold(calendar_id, begin, until, summary, ttl_seconds, recurrence)
    zone = bookings.zone_of(bookings.calendars.find(calendar_id))
    span = span_of(instant_at(result.start), instant_at(result.end), zone)
    event = decode_event(result.event) if result.event is not None else None
    if event is not None and isinstance(event.start, AllDay) and isinstance(event.end, AllDay):
        span = span_of_days(event.start.day, event.end.day)
    return HoldResult(
        hold_id=result.id,
        summary=result.summary,
        start=span.start,
        end=span.end,
        expires_at=format_instant(result.expires_at, zone),
        local_start=span.local_start,
        local_end=span.local_end,
        day_of_week=span.day_of_week,
        timezone=zone_label(zone.key),
        all_day=event is not None and event.is_all_day,
        recurrence=event.rrule if event is not None else None,
    )


@tool(title="Release a held slot", effect=Effect.REMOVES, open_world=True)
def release_hold(
    calendar_id: CalendarId,
    hold_id: Annotated[str, Meta(description="hold_id from hold_slot.", min_length=1, max_length=100)],
    *,
    bookings: BookingService,
) -> HoldRelease:
    """Release a hold: undo, give back or drop a temporary, tentative reservation of a slot that was held (pencilled
    in) and is not needed any more, so that others can book it. For a booked meeting use cancel_booking.
    """
    return HoldRelease(bookings.release(calendar_id, hold_id), hold_id)
