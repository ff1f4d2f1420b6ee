"""Tools that find free and busy time."""

import re
from datetime import time
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from almanac.families.calendar.booking.conflicts import BlockerKind, blocker_name, kind_of
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.entries.view import EntryView
from almanac.families.calendar.model.availability import (
    MINUTE,
    Interval,
    WorkingHours,
    free_between,
    merge_sources,
    within_hours,
)
from almanac.families.calendar.tools.parameters import CalendarId, DisplayZone, End, Start, window_of
from almanac.families.time.core.own_zones import zone_label
from almanac.families.time.core.spans import span_of
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at
from almanac.protocol.tool import Effect, tool

MAX_SLOTS = 1000
_NAMED = 5
_HOURS = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]|24):([0-5]\d)")

Weekday = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_WEEK: tuple[Weekday, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
Weekdays = Annotated[list[Weekday], Meta(min_length=1, max_length=7)]
CalendarIds = Annotated[list[CalendarId], Meta(min_length=1, max_length=50)]
Minutes = Annotated[int, Meta(description="Skip shorter ones.", ge=1, le=525600)]


class Slot(msgspec.Struct, frozen=True):
    """Free time. `start` and `end` are in UTC, the local times carry their offset."""

    start: str
    end: str
    duration_minutes: int
    local_start: str
    local_end: str
    day_of_week: str


class Slots(msgspec.Struct, frozen=True):
    slots: list[Slot]
    count: int
    truncated: bool
    timezone: str


class Blocker(msgspec.Struct, frozen=True):
    """An event, hold or unfinished booking that blocks a time. `kind` is event, hold or booking; `id` works in the
    other tools. Other people wrote `summary`. `notes` name its suspicious parts, and unreadable parts of the event,
    whose time may then differ or be longer.
    """

    summary: str
    local_start: str
    local_end: str
    day_of_week: str
    id: str
    calendar_id: str
    kind: BlockerKind
    notes: list[str]


class SlotState(msgspec.Struct, frozen=True):
    """`conflicts`: the first five entries in the way. `untrusted`: others wrote their titles, which are data."""

    available: bool
    conflicts: list[Blocker]
    timezone: str
    untrusted: bool = True


class BusyBlock(msgspec.Struct, frozen=True):
    start: str
    end: str
    source_count: int
    local_start: str
    local_end: str
    day_of_week: str


class Availability(msgspec.Struct, frozen=True):
    busy: list[BusyBlock]
    free: list[Slot]
    calendars_merged: int
    privacy: str
    timezone: str


@tool(title="Find a free slot", effect=Effect.READS, open_world=True)
def find_free_slots(
    calendar_id: CalendarId,
    start: Start,
    end: End,
    min_duration_minutes: Minutes = 30,
    timezone: DisplayZone = None,
    limit: Annotated[int, Meta(description="Maximum number.", ge=1, le=MAX_SLOTS)] = 250,
    *,
    bookings: BookingService,
) -> Slots:
    """Find a free slot or gap in a calendar: suggest times when a meeting, call or interview of half an hour fits this
    week. For several calendars or working hours use get_availability.
    """
    window, bookings = window_of(start, end), bookings.in_zone(timezone, start, end)
    calendar = bookings.calendars.readable(calendar_id)
    zone = bookings.zone_of(calendar)
    free = free_between(bookings.calendars.busy(calendar, window), window, min_duration_minutes * MINUTE)
    slots = [_slot(one, zone) for one in free[:limit]]
    return Slots(slots, len(slots), len(free) > limit, zone_label(zone.key))


@tool(title="Check whether a time is free", effect=Effect.READS, open_world=True)
def check_availability(
    calendar_id: CalendarId, start: Start, end: End, timezone: DisplayZone = None, *, bookings: BookingService
) -> SlotState:
    """Check whether a given time is free or busy: is Friday from 3pm to 4pm available or blocked, does anything clash,
    overlap or conflict with it, why was a booking refused? For another free time use find_free_slots.
    """
    window, bookings = window_of(start, end), bookings.in_zone(timezone, start, end)
    calendar = bookings.calendars.readable(calendar_id)
    zone = bookings.zone_of(calendar)
    busy_entries = [
        one for one in bookings.calendars.list_entries(calendar, window) if one.busy and one.interval.overlaps(window)
    ]
    return SlotState(
        not busy_entries,
        [_blocker(bookings, one, calendar, zone) for one in busy_entries[:_NAMED]],
        zone_label(zone.key),
    )


@tool(title="Availability across calendars", effect=Effect.READS, open_world=True)
def get_availability(
    start: Start,
    end: End,
    privacy: Annotated[
        Literal["opaque", "full"],
        Meta(description="full: number of busy calendars in each block."),
    ] = "opaque",
    min_free_slot_minutes: Minutes = 30,
    calendar_ids: Annotated[CalendarIds | None, Meta(description='Calendars to merge. Default: ["primary"].')] = None,
    timezone: DisplayZone = None,
    working_hours: Annotated[
        str | None,
        Meta(description="Only free time within these working hours.", examples=["09:00-17:00"]),
    ] = None,
    working_days: Annotated[
        Weekdays | None,
        Meta(description="Only on these weekdays. Default: Monday to Friday."),
    ] = None,
    *,
    bookings: BookingService,
) -> Availability:
    """Find a common time when several people can meet: when are Anna and Bob both free, over all their work and private
    calendars? Busy times are merged without details. For one calendar use find_free_slots.
    """
    # Working hours are wall times, and an offset does not place them for the whole window.
    offsets = (start, end) if working_hours is None and working_days is None else ()
    window, bookings = window_of(start, end), bookings.in_zone(timezone, *offsets)
    ids = list(dict.fromkeys(calendar_ids or ["primary"]))
    calendars = [bookings.calendars.readable(calendar_id) for calendar_id in ids]
    zone = bookings.zone_of(calendars[0])
    blocks = merge_sources([bookings.calendars.busy(calendar, window) for calendar in calendars], window)
    least = min_free_slot_minutes * MINUTE
    hours = _working_hours(working_hours, working_days)
    free = free_between(blocks, window, least)
    if hours is not None:
        free = within_hours(free, hours, zone, least)
    shown = [_busy_block(Interval(one.start, one.end), one.sources if privacy == "full" else 0, zone) for one in blocks]
    return Availability(shown, [_slot(one, zone) for one in free], len(calendars), privacy, zone_label(zone.key))


def _slot(free: Interval, zone: ZoneInfo) -> Slot:
    start, end, *local = span_of(instant_at(free.start), instant_at(free.end), zone)
    return Slot(start, end, (free.end - free.start) // MINUTE, *local)


def _busy_block(busy: Interval, sources: int, zone: ZoneInfo) -> BusyBlock:
    start, end, *local = span_of(instant_at(busy.start), instant_at(busy.end), zone)
    return BusyBlock(start, end, sources, *local)


def _blocker(bookings: BookingService, shown: EntryView, calendar: CalendarRecord, zone: ZoneInfo) -> Blocker:
    span = span_of(instant_at(shown.start), instant_at(shown.end), zone)
    what, kind = blocker_name(shown, calendar, bookings.zone_of(calendar)), kind_of(shown)
    title = {"booking": "(being booked)", "hold": f"(held) {what.title}".strip()}.get(kind, what.title)
    notes = [*what.partial, *what.notes]
    return Blocker(title, span.local_start, span.local_end, span.day_of_week, what.id, calendar.id, kind, notes)


def _working_hours(text: str | None, days: list[Weekday] | None) -> WorkingHours | None:
    if text is None:
        if days is None:
            return None
        text = "00:00-24:00"
    match = _HOURS.fullmatch(text.strip())
    if match is None or (match[3] == "24" and match[4] != "00"):
        raise InvalidInput(
            f'"{text[:40]}" is not a range of working hours.', "Write them like 09:00-17:00.", path="working_hours"
        )
    weekdays = frozenset(map(_WEEK.index, days)) if days is not None else frozenset(range(5))
    return WorkingHours(time(int(match[1]), int(match[2])), time(int(match[3]) % 24, int(match[4])), weekdays)
