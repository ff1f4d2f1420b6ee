"""Stable ids for events from outside."""

from base64 import b32hexencode
from datetime import UTC
from hashlib import sha256
from zoneinfo import ZoneInfo

from almanac.families.calendar.model.events import AllDay, When, instant_of

OURS = "@almanac"
"""Suffix of the UID of an event booked here, after its id."""


def digest_id(text: str) -> str:
    """Return 26 characters of base32hex that identify `text`."""
    return b32hexencode(sha256(text.encode("utf-8", "surrogatepass")).digest()).decode().lower()[:26]


def make_imported_id(uid: str, stamp: str | None) -> str:
    """Return the id of an event from its UID, and from the stamp of its instance if it is an exception."""
    own = uid.removesuffix(OURS)
    own_id = own if own != uid and own.isascii() and own.isalnum() and len(own) <= 64 else digest_id(uid)
    return own_id if stamp is None else f"{own_id}_{stamp}"


def recurrence_stamp(recurrence_id: When, zone: ZoneInfo) -> str:
    """Format as `20260301T090000Z`, or as `20260301` for a day."""
    if isinstance(recurrence_id, AllDay):
        return f"{recurrence_id.day.year:04d}{recurrence_id.day:%m%d}"
    instant = instant_of(recurrence_id, zone).astimezone(UTC)
    return f"{instant.year:04d}{instant:%m%dT%H%M%SZ}"
