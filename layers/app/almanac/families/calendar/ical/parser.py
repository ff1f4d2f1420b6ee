"""Parser of iCalendar text into events."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

from collections.abc import Collection, Iterator
from zoneinfo import ZoneInfo

from icalendar import Calendar, Component, Timezone
from msgspec import Struct

from almanac.families.calendar.ical.event_parser import EventId, EventParseOptions, read_event
from almanac.families.calendar.ical.ids import make_imported_id
from almanac.families.calendar.ical.library import BROKEN, components
from almanac.families.calendar.ical.lines import Node
from almanac.families.calendar.ical.lines import components as nodes_of
from almanac.families.calendar.ical.people import owner_names
from almanac.families.calendar.ical.zone_names import Effort, ZoneNames
from almanac.families.calendar.ical.zone_rules import MOST_OBSERVANCES
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.supersession import without_superseded
from almanac.kernel.errors import InvalidInput

MAX_BYTES = 16 * 1024 * 1024
MAX_EVENTS = 50_000
_MOST_PROBLEMS = 1_000
_ANSWERS = frozenset({"REPLY", "COUNTER", "DECLINECOUNTER", "REFRESH"})


class ReadEvents(Struct, frozen=True):
    """Events of a text.

    `problems` give line, component and reason of each unreadable part. Partly read events describe their own problems.
    """

    events: tuple[Event, ...]
    problems: tuple[str, ...] = ()


def read_events(
    text: bytes,
    zone: ZoneInfo,
    event_id: EventId = make_imported_id,
    *,
    owner_addresses: Collection[str] = (),
    todos: bool = False,
) -> ReadEvents:
    """Return the events of an iCalendar text, and its to-dos if `todos`. Journals and other components are skipped.

    Times without a zone are read in `zone`. Events that one of the `owner_addresses` declined take no
    time. Of several versions of an event, the last one with the highest SEQUENCE counts. An exception does not count if
    its series is newer and has no such instance. Raises InvalidInput for a text that is not iCalendar, or exceeds 16 MB
    or 50,000 events.
    """
    _check_size(text)
    calendars, problems = nodes_of(text)
    if not any(each.closed or each.children for each in calendars):
        raise _not_icalendar()
    kinds = {"VEVENT", "VTODO"} if todos else {"VEVENT"}
    effort, owners = Effort(), owner_names(owner_addresses)
    events: dict[tuple[str, str | None], Event] = {}
    number = 0
    for calendar in calendars:
        method = next(iter(calendar.raw_values("METHOD")), "").strip().upper()
        names = ZoneNames(_zones(calendar), zone.key, effort)
        reading = EventParseOptions(names, zone, event_id, owners, cancelled=method == "CANCEL")
        for node in _parts(calendar, kinds):
            number += 1
            if number > MAX_EVENTS:
                raise InvalidInput(f"The text has more than {MAX_EVENTS} events.", "Import it in parts.")
            try:
                _refuse_answer(method)
                event, stamp = read_event(node, reading)
            except InvalidInput as problem:
                problems.append(f"{_describe_node(node, number)}: {problem}")
                continue
            former = events.get((event.uid, stamp))
            if former is None or event.sequence >= former.sequence:
                events[event.uid, stamp] = event
    return ReadEvents(tuple(without_superseded(list(events.values()), zone)), tuple(_limit_problems(problems)))


def parse(text: bytes) -> list[Component]:
    """Return the iCalendar objects of a text with all contents. Raises InvalidInput."""
    _check_size(text)
    try:
        components_found = components(text.decode("utf-8-sig", "replace"))
    except BROKEN as problem:
        raise _not_icalendar() from problem
    calendars = [each for each in components_found if each.name == "VCALENDAR"]
    if not calendars:
        raise _not_icalendar()
    return calendars


def _refuse_answer(method: str) -> None:
    if method in _ANSWERS:
        raise InvalidInput(
            f"It is an answer to an invitation ({method}).", "Such answers change no calendar; import the event itself."
        )


def _check_size(text: bytes) -> None:
    if len(text) > MAX_BYTES:
        raise InvalidInput(f"The text is larger than {MAX_BYTES // (1024 * 1024)} MB.", "Import it in parts.")


def _parts(node: Node, kinds: Collection[str]) -> Iterator[Node]:
    """Yield all components of these kinds, including nested ones, which some programs write."""
    for child in node.children:
        if child.name in kinds:
            yield child
        elif child.name != "VTIMEZONE":
            yield from _parts(child, kinds)


def _zones(calendar: Node) -> Calendar:
    """Return the zones that the text defines, as far as they can be read."""
    zone_component = Calendar()
    for node in calendar.children:
        if node.name == "VTIMEZONE":
            zone_component.add_component(_zone(node))
    return zone_component


def _zone(node: Node) -> Component:
    node.children = node.children[: MOST_OBSERVANCES + 1]
    try:
        return components(node.text())[0]
    except BROKEN:
        component = Timezone()
        component.add("TZID", next(iter(node.raw_values("TZID")), ""))
    for child in node.children:
        try:
            component.add_component(components(child.text())[0])
        except BROKEN:
            continue
    return component


def _describe_node(node: Node, number: int) -> str:
    """Return a description by which a person finds the component."""
    uid, summary = (next(iter(node.raw_values(name)), "").strip()[:60] for name in ("UID", "SUMMARY"))
    description = ", ".join(part for part in (f'"{summary}"' if summary else "", f"UID {uid}" if uid else "") if part)
    return f"{node.name} {number} in line {node.number}" + (f" ({description})" if description else "")


def _limit_problems(problems: list[str]) -> list[str]:
    more = len(problems) - _MOST_PROBLEMS
    return problems if more <= 0 else [*problems[:_MOST_PROBLEMS], f"and {more} more"]


def _not_icalendar() -> InvalidInput:
    return InvalidInput(
        "This is not an iCalendar text.",
        "It begins with BEGIN:VCALENDAR and ends with END:VCALENDAR, as .ics files do.",
    )
