"""Slots that are kept for a while."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.families.calendar.booking import holds as holding
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.model.events import AllDay, decode_event
from almanac.families.calendar.tools.parameters import (
    CalendarId,
    DisplayZone,
    Recurrence,
    SlotEnd,
    SlotStart,
    day_or_instant,
    told_at,
)
from almanac.families.time.timestamps import format_utc, weekday_name
from almanac.kernel.instants import instant_at
from almanac.protocol.tool import Effect, tool


class Held(msgspec.Struct, frozen=True):
    """`start` and `end` are in UTC; `expires_at` and the local times are those of `timezone`, with their offset; of
    whole days all but the expiry are dates, the end excluded. Of a series they are those of the first instance."""

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


class Released(msgspec.Struct, frozen=True):
    """`released` is false where the hold was over, released or booked already."""

    released: bool
    hold_id: str


@tool(title="Hold a slot", effect=Effect.ADDS, open_world=True)
def hold_slot(
    calendar_id: CalendarId,
    start: SlotStart,
    end: SlotEnd,
    summary: Annotated[str, Meta(description="Reason for the hold; others see it.", max_length=1000)] = "",
    ttl_seconds: Annotated[int, Meta(description="Length of the hold, in seconds.", ge=5, le=86400)] = 300,
    recurrence: Recurrence = None,
    timezone: DisplayZone = None,
    *,
    bookings: BookingService,
) -> Held:
    """Hold a free slot for a few minutes: pencil it in, reserve, block or keep a time tentatively, e.g. for ten
    minutes while the user or a client decides, until they confirm. Nobody else can book it until the temporary hold
    ends.

    Then book it with book_slot and hold_id, or free it with release_hold; it ends by itself after ttl_seconds. Others
    see it in list_events. A hold is kept here only, not at a provider. A slot that is taken is an error as in
    book_slot. Whole days: dates as start and end. A series: recurrence; each instance is held.
    """
    bookings = bookings.in_zone(timezone)
    begin, until = day_or_instant(start, "start"), day_or_instant(end, "end")
    held = holding.hold(bookings, calendar_id, begin, until, summary, ttl_seconds, recurrence)
    zone = bookings.zone_of(bookings.calendars.find(calendar_id))
    starts, ends = instant_at(held.start), instant_at(held.end)
    local = starts.astimezone(zone)
    times = (format_utc(starts), format_utc(ends), local.isoformat(), ends.astimezone(zone).isoformat())
    event = decode_event(held.event) if held.event is not None else None
    day = weekday_name(local)
    if event is not None and isinstance(event.start, AllDay) and isinstance(event.end, AllDay):
        times = (event.start.day.isoformat(), event.end.day.isoformat()) * 2
        day = weekday_name(event.start.day)
    return Held(
        hold_id=held.id,
        summary=held.summary,
        start=times[0],
        end=times[1],
        expires_at=told_at(held.expires_at, zone),
        local_start=times[2],
        local_end=times[3],
        day_of_week=day,
        timezone=zone.key,
        all_day=event is not None and event.is_all_day,
        recurrence=event.rrule if event is not None else None,
    )


@tool(title="Release a held slot", effect=Effect.REMOVES, open_world=True)
def release_hold(
    calendar_id: CalendarId,
    hold_id: Annotated[str, Meta(description="hold_id from hold_slot.", min_length=1, max_length=100)],
    *,
    bookings: BookingService,
) -> Released:
    """Cancel or release a hold made with hold_slot: give back, free or drop a slot that was held, kept or pencilled in
    tentatively and is not needed any more. The temporary reservation ends, and others can book it. Safe to repeat.
    """
    return Released(holding.release(bookings, calendar_id, hold_id), hold_id)
