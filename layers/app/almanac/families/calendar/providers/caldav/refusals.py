"""Errors for responses of CalDAV servers: by the precondition in the body, else by the status."""

from collections.abc import Mapping

from almanac.families.calendar.providers.caldav.bounded_xml import parse_xml
from almanac.families.calendar.providers.refusals import refusal
from almanac.families.calendar.providers.transport.http import Response
from almanac.kernel.errors import AlmanacError, Conflict, Forbidden, InvalidInput

_STATUSES = frozenset({403, 409, 412, 413, 415, 422, 507})
_NO_ROOM = (Forbidden, "has no room left for {what}", "Remove something there, or ask its operator for more room.")
_OTHERS_MEETING = (
    *(Forbidden, "lets only the organizer of a meeting change that: {what}"),
    "Ask the organizer, or answer the invitation in a calendar program.",
)
_SPLIT = (Conflict, "has {what} in another calendar already", "Change it where it is; search with list_events.")
_PRECONDITIONS: Mapping[str, tuple[type[Forbidden | InvalidInput | Conflict], str, str]] = {
    "valid-calendar-data": (
        *(InvalidInput, "finds a mistake in {what}"),
        "Check its times: some servers take no event that ends at the moment it begins.",
    ),
    "supported-calendar-component": (InvalidInput, "takes no entries of this kind: {what}", "Use another calendar."),
    "max-resource-size": (InvalidInput, "takes nothing as long as {what}", "Shorten its texts."),
    "min-date-time": (InvalidInput, "takes nothing as far in the past as {what}", "Choose a later time."),
    "max-date-time": (InvalidInput, "takes nothing as far in the future as {what}", "Choose an earlier time."),
    "max-instances": (InvalidInput, "takes no series with as many instances as {what}", "End the series earlier."),
    "max-attendees-per-instance": (InvalidInput, "takes nothing with as many attendees as {what}", "Invite fewer."),
    "no-uid-conflict": _SPLIT,
    "unique-scheduling-object-resource": _SPLIT,
    "allowed-organizer-scheduling-object-change": _OTHERS_MEETING,
    "allowed-attendee-scheduling-object-change": _OTHERS_MEETING,
    "quota-not-exceeded": _NO_ROOM,
    "sufficient-disk-space": _NO_ROOM,
}
"""Preconditions of RFC 4791 (5.3.2.1), RFC 6638 (3.2.4) and RFC 4331 (6), in our words instead of the server's."""


def dav_refusal(provider: str, response: Response, what: str) -> AlmanacError:
    """Return the error for a response. `what` is the requested object, such as "the event"."""
    precondition = _find_precondition(response) if response.status in _STATUSES else None
    if precondition is None and response.status == 507:
        precondition = _NO_ROOM
    if precondition is None:
        return refusal(provider, response, what)
    kind, message, hint = precondition
    return kind(f"{provider} {message.format(what=what)}.", hint)


def _find_precondition(response: Response) -> tuple[type[Forbidden | InvalidInput | Conflict], str, str] | None:
    root = parse_xml(response.body)
    names = (element.tag.rpartition("}")[2] for element in root.iter()) if root is not None else ()
    return next((_PRECONDITIONS[name] for name in names if name in _PRECONDITIONS), None)
