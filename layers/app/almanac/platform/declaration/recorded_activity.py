"""Activity that a family records of people and agents at work, as the team family reads it for presence.

The team family knows nothing of turns: composition hands it an implementation over the store.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from almanac.kernel.caller import Scope


class Activity(Struct, frozen=True, kw_only=True):
    """Recorded work of an actor, without its text: `count` records of one session, program and file, the latest of them
    at `last_at`, in milliseconds since 1970. Names and the path are None where the records give none."""

    actor: str
    last_at: int
    count: int
    session: str | None = None
    tool: str | None = None
    file: str | None = None


class RecordedActivity(Protocol):
    """Reads activity from recorded turns."""

    def since(self, scope: Scope, since: int, until: int) -> Sequence[Activity]:
        """Return the activity from `since` on and before `until`, the latest first, from a bounded number of the latest
        records."""
        ...
