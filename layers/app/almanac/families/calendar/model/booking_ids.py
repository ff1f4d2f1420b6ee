"""Ids of events, bookings and holds that are made here.

An event's id is 26 characters of base32hex (0-9, a-v), which every provider takes for an id of the client's choice, and
sorts by the time it was made. The id of a booking is that of its event with `bkg_` before it.
"""

from almanac.families.calendar.model.located_ids import id_within
from almanac.kernel.ids import RandomBytes, ulid

_CROCKFORD_TO_HEX = str.maketrans("0123456789ABCDEFGHJKMNPQRSTVWXYZ", "0123456789abcdefghijklmnopqrstuv")
_BOOKING, _HOLD = "bkg_", "hold_"
_TIME = 10
"""Characters of an id, the first ones, that say when it was made."""


def new_event_id(milliseconds: int, random_bytes: RandomBytes) -> str:
    return ulid(milliseconds, random_bytes).translate(_CROCKFORD_TO_HEX)


def new_hold_id(milliseconds: int, random_bytes: RandomBytes) -> str:
    return _HOLD + new_event_id(milliseconds, random_bytes)


def booking_id_of(event_id: str) -> str:
    return _BOOKING + event_id


def event_id_of(text: str, calendar: str) -> str:
    """The event of a booking id in that calendar; an event id, which may say its calendar, is taken for itself."""
    return id_within(calendar, text.strip().removeprefix(_BOOKING))


def hold_made_at(hold_id: str) -> int:
    """Return when a hold was made, in milliseconds since 1970."""
    return int(hold_id.removeprefix(_HOLD)[:_TIME], 32)


def is_hold_id(text: str) -> bool:
    return text.startswith(_HOLD)
