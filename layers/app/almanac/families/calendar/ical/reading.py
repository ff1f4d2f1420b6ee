"""iCalendar text to events."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from icalendar import Component
from msgspec import Struct

from almanac.families.calendar.events import Event, Status, When
from almanac.families.calendar.ical.ids import digest_id, imported_id, recurrence_stamp
from almanac.families.calendar.ical.library import components
from almanac.families.calendar.ical.moments import Moments, single
from almanac.families.calendar.ical.values import values_of
from almanac.families.calendar.ical.zone_names import ZoneNames
from almanac.families.time.recurrence import parse_rule
from almanac.kernel.errors import InvalidInput

MAX_BYTES = 16 * 1024 * 1024
MAX_EVENTS = 50_000
_MAX_TEXT = 64 * 1024
_MAX_DATES = 10_000
_MAX_ATTENDEES = 1_000
_STATUSES: dict[str, Status] = {"CONFIRMED": "confirmed", "TENTATIVE": "tentative", "CANCELLED": "cancelled"}
_NEEDED = ("DTSTART", "DTEND", "DURATION", "RRULE", "EXDATE", "RDATE", "RECURRENCE-ID")

EventId = Callable[[str, str | None], str]
"""The id of an event by its UID and, where it stands for an instance of a series, by that instance's stamp."""


class ReadEvents(Struct, frozen=True):
    """What a text holds. `problems` says of each event that could not be read which one it is, and why."""

    events: tuple[Event, ...]
    problems: tuple[str, ...] = ()


def read_events(text: bytes, zone: str, event_id: EventId = imported_id) -> ReadEvents:
    """The events of an iCalendar text; to-dos, journals and the like are left out.

    Times without a zone are read in `zone`, an IANA name. Of several versions of one event the last counts that has
    the highest SEQUENCE. Raises InvalidInput for what is no iCalendar text, or larger than 16 MB or 50,000 events.
    """
    events: dict[tuple[str, str | None], Event] = {}
    problems: list[str] = []
    number = 0
    for calendar in parse(text):
        names = ZoneNames(calendar)
        for component in calendar.walk("VEVENT"):
            number += 1
            if number > MAX_EVENTS:
                raise InvalidInput(f"The text holds more than {MAX_EVENTS} events.", "Import it in parts.")
            try:
                event, stamp = _event(component, Moments(names, zone), event_id)
            except InvalidInput as problem:
                problems.append(f"{named(component, number)}: {problem}")
                continue
            former = events.get((event.uid, stamp))
            if former is None or event.sequence >= former.sequence:
                events[event.uid, stamp] = event
    return ReadEvents(tuple(events.values()), tuple(problems))


def parse(text: bytes) -> list[Component]:
    """The iCalendar objects of a text. Raises InvalidInput."""
    if len(text) > MAX_BYTES:
        raise InvalidInput(f"The text is larger than {MAX_BYTES // (1024 * 1024)} MB.", "Import it in parts.")
    decoded = text.decode("utf-8-sig", "replace")
    try:
        found = components(decoded)
    except (ValueError, KeyError, IndexError, AttributeError, TypeError, RecursionError) as problem:
        raise _not_icalendar() from problem
    calendars = [each for each in found if each.name == "VCALENDAR"]
    if not calendars:
        raise _not_icalendar()
    return calendars


def named(component: Component, number: int) -> str:
    """What a person finds the component by."""
    uid, summary = (str(component.get(name, ""))[:60] for name in ("UID", "SUMMARY"))
    said = ", ".join(part for part in (f'"{summary}"' if summary else "", f"UID {uid}" if uid else "") if part)
    return f"VEVENT {number}" + (f" ({said})" if said else "")


def _not_icalendar() -> InvalidInput:
    return InvalidInput(
        "This is no iCalendar text.", "It begins with BEGIN:VCALENDAR and ends with END:VCALENDAR, as .ics files do."
    )


def _event(component: Component, moments: Moments, event_id: EventId) -> tuple[Event, str | None]:
    _refuse_broken(component)
    start = moments.one(component, "DTSTART")
    if start is None:
        raise InvalidInput("It has no DTSTART.", "An event needs a start.")
    recurrence_id = moments.one(component, "RECURRENCE-ID")
    stamp = recurrence_stamp(recurrence_id, moments.zone) if recurrence_id is not None else None
    uid = _text(component, "UID")[:1024] or digest_id(component.to_ical().decode("utf-8", "replace"))
    dates = [_dates(component, name, moments) for name in ("EXDATE", "RDATE")]
    event = Event(
        id=event_id(uid, stamp),
        uid=uid,
        start=start,
        end=moments.end(component, start),
        summary=_text(component, "SUMMARY"),
        description=_text(component, "DESCRIPTION"),
        location=_text(component, "LOCATION"),
        attendees=tuple(dict.fromkeys(map(_person, values_of(component, "ATTENDEE")[:_MAX_ATTENDEES]))),
        organizer=next(map(_person, values_of(component, "ORGANIZER")), ""),
        rrule=_rule(component),
        exdates=dates[0],
        rdates=dates[1],
        recurrence_id=recurrence_id,
        status=_STATUSES.get(_text(component, "STATUS").upper(), "confirmed"),
        transparent=_text(component, "TRANSP").upper() == "TRANSPARENT",
        sequence=_sequence(component),
        url=_text(component, "URL") or None,
        created=_instant(component, "CREATED"),
        updated=_instant(component, "LAST-MODIFIED") or _instant(component, "DTSTAMP"),
    )
    return event, stamp


def _refuse_broken(component: Component) -> None:
    broken = next((name for name, _ in component.errors if name in _NEEDED), None)
    if broken is not None:
        raise InvalidInput(f"Its {broken} cannot be read.", "Write it as RFC 5545 says.")
    if component.get("EXRULE") is not None:
        raise InvalidInput("EXRULE is not supported; RFC 5545 took it away.", "List the excluded dates as EXDATE.")
    instance = single(component, "RECURRENCE-ID")
    if instance is not None and instance.params.get("RANGE"):
        raise InvalidInput("RANGE=THISANDFUTURE is not supported.", "Split the series where it changes.")


def _rule(component: Component) -> str | None:
    rule = single(component, "RRULE")
    return str(parse_rule(rule.to_ical().decode())) if rule is not None else None


def _dates(component: Component, name: str, moments: Moments) -> tuple[When, ...]:
    found = [when for listed in values_of(component, name) for when in moments.listed(listed)]
    if len(found) > _MAX_DATES:
        raise InvalidInput(f"It has more than {_MAX_DATES} dates in {name}.", "Say it by a rule.")
    return tuple(dict.fromkeys(found))


def _text(component: Component, name: str) -> str:
    for value in values_of(component, name):
        return str(value).replace("\r\n", "\n")[:_MAX_TEXT].strip()
    return ""


def _person(address: Any) -> str:
    """An e-mail address, else the name, else the URI."""
    text = str(address).strip()
    scheme, colon, rest = text.partition(":")
    if colon and scheme.lower() == "mailto":
        return rest[:320]
    return (str(address.params.get("CN", "")) or text)[:320]


def _sequence(component: Component) -> int:
    text = _text(component, "SEQUENCE")
    return int(text[:9]) if text.isascii() and text.isdigit() else 0


def _instant(component: Component, name: str) -> datetime | None:
    if any(broken == name for broken, _ in component.errors):
        return None
    for value in values_of(component, name):
        moment = getattr(value, "dt", None)
        if isinstance(moment, datetime):
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    return None
