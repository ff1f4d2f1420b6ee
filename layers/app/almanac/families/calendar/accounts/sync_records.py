"""Records of how far the shadow of a calendar was read."""

from almanac.families.calendar.entries.records import OLD_MS, OLD_SHADOWS
from almanac.platform.store.records import Record, Table

FRESH_SECONDS = 60
"""Age up to which a shadow is read without a pull. Before a booking Almanac asks the provider in any case."""
READER = 2
"""Version of the reading code. Raise it when more is read, or differently: older shadows are then pulled again."""


class SyncRecord(Record, frozen=True, kw_only=True):
    """The state of a calendar's pulls.

    `token` is the provider's, None to begin from the start. `pulled_at` is when the provider last answered, in
    milliseconds since 1970. `reader` is the READER version that read everything in the shadow.
    """

    calendar: str
    token: str | None
    pulled_at: int
    reader: int = 0


class PullFailure(Record, frozen=True, kw_only=True):
    """A failed scheduled pull: it waits `waits` milliseconds until `again_at`, and twice as long after the next
    failure."""

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
