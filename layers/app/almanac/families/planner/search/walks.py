"""Iterators over postings. All terms sort positions alike, so an intersection can skip ahead."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from almanac.families.planner.search.postings import Index, IndexTerm, term_partition
from almanac.kernel.caller import Scope
from almanac.platform.store.keys import past, sort_key, sort_prefix
from almanac.platform.store.port import Item, Span, Store

MAX_QUERIES = 128
_SMALLEST_PAGE, _PAGE, _LARGEST_PAGE = 8, 40, 320


class IndexReader:
    """Reader of the postings of one index. `queries` counts store queries, so that a search can end in time."""

    def __init__(self, store: Store, scope: Scope, index: Index) -> None:
        self._store = store
        self._scope = scope
        self._index: Index = index
        self.queries = 0

    def read(self, term: IndexTerm, start: str, end: str | None, limit: int) -> tuple[Sequence[Item], bool]:
        """Return postings of a term between two sort keys, and whether more follow."""
        self.queries += 1
        partition = term_partition(self._scope, self._index, term)
        page = self._store.query(partition, span=Span(start, end), limit=limit)
        return page.items, page.cursor is not None


class TermWalk:
    """Walk over one term. Pages grow while most of a page is used, and shrink while it is skipped."""

    def __init__(self, reader: IndexReader, term: IndexTerm) -> None:
        self._reader = reader
        self._term = term
        self._end = past(sort_prefix(term.value))
        self._page: list[str] = []
        self._more = True
        self._size = _PAGE
        self._used = 0

    def seek(self, target: str) -> str | None:
        """Return the first position at or after `target`, None past the end. Targets never go back."""
        if self._more and not (self._page and self._page[-1] >= target):
            self._read_page(target)
        self._used += 1
        at = bisect_left(self._page, target)
        return self._page[at] if at < len(self._page) else None

    def _read_page(self, target: str) -> None:
        if self._page:
            sized = self._size * 2 if self._used * 2 > len(self._page) else self._size // 2
            self._size = min(_LARGEST_PAGE, max(_SMALLEST_PAGE, sized))
        self._used = 0
        items, self._more = self._reader.read(self._term, sort_key(self._term.value, target), self._end, self._size)
        self._page = [_position(item) for item in items]


def intersection(walks: Sequence[TermWalk], start: str) -> Iterator[tuple[str, bool]]:
    """Yield positions from `start` on, each with whether every walk has it. The others only show progress."""
    target = start
    while True:
        reached: str | None = target
        for walk in walks:
            found = walk.seek(reached)
            if found is None:
                return
            if found != reached and walk is not walks[0]:
                reached = found
                break
            reached = found
        else:
            yield reached, True
            target = reached + "0"  # sorts before every later position
            continue
        yield reached, False
        target = reached


def _position(item: Item) -> str:
    return item.key.sort.rpartition("#")[2]
