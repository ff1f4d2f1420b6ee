"""The people whom an event of Google Calendar invites, and their answers."""

from collections.abc import Mapping
from typing import Any

from almanac.families.calendar.model.events import Event
from almanac.families.calendar.providers.port import Answer
from almanac.families.calendar.providers.refusals import not_invited, organizes
from almanac.kernel.errors import InvalidInput


def guests_of(event: Event) -> list[dict[str, str]]:
    """Raises InvalidInput for an attendee without an e-mail address: Google invites by address."""
    nameless = next((one for one in event.attendees if "@" not in one), None)
    if nameless is not None:
        raise InvalidInput(
            f'Google Calendar cannot invite "{nameless[:80]}": it is not an e-mail address.',
            "Give attendees as e-mail addresses, or name them in the description.",
            path="attendees",
        )
    return [{"email": one} for one in event.attendees]


def with_guests(item: Mapping[str, Any], event: Event) -> list[dict[str, Any]]:
    """The people of an event. Those whom the `item` has already keep their answers. Raises InvalidInput as
    `guests_of`."""
    known = {str(one.get("email", "")).lower(): one for one in item.get("attendees") or ()}
    return [dict(known.get(one["email"].lower(), one)) for one in guests_of(event)]


def answered(item: Mapping[str, Any], answer: Answer) -> list[dict[str, Any]]:
    """The people of an event with the answer of the account. Raises InvalidInput where it is not invited."""
    organizer: Mapping[str, Any] = item.get("organizer") or {}
    if organizer.get("self"):
        raise organizes()
    people = [dict(one) for one in item.get("attendees") or ()]
    own = next((one for one in people if one.get("self")), None)
    if own is None:
        raise not_invited()
    own["responseStatus"] = answer.response
    if answer.comment:
        own["comment"] = answer.comment
    return people
