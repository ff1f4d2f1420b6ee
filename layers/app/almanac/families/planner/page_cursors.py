"""Cursors of lists that go on from a position, signed with a secret that the project keeps in its store."""

from almanac.families.planner.planner import Planner
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.port import ConditionFailed
from almanac.platform.store.records import Record, Table

Query = tuple[str | bool | None, ...]


class CursorSecret(Record, frozen=True, kw_only=True):
    """P#<tenant>#<project>#planner_cursors   planner_cursors   CursorSecret, made for the first cursor"""

    secret: bytes


CURSOR_SECRETS = Table(CursorSecret, "planner_cursors")


def seal(planner: Planner, query: Query, position: str | None) -> str | None:
    """A cursor that only the same query accepts; None where there is nothing to go on to."""
    return None if position is None else _cursors(planner).seal(query, (position,))


def start_of(planner: Planner, query: Query, cursor: str | None, first: str = "0") -> str:
    """The position at which to begin. Raises InvalidInput for a cursor of another query."""
    return first if cursor is None else _cursors(planner).open(query, cursor)[0]


def _cursors(planner: Planner) -> Cursors:
    rows = CURSOR_SECRETS.within(planner.store, planner.scope)
    kept = rows.get()
    if kept is None:
        made = CursorSecret(secret=planner.random_bytes(32))
        try:
            planner.store.write([rows.insert(made)])
            kept = made
        except ConditionFailed:
            kept = rows.get() or made
    return Cursors(kept.secret)
