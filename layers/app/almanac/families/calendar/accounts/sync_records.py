"""How far the shadow of a calendar was read."""

from almanac.platform.store.records import Record, Table

READER = 1
"""Raised where more of what providers send is read, or otherwise: shadows from before are then pulled anew."""


class SyncRecord(Record, frozen=True, kw_only=True):
    """`token` is the provider's, None to begin anew; `pulled_at` is when it last answered, in milliseconds since 1970.
    `reader` is the READER by which everything in the shadow was read."""

    calendar: str
    token: str | None
    pulled_at: int
    reader: int = 0


SYNCS = Table(SyncRecord, "calendar_syncs", sort=("calendar",))
