"""Port by which the team family reads recorded activity of people and agents, for presence.

The team family does not import turns. Composition provides an implementation over the store.
"""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from almanac.kernel.caller import Scope


class Activity(Struct, frozen=True, kw_only=True):
    """Recorded work of an actor, without texts.

    It covers `count` records of one session, program and file. The latest one is at `last_at`, in milliseconds since
    1970. Session, program and file are None if the records have none.
    """

    actor: str
    last_at: int
    count: int
    session: str | None = None
    tool: str | None = None
    file: str | None = None


class RecordedActivity(Protocol):
    """Reads activity from recorded turns."""

    def since(self, scope: Scope, since: int, until: int) -> Sequence[Activity]:
        """Return the activity from `since` on and before `until`, latest first, from a limited number of records."""
        ...
