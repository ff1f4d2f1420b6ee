"""Changes to the iCalendar text of one resource, which leave everything else in it as it is."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

from icalendar import Calendar, Component
from icalendar import Event as VEvent

from almanac.families.calendar.events import Event, When
from almanac.families.calendar.ical.ids import recurrence_stamp
from almanac.families.calendar.ical.moments import Moments
from almanac.families.calendar.ical.reading import parse
from almanac.families.calendar.ical.writing import add_zones, fill, write_events, written_value
from almanac.families.calendar.ical.zone_names import ZoneNames
from almanac.kernel.errors import InvalidInput


def new_text(event: Event) -> bytes:
    return write_events([event])


def with_event(text: bytes, event: Event, zone: str) -> bytes:
    """The text with `event` in place of its former version, or added to its series."""
    calendar = _calendar(text)
    stamp = recurrence_stamp(event.recurrence_id, zone) if event.recurrence_id is not None else None
    component = _find(calendar, stamp, zone)
    if component is None:
        component = VEvent()
        calendar.add_component(component)
    fill(component, event)
    add_zones(calendar)
    return bytes(calendar.to_ical())


def without_instance(text: bytes, stamp: str, zone: str) -> bytes | None:
    """The text without that instance of its series; None where nothing is left."""
    calendar = _calendar(text)
    override = _find(calendar, stamp, zone)
    series = _find(calendar, None, zone)
    instance = Moments(ZoneNames(calendar), zone).one(override, "RECURRENCE-ID") if override is not None else None
    if override is None or instance is None:
        raise InvalidInput("That instance does not differ from its series.", "Change the series in its own program.")
    calendar.subcomponents.remove(override)
    if series is None:
        return bytes(calendar.to_ical()) if calendar.walk("VEVENT") else None
    series.add("EXDATE", [written_value(instance)])
    add_zones(calendar)
    return bytes(calendar.to_ical())


def _calendar(text: bytes) -> Calendar:
    found = parse(text)[0]
    assert isinstance(found, Calendar)  # noqa: S101 - what VCALENDAR is parsed to
    return found


def _find(calendar: Calendar, stamp: str | None, zone: str) -> Component | None:
    moments = Moments(ZoneNames(calendar), zone)
    for component in calendar.walk("VEVENT"):
        instance: When | None = moments.one(component, "RECURRENCE-ID")
        if (recurrence_stamp(instance, zone) if instance is not None else None) == stamp:
            return component
    return None
