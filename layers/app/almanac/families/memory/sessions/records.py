"""Records of summaries beside their memories: which turns each one covers, and when reflections ran.

P#<tenant>#<project>#memory_windows#<session>  <first>  Window
P#<tenant>#<project>#reflection_days                    ReflectionDay
"""

from almanac.platform.store.records import Place, Record, Table, VersionedRecord

QUIET_MS = 86_400_000
"""So long after its last turn a session is quiet."""
QUIET_SESSIONS = "reflect-on-sessions"
"""The name of the job, which is stored."""
FROM_HOUR = 3
"""The hour, in UTC, from which on reflections are made."""
_DAY_MS, _HOUR_MS = 86_400_000, 3_600_000


def night_after(instant: int) -> int:
    """The first FROM_HOUR at `instant` or later, in milliseconds since 1970."""
    return -((FROM_HOUR * _HOUR_MS - instant) // _DAY_MS) * _DAY_MS + FROM_HOUR * _HOUR_MS


class Window(VersionedRecord, frozen=True, kw_only=True):
    """The turns of a session from position `first` to `last`, both included, which one consolidated memory is made of.

    `written` says that it exists, or did: a window in which nothing was worth saying has none until a restored turn
    brings something. `reflection` is the memory that it was merged into, and `open_at` the time of its last turn until
    then; None where there is nothing to merge.
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
