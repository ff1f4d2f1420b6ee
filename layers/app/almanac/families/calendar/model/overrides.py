"""Exceptions: events that replace one instance of a series."""

from datetime import date, timedelta

from msgspec.structs import replace

from almanac.families.calendar.model.events import AllDay, Event, When, ZonedTime, convert_to_zone


def override_of(series: Event, slot: When, event_id: str) -> Event:
    """Return the instance at `slot` as an event of its own, with the values of the series."""
    return replace(
        move_to(series, slot.day if isinstance(slot, AllDay) else slot),
        id=event_id,
        rrule=None,
        rdates=(),
        exdates=(),
        further_rrules=(),
        exrules=(),
        periods=(),
        recurrence_id=slot,
        created=None,
        etag=None,
        href=None,
        url=None,
        indexed=None,
        renamed=0,
    )


def move_to(event: Event, start: date | ZonedTime) -> Event:
    """Return the event with another start. It keeps its length on the clock, or its elapsed length if it ends in
    another zone."""
    if isinstance(start, ZonedTime):
        if (
            isinstance(event.start, ZonedTime)
            and isinstance(event.end, ZonedTime)
            and event.end.zone != event.start.zone
        ):
            lasts = event.end.instant - event.start.instant
            return replace(event, start=start, end=convert_to_zone(start.instant + lasts, event.end.tzinfo))
        if isinstance(event.start, ZonedTime) and isinstance(event.end, ZonedTime):
            length = event.end.local - event.start.local
            return replace(event, start=start, end=ZonedTime(start.local + length, start.zone))
        return replace(event, start=start, end=start)
    days = (
        event.end.day - event.start.day if isinstance(event.start, AllDay) and isinstance(event.end, AllDay) else None
    )
    return replace(event, start=AllDay(start), end=AllDay(start + (days or timedelta(days=1))))
