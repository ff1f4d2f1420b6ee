"""Events to iCalendar text."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from icalendar import Calendar, Component, vCalAddress, vRecur
from icalendar import Event as VEvent

from almanac.families.calendar.events import AllDay, Event, When, instant_of
from almanac.families.calendar.ical.values import values_of
from almanac.families.calendar.ical.vtimezone import vtimezone
from almanac.families.time.zones import find_zone

PRODUCT = "-//Almanac//Almanac//EN"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_UTC = frozenset({"UTC", "Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "UCT", "Universal", "Zulu"})
_OURS = (
    *("UID", "DTSTAMP", "DTSTART", "DTEND", "DURATION", "SUMMARY", "DESCRIPTION", "LOCATION", "RRULE", "EXDATE"),
    *("RDATE", "RECURRENCE-ID", "STATUS", "TRANSP", "SEQUENCE", "CREATED", "LAST-MODIFIED"),
)


def write_events(events: Iterable[Event], *, name: str = "", zone: str | None = None) -> bytes:
    """An iCalendar text with the rules of every zone it names. `name` and `zone` say which calendar it is of.

    A second occurrence of a wall time that happens twice is written in UTC, except where a series starts with one:
    iCalendar cannot tell it.
    """
    calendar = Calendar()
    calendar.add("PRODID", PRODUCT)
    calendar.add("VERSION", "2.0")
    if name:
        calendar.add("X-WR-CALNAME", _clean(name))
    if zone:
        calendar.add("X-WR-TIMEZONE", zone)
    for event in events:
        component = VEvent()
        fill(component, event)
        calendar.add_component(component)
    add_zones(calendar)
    return bytes(calendar.to_ical())


def fill(component: Component, event: Event) -> None:
    """Makes a VEVENT say what `event` does. What it says besides, e.g. alarms, stays."""
    for name in _OURS:
        component.pop(name, None)
    component.add("UID", event.uid)
    component.add("DTSTAMP", event.updated or event.created or _EPOCH)
    component.add("DTSTART", written_value(event.start, series=event.is_series))
    if event.end != event.start or isinstance(event.start, AllDay):
        component.add("DTEND", written_value(event.end, series=event.is_series))
    _describe(component, event)
    if event.rrule is not None:
        component.add("RRULE", vRecur.from_ical(event.rrule))
    for name, dates in (("EXDATE", event.exdates), ("RDATE", event.rdates)):
        for group in _grouped(dates):
            component.add(name, group)
    if event.recurrence_id is not None:
        component.add("RECURRENCE-ID", written_value(event.recurrence_id))
    component.add("STATUS", event.status.upper())
    component.add("TRANSP", "TRANSPARENT" if event.transparent else "OPAQUE")
    component.add("SEQUENCE", event.sequence)
    _invite(component, event)


def _describe(component: Component, event: Event) -> None:
    for name, text in (("SUMMARY", event.summary), ("DESCRIPTION", event.description), ("LOCATION", event.location)):
        if text:
            component.add(name, _clean(text))
    for name, instant in (("CREATED", event.created), ("LAST-MODIFIED", event.updated)):
        if instant is not None:
            component.add(name, instant)


def add_zones(calendar: Calendar) -> None:
    """Adds a VTIMEZONE for each zone that is named and has none yet."""
    defined = {str(each.get("TZID", "")) for each in calendar.walk("VTIMEZONE")}
    used: dict[str, list[int]] = {}
    for moment in (moment for event in calendar.walk("VEVENT") for moment in _zoned(event)):
        used.setdefault(str(moment.tzinfo), []).append(moment.year)
    rules = [vtimezone(key, min(used[key]) - 1) for key in sorted(used.keys() - defined)]
    calendar.subcomponents[:0] = rules


def _invite(component: Component, event: Event) -> None:
    """Who is asked already stays with their answers."""
    asked = {str(known).lower(): known for known in values_of(component, "ATTENDEE")}
    component.pop("ATTENDEE", None)
    for person in event.attendees:
        address = _address(person)
        component.add("ATTENDEE", asked.get(str(address).lower(), address))
    if event.organizer and component.get("ORGANIZER") is None:
        component.add("ORGANIZER", _address(event.organizer))


def _address(person: str) -> vCalAddress:
    text = _CONTROL.sub("", person).replace("\n", " ").strip()
    if "@" in text and " " not in text:
        return vCalAddress(f"mailto:{text}")
    if ":" in text and " " not in text:
        return vCalAddress(text)
    # There is no address: what calendars of Apple's write for that.
    nameless = vCalAddress("invalid:nomail")
    nameless.params["CN"] = text.replace('"', "'")
    return nameless


def written_value(when: When, *, series: bool = False) -> date | datetime:
    """As the library writes it; `series` for the start and end of one, which stay in their zone."""
    if isinstance(when, AllDay):
        return when.day
    if when.zone in _UTC or (when.fold and not series):
        return instant_of(when, when.zone)
    return when.local.replace(tzinfo=find_zone(when.zone))


def _grouped(dates: Sequence[When]) -> list[list[date | datetime]]:
    """By the zone in which they are written, as one property holds them."""
    groups: dict[str, list[date | datetime]] = {}
    for when in dates:
        value = written_value(when)
        kind = str(value.tzinfo) if isinstance(value, datetime) else "day"
        groups.setdefault(kind, []).append(value)
    return list(groups.values())


def _zoned(component: Component) -> Iterable[datetime]:
    for name in ("DTSTART", "DTEND", "RECURRENCE-ID", "EXDATE", "RDATE"):
        for value in values_of(component, name):
            for each in getattr(value, "dts", [value]):
                moment = getattr(each, "dt", None)
                if isinstance(moment, datetime) and isinstance(moment.tzinfo, ZoneInfo) and moment.tzinfo.key != "UTC":
                    yield moment


def _clean(text: str) -> str:
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
