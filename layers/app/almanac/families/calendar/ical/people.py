"""Attendees and organizer of an event, to and from iCalendar."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

import re
from collections.abc import Collection
from typing import Any

from icalendar import Component, vCalAddress

from almanac.families.calendar.ical.values import parameters_of, values_of
from almanac.families.calendar.model.event_parts import Attendee
from almanac.families.calendar.model.events import Event

_MOST = 1_000
_LONGEST = 320
_MOST_PARAMETERS = 12
_NOT_SAID = re.compile(r'[\x00-\x1f\x7f"\ud800-\udfff]')
_KNOWN = {"CN", "PARTSTAT", "ROLE", "RSVP"}


def attendees_of(component: Component, addresses: Collection[str]) -> tuple[tuple[Attendee, ...], bool]:
    """Return the attendees without duplicates, and whether the owner, one of `addresses`, declined."""
    attendees = values_of(component, "ATTENDEE")[:_MOST]
    people = {one.address: one for one in map(_attendee, attendees)}
    declined = any(
        str(parameters_of(value).get("PARTSTAT", "")).upper() == "DECLINED" and _names(value) & set(addresses)
        for value in attendees
    )
    return tuple(people.values()), declined


def organizer_of(component: Component) -> Attendee | None:
    return next(map(_attendee, values_of(component, "ORGANIZER")), None)


def has_details(person: Attendee) -> bool:
    """Return whether the text has more about a person than the address."""
    return person != Attendee(address=person.address)


def invite(component: Component, event: Event) -> None:
    """Write the attendees. Attendees already in the text keep their parameters."""
    attendees = {str(one).lower(): one for one in values_of(component, "ATTENDEE")}
    details = {one.address: one for one in event.attendee_details}
    component.pop("ATTENDEE", None)
    for person in event.attendees:
        address = _address(person, details.get(person))
        component.add("ATTENDEE", attendees.get(str(address).lower(), address))
    if event.organizer and component.get("ORGANIZER") is None:
        organizer = event.organizer_details
        same = organizer is not None and organizer.address == event.organizer
        component.add("ORGANIZER", _address(event.organizer, organizer if same else None))


def answer_as(component: Component, owners: Collection[str], partstat: str) -> bool:
    """Write the answer of the attendees who are `owners`, and return whether there are any."""
    own = [value for value in values_of(component, "ATTENDEE") if _names(value) & set(owners)]
    for value in own:
        value.params["PARTSTAT"] = partstat
        value.params.pop("RSVP", None)
    return bool(own)


def owner_names(addresses: Collection[str]) -> frozenset[str]:
    """Return the addresses in the form that `attendees_of` compares."""
    return frozenset(_bare(address) for address in addresses if address.strip())


def _attendee(value: Any) -> Attendee:
    uri, params = str(value).strip()[:_LONGEST], parameters_of(value)
    scheme, colon, rest = uri.partition(":")
    name = _NOT_SAID.sub("", str(params.get("CN", "")))[:_LONGEST].strip()
    mail = rest.strip() if colon and scheme.lower() == "mailto" else ""
    rsvp = str(params.get("RSVP", "")).upper()
    others = [f"{key.upper()}={_NOT_SAID.sub('', _join(attendees))}" for key, attendees in params.items()]
    return Attendee(
        address=mail or name or uri,
        uri="" if mail else uri,
        name=name,
        partstat=_NOT_SAID.sub("", str(params.get("PARTSTAT", "")).upper())[:40],
        role=_NOT_SAID.sub("", str(params.get("ROLE", "")).upper())[:40],
        rsvp=rsvp == "TRUE" if rsvp in {"TRUE", "FALSE"} else None,
        parameters=tuple(
            sorted(one[:_LONGEST] for one in others if one.partition("=")[0] not in _KNOWN)[:_MOST_PARAMETERS]
        ),
    )


def _names(value: Any) -> set[str]:
    """Return all addresses of an attendee."""
    return {_bare(str(value)), _bare(str(parameters_of(value).get("EMAIL", "")))} - {""}


def _bare(address: str) -> str:
    return address.strip().lower().removeprefix("mailto:").rstrip("/")


def _join(attendees: object) -> str:
    return ",".join(map(str, attendees)) if isinstance(attendees, list | tuple) else str(attendees)


def _address(person: str, details: Attendee | None) -> vCalAddress:
    address = vCalAddress(_uri(person, details))
    if details is None:
        if str(address) == _NOBODY:
            # Without an address, write what Apple's calendars write.
            address.params["CN"] = _NOT_SAID.sub("'", person).strip()
        return address
    rsvp = {None: "", True: "TRUE", False: "FALSE"}[details.rsvp]
    pairs = {"CN": details.name, "PARTSTAT": details.partstat, "ROLE": details.role, "RSVP": rsvp}
    pairs |= {name: value for name, _, value in (one.partition("=") for one in details.parameters)}
    for name, value in pairs.items():
        if value:
            address.params[name] = value
    return address


_NOBODY = "invalid:nomail"


def _uri(person: str, details: Attendee | None) -> str:
    if details is not None and details.uri:
        return details.uri
    text = _NOT_SAID.sub("", person).strip()
    if "@" in text and " " not in text:
        return f"mailto:{text}"
    return text if ":" in text and " " not in text else _NOBODY
