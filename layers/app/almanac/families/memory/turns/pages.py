"""Read pages of turns, newest first.

Turns of a project are ordered by the time at which they happened, turns of a session by position.
"""

from collections.abc import Iterator, Sequence

import msgspec
from msgspec import Struct

from almanac.families.memory.core.history import was_shown
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import TURNS, Role, Turn, is_remembered
from almanac.platform.store.keys import sort_key
from almanac.platform.store.page_cursors import bounded_page
from almanac.platform.store.port import Index, Span
from almanac.platform.store.queries import every_item

PAGE_BYTES = 128 * 1024
MAX_READ = 2000
MAX_READ_BYTES = 8 * 1024 * 1024
_AT_ONCE = 100


class TurnFilter(Struct, frozen=True, kw_only=True):
    """Filter of turns; None allows all. `since` (included) and `until` (excluded) limit the time of a turn.

    `as_of` (included) limits the time of recording."""

    session: str | None = None
    actor: str | None = None
    tool: str | None = None
    role: Role | None = None
    since: int | None = None
    until: int | None = None
    as_of: int | None = None

    def matches(self, turn: Turn, now: int) -> bool:
        pairs = ((self.actor, turn.actor), (self.tool, turn.tool), (self.role, turn.role))
        return (
            all(allowed in (None, has) for allowed, has in pairs)
            and (self.since is None or turn.at >= self.since)
            and (self.until is None or turn.at < self.until)
            and (self.as_of is None or was_shown(turn, self.as_of))
            and is_remembered(turn, now)
        )


def page_of(
    project: MemoryProject, turn_filter: TurnFilter, *, limit: int, before: str | None
) -> tuple[Sequence[Turn], str | None]:
    """Return the matching turns before the position `before`, and the position of the next page.

    There can be a next page even if this one is empty."""
    now = project.now()
    page = bounded_page(
        _newest_first(project, turn_filter, before),
        lambda turn: turn_filter.matches(turn, now),
        limit=limit,
        most_read=MAX_READ,
        size_of=_bytes,
        most_bytes=PAGE_BYTES,
        most_bytes_read=MAX_READ_BYTES,
    )
    return page.rows, place_of(page.last, turn_filter) if page.following and page.last else None


def _newest_first(project: MemoryProject, turn_filter: TurnFilter, before: str | None) -> Iterator[Turn]:
    """Yield the turns in the filter's range, newest first, read as they are needed."""
    index: Index = "gsi1" if turn_filter.session is None else "gsi2"
    names = () if turn_filter.session is None else (turn_filter.session,)
    partition = TURNS.partition(project.scope, TURNS.indexes[index], names)
    start = end = None
    if turn_filter.session is None:
        start = None if turn_filter.since is None else sort_key(turn_filter.since)
        end = None if turn_filter.until is None else sort_key(turn_filter.until)
    span = Span(start, before or end)
    items = every_item(project.store, partition, span=span, index=index, reverse=True, page=_AT_ONCE)
    return map(TURNS.read, items)


def place_of(turn: Turn, turn_filter: TurnFilter) -> str:
    """Return the position of a turn in its list. The next page begins after it."""
    return sort_key(turn.at, turn.id) if turn_filter.session is None else sort_key(turn.position or 0)


def _bytes(turn: Turn) -> int:
    return len(turn.content.encode()) + len(msgspec.json.encode(turn.metadata)) + len(msgspec.json.encode(turn.tags))
