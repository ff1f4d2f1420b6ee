"""What is stored of summaries beside the memories that they are: which turns each one covers, and when reflections ran.

P#<tenant>#<project>#memory_windows#<session>  <first>  Window
P#<tenant>#<project>#reflection_days                    ReflectionDay
"""

from almanac.platform.store.records import Place, Record, Table, VersionedRecord


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
)
REFLECTION_DAYS = Table(ReflectionDay, "reflection_days")
