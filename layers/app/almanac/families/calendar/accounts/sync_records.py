"""Records of how far the shadow of a calendar was read."""

from almanac.families.calendar.entries.records import OLD_MS, OLD_SHADOWS
from almanac.platform.store.records import Record, Table

FRESH_SECONDS = 60
"""Age up to which a shadow is read without a pull. Before a booking Almanac asks the provider in any case."""
READER = 2
"""Raised where more of what providers send is read, or otherwise: shadows from before are then pulled anew."""


class SyncRecord(Record, frozen=True, kw_only=True):
    """`token` is the provider's, None to begin anew; `pulled_at` is when it last answered, in milliseconds since 1970.
    `reader` is the READER by which everything in the shadow was read."""

    calendar: str
    token: str | None
    pulled_at: int
    reader: int = 0


class PullFailure(Record, frozen=True, kw_only=True):
    """A pull by the clock that failed: `waits` milliseconds until `again_at`, twice as many after the next failure."""

    calendar: str
    failed_at: int
    waits: int
    again_at: int
    expires_at: int


SYNCS = Table(
    SyncRecord, "calendar_syncs", sort=("calendar",), wakes={OLD_SHADOWS: lambda sync: sync.pulled_at + OLD_MS}
)
PULL_FAILURES = Table(
    PullFailure,
    "calendar_pull_failures",
    sort=("calendar",),
    expires="expires_at",
    wakes={OLD_SHADOWS: "again_at"},
)
