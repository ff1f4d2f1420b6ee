"""Queries with checked arguments, for store adapters, and iteration over all pages of a query."""

from collections.abc import Iterator
from typing import Unpack

from msgspec import Struct

from almanac.kernel.errors import InvalidInput
from almanac.platform.store.bounds import check_sort
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.keys import Partition, past
from almanac.platform.store.port import INDEXES, MAX_LIMIT, Index, Item, ItemSelection, Page, Span, Store


class Query(Struct, frozen=True):
    """A checked query for the sort keys from `start`, included, to `end`, excluded. None leaves that side open.

    It returns at most `limit` items after `cursor`.
    """

    partition: Partition
    start: str | None
    end: str | None
    index: Index | None
    reverse: bool
    limit: int
    cursor: str | None

    def identity(self) -> tuple[str | bool | None, ...]:
        """Return the identity of the query that a cursor is bound to."""
        return (self.partition.text, self.start, self.end, self.index, self.reverse)

    def position(self, item: Item) -> tuple[str, ...]:
        """Return the position of `item` in the order of the results: its sort key, in an index also its own key."""
        own = item.key
        return (item.indexes[self.index].sort, own.partition.text, own.sort) if self.index else (own.sort,)

    def position_before(self, cursors: Cursors) -> tuple[str, ...] | None:
        """Return the position after which the page begins, None for the first page.

        Raises InvalidInput for a cursor of another query.
        """
        return cursors.open(self.identity(), self.cursor) if self.cursor is not None else None

    def page(self, items: tuple[Item, ...], cursors: Cursors, *, more: bool) -> Page:
        """Return a page of these items, with a cursor if there are `more`."""
        return Page(items, cursors.seal(self.identity(), self.position(items[-1])) if more else None)

    def is_empty(self) -> bool:
        return self.end is not None and (self.start or "") >= self.end


def every_item(
    store: Store, partition: Partition, *, page: int = 100, **narrowing: Unpack[ItemSelection]
) -> Iterator[Item]:
    """Yield all items of a `Store.query`, reading `page` items at a time as they are needed."""
    cursor: str | None = None
    while True:
        read = store.query(partition, **narrowing, limit=page, cursor=cursor)
        yield from read.items
        if (cursor := read.cursor) is None:
            return


def parse_query(
    partition: Partition,
    *,
    prefix: str = "",
    span: Span | None = None,
    index: Index | None = None,
    reverse: bool = False,
    limit: int = 100,
    cursor: str | None = None,
) -> Query:
    """Check the arguments of `Store.query`, for its adapters.

    Raises InvalidInput for a limit outside 1 to 1000, for both a prefix and a span, and for an unknown index.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is 1 to {MAX_LIMIT}, not {limit}.", "Read several pages.", path="limit")
    if prefix and span is not None:
        raise InvalidInput("A query is narrowed by a prefix or by a span.", "Leave one of them out.", path="prefix")
    if index is not None and index not in INDEXES:
        raise InvalidInput(f"There is no index {index!r}.", f"Indexes are {', '.join(INDEXES)}.", path="index")
    start, end = (prefix, past(prefix)) if prefix else (span.start or None, span.end) if span else (None, None)
    for text in (start, end):
        check_sort(text or "")
    return Query(partition, start, end, index, reverse, limit, cursor)
