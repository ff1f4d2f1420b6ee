"""Why a slot cannot be had, said so that the next call can have another one."""

import json
from datetime import datetime
from zoneinfo import ZoneInfo

from almanac.families.calendar.availability import Interval, free_between
from almanac.families.calendar.calendars import Calendars
from almanac.families.calendar.records import CalendarRecord, Hold
from almanac.families.calendar.view import Shown, event_of
from almanac.kernel.errors import Conflict
from almanac.kernel.firewall import clean
from almanac.kernel.instants import instant_at

_DAY = 86_400_000
_LOOK_AHEAD = 14 * _DAY
_SUMMARY = 80


def slot_taken(
    calendars: Calendars, calendar: CalendarRecord, blocker: Shown, slot: Interval, zone: ZoneInfo
) -> Conflict:
    """Names what stands in the way, with its times in `zone`, and the next free slot of the same length."""
    times = f"{said(instant_at(blocker.start), zone)} to {said(instant_at(blocker.end), zone)} ({zone.key})"
    return Conflict(
        f"Conflict detected: {_named(blocker)}, {times}, overlaps the slot.",
        _next_free(calendars, calendar, slot, zone),
        code="slot_taken",
    )


def slot_pending(slot: Interval, zone: ZoneInfo) -> Conflict:
    """A booking of the time is on its way to the provider, and was not there within the time to wait."""
    return Conflict(
        f"Conflict detected: a booking from {said(instant_at(slot.start), zone)} on is just being made or changed.",
        "Repeat the call in half a minute, or choose another slot with find_free_slots.",
        code="slot_pending",
    )


def said(instant: datetime, zone: ZoneInfo) -> str:
    """`Monday 2026-03-16T10:00:00-04:00`."""
    local = instant.astimezone(zone)
    return f"{local:%A} {local.isoformat()}"


def _named(blocker: Shown) -> str:
    event = event_of(blocker)
    if event is not None:
        # JSON quotes: a summary is somebody's text, and stays recognisable as such.
        return json.dumps(clean(event.summary).text[:_SUMMARY] or "(no title)", ensure_ascii=False)
    until = f" until {instant_at(blocker.expires_at).isoformat()}" if blocker.expires_at else ""
    name = blocker.record.summary if isinstance(blocker.record, Hold) else ""
    return f"a hold {json.dumps(name[:_SUMMARY], ensure_ascii=False)}{until}"


def _next_free(calendars: Calendars, calendar: CalendarRecord, slot: Interval, zone: ZoneInfo) -> str:
    length = slot.end - slot.start
    ahead = Interval(slot.start, slot.end + _LOOK_AHEAD)
    free = free_between(calendars.busy(calendar, ahead), ahead, length)
    if not free:
        return "Nothing of this length is free in the two weeks after it; find_free_slots looks further."
    start = instant_at(free[0].start)
    return (
        f"The next free slot of the same length begins {said(start, zone)}; find_free_slots lists others. "
        "Ask the user before booking another time."
    )
