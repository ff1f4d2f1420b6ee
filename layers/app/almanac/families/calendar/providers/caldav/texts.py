"""Changes to the iCalendar text of one resource that leave everything else in it as it is."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

from copy import deepcopy
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from icalendar import Calendar, Component
from icalendar import Event as VEvent

from almanac.families.calendar.ical.ids import recurrence_stamp
from almanac.families.calendar.ical.moments import Moments
from almanac.families.calendar.ical.parser import parse, read_events
from almanac.families.calendar.ical.writer import add_zones, fill, remind, value_of, write_events
from almanac.families.calendar.ical.zone_names import ZoneNames
from almanac.families.calendar.model.events import AllDay, Event, Period, When, ZonedTime, convert_to_zone, instant_of
from almanac.families.calendar.model.series_moves import move_exception
from almanac.kernel.errors import Forbidden


def new_text(event: Event) -> bytes:
    return write_events([event])


def with_event(text: bytes, event: Event, zone: ZoneInfo) -> bytes:
    """Return the text with `event` replacing its former version, or added to its series.

    Raises Forbidden for an event that was read in part, because its unknown parts would be lost.
    """
    if event.partial:
        raise _read_in_part(event.partial[0])
    calendar = parse_calendar(text)
    stamp = stamp_of(event, zone)
    component = component_at(calendar, stamp, zone)
    if component is None:
        series = component_at(calendar, None, zone)
        # A new exception has everything from its series.
        component = deepcopy(series) if series is not None else VEvent()
        calendar.add_component(component)
    elif stamp is None and event.is_series:
        _move_instances(calendar, text, event, zone)
    fill(component, event)
    remind(component, event)
    add_zones(calendar)
    return bytes(calendar.to_ical())


def _move_instances(calendar: Calendar, text: bytes, series: Event, zone: ZoneInfo) -> None:
    """Move the exceptions by the same distance as `series`. Raises Forbidden if one of them was read in part."""
    parsed = read_events(text, zone)
    before = next((one for one in parsed.events if one.recurrence_id is None), None)
    if before is None or _times(before, zone) == _times(series, zone):
        return
    others = [one for one in parsed.events if one.recurrence_id is not None]
    doubts = [*parsed.problems, *(doubt for one in others for doubt in one.partial)]
    if doubts:
        raise _read_in_part(doubts[0])
    # Find all of them before changing one: the new slot of one may be the old slot of another.
    moves = [(component_at(calendar, stamp_of(one, zone), zone), move_exception(one, before, series)) for one in others]
    kept = [component_at(calendar, None, zone), *(component for component, _ in moves)]
    for component, moved in moves:
        if component is not None:
            fill(component, moved)
    # Exceptions of an older version of the series match no instance, and must not become one by the move.
    for component in calendar.walk("VEVENT"):
        if not any(component is one for one in kept):
            calendar.subcomponents.remove(component)


def _times(event: Event, zone: ZoneInfo) -> tuple[datetime, datetime]:
    return instant_of(event.start, zone), instant_of(event.end, zone)


def stamp_of(event: Event, zone: ZoneInfo) -> str | None:
    return recurrence_stamp(event.recurrence_id, zone) if event.recurrence_id is not None else None


def _read_in_part(doubt: str) -> Forbidden:
    return Forbidden(f"The event could be read only in part: {doubt}.", "Change it in the program that created it.")


def without_instance(text: bytes, stamp: str, zone: ZoneInfo) -> bytes | None:
    """Return the text without that instance of its series, even if it was an exception; None if nothing is left."""
    calendar = parse_calendar(text)
    override = component_at(calendar, stamp, zone)
    series = component_at(calendar, None, zone)
    moments = Moments(ZoneNames(calendar), zone)
    instance = moments.one(override, "RECURRENCE-ID") if override is not None else None
    if override is not None:
        calendar.subcomponents.remove(override)
    if series is None:
        return bytes(calendar.to_ical()) if calendar.walk("VEVENT") else None
    if instance is None:
        instance = _slot(moments.one(series, "DTSTART"), stamp)
    listed = moments.list_dates(series, "EXDATE")
    excluded = {recurrence_stamp(one, zone) for one in listed if not isinstance(one, Period)}
    if stamp not in excluded:
        series.add("EXDATE", [value_of(instance)])
    add_zones(calendar)
    return bytes(calendar.to_ical())


def _slot(start: When | None, stamp: str) -> When:
    """Return the instance of a stamp, in the zone of the series' start."""
    if not isinstance(start, ZonedTime):
        return AllDay(datetime.strptime(stamp[:8], "%Y%m%d").date())  # noqa: DTZ007 - a day
    return convert_to_zone(datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC), start.tzinfo)


def parse_calendar(text: bytes) -> Calendar:
    component = parse(text)[0]
    assert isinstance(component, Calendar)  # noqa: S101 - what VCALENDAR is parsed to
    return component


def component_at(calendar: Calendar, stamp: str | None, zone: ZoneInfo) -> Component | None:
    moments = Moments(ZoneNames(calendar), zone)
    for component in calendar.walk("VEVENT"):
        instance: When | None = moments.one(component, "RECURRENCE-ID")
        if (recurrence_stamp(instance, zone) if instance is not None else None) == stamp:
            return component
    return None
