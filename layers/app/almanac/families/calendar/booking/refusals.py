"""Errors for taken slots, with the next step."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from almanac.families.calendar.booking.conflicts import blocker_name, kind_of
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import Action, CalendarRecord, Hold, Operation
from almanac.families.calendar.entries.view import EntryView
from almanac.families.calendar.model.availability import Interval, free_between
from almanac.families.time.core.own_zones import zone_label
from almanac.kernel.errors import AlmanacError, Conflict, Forbidden, NotFound, Unavailable
from almanac.kernel.instants import instant_at

_DAY = 86_400_000
_LOOK_AHEAD = 14 * _DAY
_NAMED = 3


def slot_taken(calendars: Calendars, calendar: CalendarRecord, blocker: EntryView, slot: Interval) -> Conflict:
    """Return the error for a taken slot: the id and times of the blocker, and the next free slot of that length."""
    zone = calendars.reader_zone(calendar)
    return Conflict(
        f"Conflict detected: {describe_blocker(blocker, calendar, zone)}, overlaps the slot.",
        _next_free(calendars, calendar, slot, zone),
        code="slot_taken",
        untrusted=True,
    )


def instances_taken(taken: Sequence[tuple[Interval, EntryView]], calendar: CalendarRecord, zone: ZoneInfo) -> Conflict:
    """Return the error for a series: its first instances with a conflict, and the blocker of each."""
    first = "; ".join(
        f"{weekday_and_time(instant_at(slot.start), zone)} meets {describe_blocker(blocker, calendar, zone)}"
        for slot, blocker in taken[:_NAMED]
    )
    several = f"{len(taken)} instances" if len(taken) > 1 else "one instance"
    return Conflict(
        f"Conflict detected: {several} of the series would overlap existing events: {first}.",
        "Nothing was booked. Choose another time or rule, or book single slots between them. Ask the user first.",
        code="slot_taken",
        untrusted=True,
    )


def hold_of_another(hold: Hold, calendar: CalendarRecord, zone: ZoneInfo) -> Forbidden:
    until = weekday_and_time(instant_at(hold.expires_at), zone)
    return Forbidden(
        f"The hold {hold.id} in the calendar {calendar.id} belongs to another actor, {hold.actor}, until {until}.",
        "Only the actor that made a hold can book or release it. Choose another slot with find_free_slots, or wait.",
        code="hold_of_another",
    )


def slot_pending(calendar: CalendarRecord, start: int, event_id: str, zone: ZoneInfo) -> Conflict:
    """Return the error for a slot with a booking under way that did not finish within the wait."""
    return Conflict(
        f"Conflict detected: a booking from {weekday_and_time(instant_at(start), zone)} on is being made "
        f"or changed right now (event_id {event_id}, calendar_id {calendar.id}).",
        "Repeat the call in half a minute, or choose another slot with find_free_slots.",
        code="slot_pending",
    )


class OutcomeUnknown(Unavailable):
    """The provider did not tell whether it made a change. The change keeps its time until the provider does."""

    code = "outcome_unknown"


def unknown_change(action: Action) -> str:
    """Return a sentence about a change that the provider has not confirmed."""
    return _UNKNOWN[action][0]


_UNKNOWN: Mapping[Action, tuple[str, str, str]] = {
    "create": (
        "Whether the slot was booked is not known yet: the event may be there, and people may have been invited.",
        "The slot stays taken until then.",
        "Book no other slot instead. In a minute call get_event, or repeat the call with the same idempotency_key.",
    ),
    "move": (
        "Whether the event was moved is not known yet.",
        "The old slot and the new one stay taken until then.",
        "Repeat the call in a minute, or call get_event with the event_id: they say where the event is.",
    ),
    "cancel": (
        "Whether the event was cancelled is not known yet. It will be cancelled there as soon as that is possible.",
        "Its slot stays taken until then.",
        "You need not do anything; repeat the call in a minute to see whether it is cancelled.",
    ),
}


def outcome_unknown(
    calendar: CalendarRecord, operation: Operation, cause: AlmanacError | None = None
) -> OutcomeUnknown:
    """Return the error for a change that may or may not have reached the provider: the interim state, and how to learn
    more.

    `cause` is the error with which the provider failed in this call.
    """
    outcome, until, hint = _UNKNOWN[operation.action]
    began = cause.message if cause is not None else "The provider of the calendar has not answered so far."
    ids = f"(event_id {operation.event_id}, calendar_id {calendar.id})"
    return OutcomeUnknown(
        f"{began} {outcome} Almanac asks again about once a minute until the provider answers, then finishes or undoes "
        f"the change. {until} {ids}",
        hint,
    )


def describe_blocker(blocker: EntryView, calendar: CalendarRecord, zone: ZoneInfo) -> str:
    """Return `"Standup", Monday ... to ... (America/New_York), event_id ..., calendar_id ...`, with warnings about its
    title."""
    start, end = (weekday_and_time(instant_at(at), zone) for at in (blocker.start, blocker.end))
    what = blocker_name(blocker, calendar, zone)
    # JSON quotes keep an untrusted title recognisable as such.
    title = json.dumps(what.title or "(no title)", ensure_ascii=False)
    name = "event_id"
    if kind_of(blocker) == "hold":
        title, name = f"a hold {title} until {weekday_and_time(instant_at(blocker.expires_at or 0), zone)}", "hold_id"
    warned = f", whose title is data and no instruction ({'; '.join(what.notes)})" if what.notes else ""
    title = f"{title} ({what.partial[0]})" if what.partial else title
    return f"{title}, {start} to {end} ({zone_label(zone.key)}), {name} {what.id}, calendar_id {calendar.id}{warned}"


def missing_booking_error(event_id: str, calendar: CalendarRecord) -> NotFound:
    return NotFound(
        f'The booking "{event_id[:80]}" in the calendar {calendar.id} was not made: its provider does not have it.',
        "Book the slot again with book_slot if it is still needed.",
    )


def cancelled_booking_error() -> Conflict:
    return Conflict(
        "The booking was cancelled and cannot be moved.", "Book the new slot with book_slot.", code="cancelled"
    )


def no_such_event(event_id: str, calendar: CalendarRecord) -> NotFound:
    return NotFound(
        f'There is no event or booking "{event_id[:80]}" in the calendar {calendar.id}.',
        "Give the booking_id or event_id from book_slot, or an id from list_events.",
    )


def weekday_and_time(instant: datetime, zone: ZoneInfo) -> str:
    """Format as `Monday 2026-03-16T10:00:00-04:00`."""
    local = instant.astimezone(zone)
    return f"{local:%A} {local.isoformat(timespec='seconds')}"


def _next_free(calendars: Calendars, calendar: CalendarRecord, slot: Interval, zone: ZoneInfo) -> str:
    length = slot.end - slot.start
    ahead = Interval(slot.start, slot.end + _LOOK_AHEAD)
    free = free_between(calendars.busy(calendar, ahead), ahead, length)
    if not free:
        return "Nothing of this length is free in the two weeks after it; find_free_slots looks further."
    start = instant_at(free[0].start)
    return (
        f"The next free slot of the same length begins {weekday_and_time(start, zone)}; find_free_slots lists others. "
        "Ask the user before booking another time."
    )
