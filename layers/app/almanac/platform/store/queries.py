"""Queries: their bounds (a partition of the table or of an index, a span of its sort keys, a direction), and all pages
of one."""

from collections.abc import Iterator

from msgspec import Struct

from almanac.kernel.errors import InvalidInput
from almanac.platform.store.bounds import check_sort
from almanac.platform.store.keys import Partition, past
from almanac.platform.store.port import INDEXES, MAX_LIMIT, Index, Item, Span, Store


class Query(Struct, frozen=True):
    """Sort keys from `start`, included, to `end`, excluded; None leaves that side open."""

    partition: Partition
    start: str | None
    end: str | None
    index: Index | None
    reverse: bool

    def identity(self) -> tuple[str | bool | None, ...]:
        """What a cursor is bound to."""
        return (self.partition.text, self.start, self.end, self.index, self.reverse)

    def position(self, item: Item) -> tuple[str, ...]:
        """Where `item` stands in the order of the answer: sort key, and in an index the item's own key after it."""
        own = item.key
        return (item.indexes[self.index].sort, own.partition.text, own.sort) if self.index else (own.sort,)

    def is_empty(self) -> bool:
        return self.end is not None and (self.start or "") >= self.end


def every_item(
    store: Store,
    partition: Partition,
    *,
    prefix: str = "",
    span: Span | None = None,
    index: Index | None = None,
    reverse: bool = False,
    page: int = 100,
) -> Iterator[Item]:
    """As `Store.query`, to the end: `page` items are read at a time, when they are asked for."""
    cursor: str | None = None
    while True:
        read = store.query(partition, prefix=prefix, span=span, index=index, reverse=reverse, limit=page, cursor=cursor)
        yield from read.items
        if (cursor := read.cursor) is None:
            return


def bounded_query(
    partition: Partition, prefix: str, span: Span | None, index: Index | None, reverse: bool, limit: int
) -> Query:
    """Raises InvalidInput for a limit out of 1 to 1000, for a prefix beside a span, for an index that is none."""
    if not 1 <= limit <= MAX_LIMIT:
        raise InvalidInput(f"limit is 1 to {MAX_LIMIT}, not {limit}.", "Read several pages.", path="limit")
    if prefix and span is not None:
        raise InvalidInput("A query is narrowed by a prefix or by a span.", "Leave one of them out.", path="prefix")
    if index is not None and index not in INDEXES:
        raise InvalidInput(f"There is no index {index!r}.", f"Indexes are {', '.join(INDEXES)}.", path="index")
    start, end = (prefix, past(prefix)) if prefix else (span.start or None, span.end) if span else (None, None)
    for text in (start, end):
        check_sort(text or "")
    return Query(partition, start, end, index, reverse)
