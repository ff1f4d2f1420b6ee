"""Answers to invitations in the iCalendar text of a resource."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

from collections.abc import Collection
from copy import deepcopy
from zoneinfo import ZoneInfo

from icalendar import Component

from almanac.families.calendar.ical.people import answer_as, organizer_of, owner_names
from almanac.families.calendar.ical.writer import Text, add_zones, fill
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.providers.caldav.texts import component_at, parse_calendar, stamp_of
from almanac.families.calendar.providers.port import Answer
from almanac.families.calendar.providers.refusals import not_invited, organizer_cannot_answer


def with_answer(text: bytes, event: Event, zone: ZoneInfo, addresses: Collection[str], answer: Answer) -> bytes:
    """Return the text with the answer of the attendee with one of the `addresses`; for a series also in its exceptions.

    Raises InvalidInput if none of the addresses is invited, or one of them organizes the event.
    """
    calendar, owners = parse_calendar(text), owner_names(addresses)
    stamp = stamp_of(event, zone)
    component = component_at(calendar, stamp, zone)
    if component is None:
        component = _instance(component_at(calendar, None, zone), event)
        calendar.add_component(component)
    organizer = organizer_of(component)
    if organizer is not None and organizer.address.lower() in owners:
        raise organizer_cannot_answer()
    if not answer_as(component, owners, answer.response.upper()):
        raise not_invited()
    if answer.comment:
        component.pop("COMMENT", None)
        component.add("COMMENT", Text(answer.comment))
    if stamp is None:
        for other in calendar.walk("VEVENT"):
            answer_as(other, owners, answer.response.upper())
    add_zones(calendar)
    return bytes(calendar.to_ical())


def _instance(series: Component | None, event: Event) -> Component:
    """Return a component for a new exception, with everything from its series."""
    if series is None:
        raise not_invited()
    component = deepcopy(series)
    fill(component, event)
    return component
