"""Pages of lists that merge, rank or filter, with limits and with cursors signed by a secret of the project.

A list that reads a single range of keys uses the cursor of the store instead.
"""

import hmac
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.port import Store
from almanac.platform.store.records import Record, Table
from almanac.platform.store.shared_secret import shared_secret

T = TypeVar("T")

Query = tuple[str | bool | None, ...]


class ListPage(Struct, Generic[T], frozen=True):
    """A page of a list. `last` is the last row that was read, and `following` the next one, None on the last page."""

    rows: list[T]
    last: T | None
    following: T | None


def bounded_page(
    rows: Iterable[T],
    matches: Callable[[T], bool],
    *,
    limit: int,
    most_read: int | None = None,
    size_of: Callable[[T], int] = lambda _: 0,
    most_bytes: int = 0,
    most_bytes_read: int | None = None,
) -> ListPage[T]:
    """Return the first `limit` matching rows, reading at most `most_read` rows.

    A page may be short, or empty, and still have a following one. The first row is returned whatever its size.
    """
    found: list[T] = []
    last: T | None = None
    size = size_read = 0
    for read, row in enumerate(rows):
        if read == most_read or (most_bytes_read is not None and size_read > most_bytes_read):
            return ListPage(found, last, row)
        bytes_of = size_of(row)
        size_read += bytes_of
        if matches(row):
            size += bytes_of
            if found and (len(found) == limit or size > most_bytes):
                return ListPage(found, last, row)
            found.append(row)
        last = row
    return ListPage(found, last, None)


class CursorSecret(Record, frozen=True, kw_only=True):
    """Secret of a project that had a cursor when each project still stored a secret of its own.

        P#<tenant>#<project>#planner_cursors   planner_cursors   CursorSecret

    The planner was the first to use it, hence the name.
    """

    secret: bytes


CURSOR_SECRETS = Table(CursorSecret, "planner_cursors")


class PageCursors:
    """The cursors of one project. A `query` consists of the list's name and every argument that filters it."""

    def __init__(self, store: Store, scope: Scope, random_bytes: RandomBytes) -> None:
        self._store = store
        self._scope = scope
        self._random_bytes = random_bytes

    def seal(self, query: Query, position: str | None) -> str | None:
        """Return a cursor that only the same query accepts. None if no position follows."""
        return None if position is None else self._cursors().seal(query, (position,))

    def start_of(self, query: Query, cursor: str | None, first: str = "0") -> str:
        """Return the position at which the page begins. Raises InvalidInput for a cursor of another query."""
        return first if cursor is None else self._cursors().open(query, cursor)[0]

    def _cursors(self) -> Cursors:
        kept = CURSOR_SECRETS.within(self._store, self._scope).get()
        return Cursors(kept.secret if kept is not None else self._derive_secret())

    def _derive_secret(self) -> bytes:
        """Return a secret of the project without a write, so that lists can be read while the disk is full."""
        shared = shared_secret(self._store, "cursors", self._random_bytes)
        project = CURSOR_SECRETS.within(self._store, self._scope).key().partition.text
        return hmac.digest(shared, project.encode(), "sha256")
