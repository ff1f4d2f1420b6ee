"""Slots that are kept for a while."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.families.calendar import holding
from almanac.families.calendar.desk import Desk
from almanac.families.calendar.parameters import CalendarId, End, Start, instant
from almanac.families.time.timestamps import format_utc, weekday_name
from almanac.kernel.instants import instant_at
from almanac.protocol.tool import Effect, tool


class Held(msgspec.Struct, frozen=True):
    """`start`, `end` and `expires_at` are in UTC, the local times carry their offset."""

    hold_id: str
    summary: str
    start: str
    end: str
    expires_at: str
    local_start: str
    local_end: str
    day_of_week: str
    timezone: str


class Released(msgspec.Struct, frozen=True):
    """`released` is false where the hold was over, released or booked already."""

    released: bool
    hold_id: str


@tool(title="Hold a slot", effect=Effect.ADDS, open_world=True)
def hold_slot(
    calendar_id: CalendarId,
    start: Start,
    end: End,
    summary: Annotated[str, Meta(description="What it is kept for; others see it.", max_length=1000)] = "",
    ttl_seconds: Annotated[int, Meta(description="How long it is kept, in seconds.", ge=5, le=86400)] = 300,
    *,
    desk: Desk,
) -> Held:
    """Keep a free slot for a while, e.g. while you ask the user: nobody else can book it until the hold is over.

    Book it with book_slot and hold_id, or give it back with release_hold; it ends by itself after ttl_seconds. Others
    see it in list_events. It is kept here only, not at a provider. A slot that is taken is an error as in book_slot.
    """
    held = holding.hold(desk, calendar_id, instant(start, "start"), instant(end, "end"), summary, ttl_seconds)
    zone = desk.zone_of(desk.calendars.find(calendar_id))
    starts, ends = instant_at(held.start), instant_at(held.end)
    local = starts.astimezone(zone)
    return Held(
        hold_id=held.id,
        summary=held.summary,
        start=format_utc(starts),
        end=format_utc(ends),
        expires_at=format_utc(instant_at(held.expires_at)),
        local_start=local.isoformat(),
        local_end=ends.astimezone(zone).isoformat(),
        day_of_week=weekday_name(local),
        timezone=zone.key,
    )


@tool(title="Release a hold", effect=Effect.REMOVES, open_world=True)
def release_hold(
    calendar_id: CalendarId,
    hold_id: Annotated[str, Meta(description="hold_id that hold_slot answered with.", min_length=1, max_length=100)],
    *,
    desk: Desk,
) -> Released:
    """Give back a slot kept with hold_slot, so that others can book it. Repeating it is harmless."""
    return Released(holding.release(desk, calendar_id, hold_id), hold_id)
