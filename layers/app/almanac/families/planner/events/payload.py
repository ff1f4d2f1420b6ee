"""The payload of domain events about an event: titles and times as people read them, in the zone of the event."""

from typing import Any

from almanac.content import clean
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.model.events import Event, Timed, instant_of
from almanac.families.calendar.texts.secrets import visible
from almanac.families.time.core.zones import find_zone

_TITLE = 200


def event_payload(event: Event, calendar: CalendarRecord) -> dict[str, Any]:
    zone = find_zone(event.start.zone if isinstance(event.start, Timed) else calendar.zone)
    start, end = (instant_of(when, calendar.zone).astimezone(zone).isoformat() for when in (event.start, event.end))
    payload: dict[str, Any] = {
        "calendar_id": calendar.id,
        "title": clean(visible(event, calendar.provider).summary).text[:_TITLE],
        "start": start,
        "end": end,
        "timezone": zone.key,
        "all_day": event.is_all_day,
    }
    return payload | ({"recurrence": event.rrule} if event.rrule is not None else {})
