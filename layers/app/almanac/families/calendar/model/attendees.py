"""Attendees by e-mail address, because calendars send invitations to addresses."""

import re
from collections.abc import Sequence

from almanac.families.calendar.model.event_parts import Attendee
from almanac.kernel.errors import InvalidInput

_LONGEST, _LONGEST_NAME, _LONGEST_LABEL = 254, 64, 63
# RFC 5322's atoms and RFC 6531's letters of any script. Quoted names are refused, because no calendar service accepts
# them.
_NAME = re.compile(r"[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*")
_LABEL = re.compile(r"[^\W_](?:[\w-]*[^\W_])?")


def check_attendees(attendees: Sequence[str]) -> tuple[str, ...]:
    """Return the addresses without `mailto:` and surrounding space. Raises InvalidInput for the first invalid one."""
    return tuple(_check_address(text, place) for place, text in enumerate(attendees))


def attendee_details(addresses: Sequence[str], details: Sequence[Attendee] = ()) -> tuple[Attendee, ...]:
    """Return attendee details for the addresses. Those without an entry in `details` have not answered yet."""
    before = {one.address: one for one in details}
    return tuple(before.get(one) or Attendee(address=one, partstat="NEEDS-ACTION", rsvp=True) for one in addresses)


def is_address(text: str) -> bool:
    """Return whether the text has the form of an e-mail address with a domain."""
    name, at, domain = text.rpartition("@")
    labels = domain.split(".")
    return (
        bool(at)
        and len(text) <= _LONGEST
        and len(name) <= _LONGEST_NAME
        and _NAME.fullmatch(name) is not None
        and len(labels) > 1
        and all(len(label) <= _LONGEST_LABEL and _LABEL.fullmatch(label) and "_" not in label for label in labels)
        and not labels[-1].isdigit()
    )


def _check_address(text: str, place: int) -> str:
    address = text.strip()
    if address[:7].lower() == "mailto:":
        address = address[7:]
    if not is_address(address):
        raise InvalidInput(
            f'attendees[{place}] is not an e-mail address: "{text[:80]}".',
            "Give attendees as plain addresses, e.g. ann@example.com; name people without one in the description.",
            path=f"attendees[{place}]",
        )
    return address
