"""Ids of events, bookings and holds that Almanac creates.

An event's id has 26 characters of base32hex (0-9, a-v). Every provider accepts it as a client's own id, and ids sort by
creation time. A booking's id is its event's id with the prefix `bkg_`.
"""

from almanac.families.calendar.model.located_ids import id_within
from almanac.kernel.ids import RandomBytes, ulid

_CROCKFORD_TO_HEX = str.maketrans("0123456789ABCDEFGHJKMNPQRSTVWXYZ", "0123456789abcdefghijklmnopqrstuv")
_BOOKING, _HOLD = "bkg_", "hold_"
_TIME = 10
"""Length of the creation time at the start of an id, in characters."""


def new_event_id(milliseconds: int, random_bytes: RandomBytes) -> str:
    return ulid(milliseconds, random_bytes).translate(_CROCKFORD_TO_HEX)


def new_hold_id(milliseconds: int, random_bytes: RandomBytes) -> str:
    return _HOLD + new_event_id(milliseconds, random_bytes)


def booking_id_of(event_id: str) -> str:
    return _BOOKING + event_id


def event_id_of(text: str, calendar: str) -> str:
    """Return the event id of a booking id or event id in that calendar. An event id may include its calendar."""
    return id_within(calendar, text.strip().removeprefix(_BOOKING))


def hold_made_at(hold_id: str) -> int:
    """Return when a hold was made, in milliseconds since 1970."""
    return int(hold_id.removeprefix(_HOLD)[:_TIME], 32)


def is_hold_id(text: str) -> bool:
    return text.startswith(_HOLD)
