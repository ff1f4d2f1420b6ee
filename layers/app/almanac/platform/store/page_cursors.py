"""Cursors of lists that merge, rank or filter: where the next page starts, signed with a secret of the project.

A list that reads one range of keys hands on the cursor of the store instead.
"""

import hmac

from almanac.kernel.caller import Scope
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.port import Store
from almanac.platform.store.records import Record, Table
from almanac.platform.store.shared_secret import shared_secret

Query = tuple[str | bool | None, ...]


class CursorSecret(Record, frozen=True, kw_only=True):
    """P#<tenant>#<project>#planner_cursors   planner_cursors   CursorSecret, of projects that had a cursor when each
    project still made a secret of its own

    The planner had it first, hence its name.
    """

    secret: bytes


CURSOR_SECRETS = Table(CursorSecret, "planner_cursors")


class PageCursors:
    """The cursors of one project. `query` names the list and holds every argument that narrows it."""

    def __init__(self, store: Store, scope: Scope, random_bytes: RandomBytes) -> None:
        self._store = store
        self._scope = scope
        self._random_bytes = random_bytes

    def seal(self, query: Query, position: str | None) -> str | None:
        """A cursor that only the same query accepts; None where there is nothing to go on to."""
        return None if position is None else self._cursors().seal(query, (position,))

    def start_of(self, query: Query, cursor: str | None, first: str = "0") -> str:
        """The position at which to begin. Raises InvalidInput for a cursor of another query."""
        return first if cursor is None else self._cursors().open(query, cursor)[0]

    def _cursors(self) -> Cursors:
        kept = CURSOR_SECRETS.within(self._store, self._scope).get()
        return Cursors(kept.secret if kept is not None else self._derived())

    def _derived(self) -> bytes:
        """A secret of the project that needs no write: to read a list must work where the disk is full."""
        shared = shared_secret(self._store, "cursors", self._random_bytes)
        project = CURSOR_SECRETS.within(self._store, self._scope).key().partition.text
        return hmac.digest(shared, project.encode(), "sha256")
