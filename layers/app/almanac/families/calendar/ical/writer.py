"""Writer of events as iCalendar text."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from icalendar import Calendar, Component, vCategory, vDuration, vRecur, vText
from icalendar import Event as VEvent
from icalendar import Todo as VTodo
from msgspec.structs import replace

from almanac.families.calendar.ical.extras import alarm_lines, alarms_of, escape_text, extra_lines, fold_lines
from almanac.families.calendar.ical.library import components
from almanac.families.calendar.ical.lines import Node, nodes_of
from almanac.families.calendar.ical.own_rules import own_vtimezone
from almanac.families.calendar.ical.people import invite
from almanac.families.calendar.ical.values import part_of, values_of
from almanac.families.calendar.ical.vtimezone import vtimezone
from almanac.families.calendar.model.events import AllDay, Event, When, ZonedTime, instant_of
from almanac.families.time.core.own_zones import PREFIX, OwnZone, labelled_zone, own_rules, own_zone_name, zone_label
from almanac.families.time.core.zones import UTC_ZONE

PRODUCT = "-//Almanac//Almanac//EN"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_UTC = frozenset({"UTC", "Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "UCT", "Universal", "Zulu"})
_OURS = (
    *("UID", "DTSTAMP", "DTSTART", "DTEND", "DUE", "DURATION", "SUMMARY", "DESCRIPTION", "LOCATION", "RRULE", "EXRULE"),
    *("EXDATE", "RDATE", "RECURRENCE-ID", "STATUS", "TRANSP", "SEQUENCE", "CREATED", "LAST-MODIFIED", "COMPLETED"),
    *("PERCENT-COMPLETE",),
)


class Text(vText):
    """Text value with escaped backslashes. The library would turn a backslash before an N into a line break."""

    def to_ical(self) -> bytes:
        return escape_text(str(self)).encode("utf-8", "replace")


def write_events(events: Iterable[Event], *, name: str = "", zone: str | None = None) -> bytes:
    """Return an iCalendar text with the rules of every zone it uses. `name` and `zone` describe the calendar.

    The second occurrence of a repeated wall time is written in UTC, because iCalendar cannot express it, unless a
    series starts with one.
    """
    calendar = Calendar()
    calendar.add("PRODID", PRODUCT)
    calendar.add("VERSION", "2.0")
    if name:
        calendar.add("X-WR-CALNAME", Text(_clean(name)))
    if zone:
        calendar.add("X-WR-TIMEZONE", zone)
    extras: list[bytes] = []
    for event in _distinct(events):
        component = VTodo() if event.todo is not None else VEvent()
        fill(component, event)
        calendar.add_component(component)
        extras.append(fold_lines(extra_lines(event)))
    rules = zone_rules(calendar)
    parts = [bytes(each.to_ical()) for each in rules]
    for component, extra in zip(calendar.subcomponents, extras, strict=True):
        body, end, rest = bytes(component.to_ical()).rpartition(b"END:")
        parts.append(body + extra + end + rest)
    calendar.subcomponents = []
    head, end, rest = bytes(calendar.to_ical()).rpartition(b"END:")
    return head + b"".join(parts) + end + rest


def fill(component: Component, event: Event) -> None:
    """Write the fields of `event` into a VEVENT or VTODO. Other properties and components, such as alarms, stay."""
    for name in _OURS:
        component.pop(name, None)
    component.add("UID", Text(event.uid))
    component.add("DTSTAMP", event.updated or event.created or _EPOCH)
    _time(component, event)
    _describe(component, event)
    for name, rules in (("RRULE", (event.rrule, *event.further_rrules)), ("EXRULE", event.exrules)):
        for rule in rules:
            if rule is not None:
                component.add(name, vRecur.from_ical(rule))
    _dates(component, event)
    if event.recurrence_id is not None:
        later = {"RANGE": "THISANDFUTURE"} if event.this_and_future else {}
        component.add("RECURRENCE-ID", value_of(event.recurrence_id), parameters=later)
    component.add("SEQUENCE", event.sequence)
    if event.todo is None:
        component.add("STATUS", event.status.upper())
        component.add("TRANSP", "TRANSPARENT" if event.transparent else "OPAQUE")
    if event.categories and component.get("CATEGORIES") is None:
        categories = vCategory(list(event.categories))
        categories.cats = [Text(_clean(each)) for each in event.categories]
        component.add("CATEGORIES", categories)
    if event.url and component.get("URL") is None and "\n" not in event.url:
        component.add("URL", _clean(event.url))
    invite(component, event)


def _time(component: Component, event: Event) -> None:
    start = value_of(event.start, series=event.is_series)
    todo = event.todo
    if todo is not None:
        component.add("STATUS", todo.status.upper())
        if todo.completed is not None:
            component.add("COMPLETED", todo.completed)
        if todo.percent is not None:
            component.add("PERCENT-COMPLETE", todo.percent)
        if not todo.has_start:
            component.add("DUE", start)
            return
    component.add("DTSTART", start)
    length = _nominal(event)
    if todo is not None and not todo.has_due and length is None and event.end != event.start:
        # The to-do has a length instead of a due time.
        length = instant_of(event.end, UTC_ZONE) - instant_of(event.start, UTC_ZONE)
    if length is not None:
        component.add("DURATION", vDuration(length))
    elif todo is None or todo.has_due:
        if event.end != event.start or isinstance(event.start, AllDay):
            component.add("DUE" if todo is not None else "DTEND", value_of(event.end, series=event.is_series))
        elif todo is not None:
            component.add("DUE", start)


def _nominal(event: Event) -> timedelta | None:
    """Return the length of an event that is defined by its length, in calendar days and then hours."""
    if not (event.nominal_days or event.exact_length) or not isinstance(event.start, ZonedTime):
        return None
    days = timedelta(days=event.nominal_days)
    later = ZonedTime(event.start.local + days, event.start.zone, event.start.fold)
    rest = instant_of(event.end, event.start.tzinfo) - later.instant
    return days + rest if rest >= timedelta() and (event.exact_length or rest.days == 0) else None


def _dates(component: Component, event: Event) -> None:
    ends = {one.start: one.end for one in event.periods}
    plain = [when for when in event.rdates if when not in ends]
    for name, dates in (("EXDATE", event.exdates), ("RDATE", plain)):
        for group in _group_by_zone(dates):
            component.add(name, group)
    for start, end in ends.items():
        if isinstance(start, ZonedTime):
            pair = tuple(instant_of(each, start.tzinfo) for each in (start, end))
            component.add("RDATE", [pair], parameters={"VALUE": "PERIOD"})
        else:
            component.add("RDATE", _group_by_zone([start])[0])


def remind(component: Component, event: Event) -> None:
    """Replace the reminders of a component by those of the event if they differ."""
    held = [each for each in component.subcomponents if each.name == "VALARM"]
    nodes = [Node("", 0, children=list(nodes_of(each.to_ical()))) for each in held]
    alarms = [alarms_of(node)[0] for node in nodes]
    if tuple(alarm for some in alarms for alarm in some) == event.alarms:
        return
    # A reminder that cannot be read belongs to another program, and stays.
    replaced = [each for each, some in zip(held, alarms, strict=True) if some]
    component.subcomponents = [each for each in component.subcomponents if each not in replaced]
    if event.alarms:
        component.subcomponents += components(fold_lines(alarm_lines(event.alarms)).decode())


def _describe(component: Component, event: Event) -> None:
    for name, text in (("SUMMARY", event.summary), ("DESCRIPTION", event.description), ("LOCATION", event.location)):
        if text:
            component.add(name, Text(_clean(text)))
    for name, instant in (("CREATED", event.created), ("LAST-MODIFIED", event.updated)):
        if instant is not None:
            component.add(name, instant)


def add_zones(calendar: Calendar) -> None:
    """Add a VTIMEZONE for each zone in use that has none yet."""
    calendar.subcomponents[:0] = zone_rules(calendar)


def zone_rules(calendar: Calendar) -> list[Component]:
    """Return a VTIMEZONE for each zone in use that has none yet."""
    defined = {str(each.get("TZID", "")) for each in calendar.walk("VTIMEZONE")}
    used: dict[str, list[int]] = {}
    own: dict[str, str] = {}
    for component in calendar.subcomponents:
        for moment in _zoned_times(component):
            label = str(moment.tzinfo)
            used.setdefault(label, []).append(moment.year)
            if isinstance(moment.tzinfo, OwnZone):
                own[label] = moment.tzinfo.name
    return [
        own_vtimezone(own[key], key) if key in own else vtimezone(key, min(used[key]) - 1)
        for key in sorted(used.keys() - defined)
    ]


def value_of(when: When, *, series: bool = False) -> date | datetime:
    """Return the value as the library writes it.

    With `series`, start and end stay in their zone. A time that came without a zone is written without one.
    """
    if isinstance(when, AllDay):
        return when.day
    if when.fold and not series:
        return when.instant
    if when.floating:
        return when.local
    if when.zone in _UTC:
        return when.instant
    return when.local.replace(tzinfo=labelled_zone(when.zone) or when.tzinfo)


def _group_by_zone(dates: Sequence[When]) -> list[list[date | datetime]]:
    """Group dates by the zone in which they are written: one property for each zone."""
    groups: dict[str, list[date | datetime]] = {}
    for when in dates:
        value = value_of(when)
        kind = str(value.tzinfo) if isinstance(value, datetime) else "day"
        groups.setdefault(kind, []).append(value)
    return list(groups.values())


def _distinct(events: Iterable[Event]) -> Iterator[Event]:
    """Yield the events, with numbers appended to zone labels that several zones share."""
    names: dict[str, str] = {}

    def relabel(when: When) -> When:
        if not isinstance(when, ZonedTime) or not when.zone.startswith(PREFIX):
            return when
        base, transitions, rule = own_rules(when.zone)
        label, number = zone_label(when.zone), 1
        while names.setdefault(label, when.zone) != when.zone:
            number += 1
            label = f"{zone_label(when.zone)[:50]} {number}"
        return replace(when, zone=own_zone_name(base, transitions, rule, label))

    for event in events:
        yield replace(event, start=relabel(event.start), end=relabel(event.end))


def _zoned_times(component: Component) -> Iterable[datetime]:
    for name in ("DTSTART", "DTEND", "DUE", "RECURRENCE-ID", "EXDATE", "RDATE"):
        for value in values_of(component, name):
            for each in part_of(value, "dts") or [value]:
                moment = part_of(each, "dt")
                if isinstance(moment, datetime) and isinstance(moment.tzinfo, ZoneInfo) and moment.tzinfo.key != "UTC":
                    yield moment


def _clean(text: str) -> str:
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
