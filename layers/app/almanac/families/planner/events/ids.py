"""Lookup of events by ids with or without their calendar; see `calendar/model/located_ids.py`."""

from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import POINTERS
from almanac.families.calendar.model.instance_ids import read_instance_id
from almanac.families.calendar.model.located_ids import AT, PRIMARY, LocatedId, make_located_id, read_located
from almanac.families.planner.core.planner import Planner
from almanac.kernel.errors import Forbidden, InvalidInput, NotFound


def locate(calendars: Calendars, text: str) -> LocatedId:
    """Locate an event. An unknown id without a calendar belongs to "primary". Raises InvalidInput if several other
    calendars have an event with the id."""
    event_id = text.strip()
    if not event_id:
        return LocatedId(PRIMARY, event_id)
    others = (
        [calendar.id for calendar in calendars.list_calendars() if calendar.id != PRIMARY] if AT in event_id else []
    )
    if AT in event_id and (located := read_located(event_id)).calendar in others:
        return located
    instance = read_instance_id(event_id)
    ids = [event_id, *([instance.series] if instance is not None else [])]
    rows = POINTERS.within(calendars.store, calendars.scope)
    if any(one is not None for one in rows.get_many([(PRIMARY, id_) for id_ in ids])):
        return LocatedId(PRIMARY, event_id)
    others = others or [calendar.id for calendar in calendars.list_calendars() if calendar.id != PRIMARY]
    keys = [(calendar, id_) for calendar in others for id_ in ids]
    holding = dict.fromkeys(one.calendar for one in rows.get_many(keys) if one is not None and one.state == "stands")
    if len(holding) > 1:
        several = ", ".join(make_located_id(calendar, event_id) for calendar in list(holding)[:3])
        raise InvalidInput(
            f'Several calendars have an event "{event_id[:80]}".', f"Give the calendar too: {several}.", path="eventId"
        )
    return LocatedId(next(iter(holding), PRIMARY), event_id)


def editable(planner: Planner, event_id: str) -> LocatedId:
    """Locate an event that a tool may change. Raises NotFound, InvalidInput for an ambiguous id, and Forbidden for a
    calendar at a provider."""
    located = locate(planner.bookings.calendars, event_id)
    try:
        calendar = planner.bookings.calendars.find(located.calendar)
    except NotFound:
        raise event_not_found(event_id) from None
    if not calendar.is_native:
        raise Forbidden(
            f"This event belongs to its provider, in the calendar {calendar.id}: the planner cannot change it.",
            "Change it with update_booking, move it with reschedule_booking, delete it with cancel_booking: "
            f'calendar_id "{calendar.id}", id "{located.event}".',
            code="kept_elsewhere",
        )
    return located


def event_not_found(event_id: str) -> NotFound:
    return NotFound(
        f'Event not found: "{event_id.strip()[:80]}".', "calendar_list_events lists the ids of events and instances."
    )
