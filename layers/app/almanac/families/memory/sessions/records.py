"""Stored records of summaries: the turns that each one covers, and the last day of reflections.

P#<tenant>#<project>#memory_windows#<session>  <first>  Window
P#<tenant>#<project>#reflection_days                    ReflectionDay
"""

from almanac.platform.store.records import Place, Record, Table, VersionedRecord

QUIET_MS = 86_400_000
"""Time after its last turn until a session counts as quiet."""
QUIET_SESSIONS = "reflect-on-sessions"
"""The stored name of the job that makes reflections."""
FROM_HOUR = 3
"""Hour of the day, in UTC, at which making reflections begins."""
_DAY_MS, _HOUR_MS = 86_400_000, 3_600_000


def night_after(instant: int) -> int:
    """Return the next instant at FROM_HOUR, at or after `instant`, in milliseconds since 1970."""
    return -((FROM_HOUR * _HOUR_MS - instant) // _DAY_MS) * _DAY_MS + FROM_HOUR * _HOUR_MS


class Window(VersionedRecord, frozen=True, kw_only=True):
    """The turns of a session from position `first` to `last`, both included, that one consolidated memory is made of.

    `written`: the memory exists, or did. A window in which nothing was worth saying has no memory until a restored turn
    brings something. `reflection` is the reflection that the memory was merged into. Until then, `open_at` is the time
    of its last turn, or None if there is nothing to merge.
    """

    session: str
    first: int
    last: int
    memory: str
    written: bool
    open_at: int | None = None
    reflection: str | None = None


class ReflectionDay(Record, frozen=True, kw_only=True):
    """The last day, as YYYY-MM-DD in UTC, on which reflections were made."""

    day: str


WINDOWS = Table(
    Window,
    "memory_windows",
    partition=("session",),
    sort=("first",),
    indexes={"gsi1": Place("memory_windows_open", sort=("open_at", "memory"))},
    wakes={QUIET_SESSIONS: lambda window: None if window.open_at is None else night_after(window.open_at + QUIET_MS)},
)
REFLECTION_DAYS = Table(ReflectionDay, "reflection_days")
