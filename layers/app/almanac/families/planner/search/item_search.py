"""Search: read candidates in their order, and keep those whose record and texts match, in bounded work."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

from almanac.families.planner.search.postings import ALL, IndexTerm
from almanac.families.planner.search.text import Phrase
from almanac.families.planner.search.walks import MAX_QUERIES, IndexReader, TermWalk, intersection
from almanac.kernel.clock import thread_seconds
from almanac.search.port import Filters

MAX_READ = 1000
MAX_SECONDS = 1.0
"""Processor time, for texts that take long to compare."""
MAX_PARTS = 6
"""Words, and beginnings of words, that are looked up."""
_BATCH = 32
"""With their texts, of 100 kB at most, these stay within what one read of the store may bring."""

E = TypeVar("E")
Read = Callable[[Sequence[str]], Sequence[E | None]]
"""The entries at these positions; None for one that is no longer there or does not match."""


class Query(Struct, frozen=True):
    """Positions from `start`, included, to `end`, excluded. `filters` say what `terms` say, for the search engine."""

    terms: tuple[IndexTerm, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    filters: Filters = Filters()
    start: str = "0"
    end: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """The longest words of the phrases, which are usually the rarest."""
        return _longest({word for phrase in self.phrases for word in phrase.words})

    @property
    def prefixes(self) -> tuple[str, ...]:
        return _longest({phrase.prefix for phrase in self.phrases if phrase.prefix})


class Hits(Struct, Generic[E], frozen=True):
    """`reached`: where the next page begins; None on the last one. A search that reads too much ends early."""

    entries: list[E]
    reached: str | None


class Candidates:
    """Positions in order, each with whether it is to be read; one that is not only shows progress."""

    def __init__(self, positions: Iterator[tuple[str, bool]], is_over: Callable[[], bool] = bool) -> None:
        self._positions = positions
        self.is_over = is_over

    def next(self, query: Query, reached: str, size: int) -> tuple[list[str], str, bool]:
        """Up to `size` positions, the position reached, and whether these were the last."""
        batch: list[str] = []
        for position, agreed in self._positions:
            if query.end is not None and position >= query.end:
                return batch, position, True
            reached = position + "0" if agreed else position
            if agreed:
                batch.append(position)
            if len(batch) >= size or self.is_over():
                return batch, reached, False
        return batch, reached, True


def candidates_of(reader: IndexReader, query: Query) -> Candidates:
    """The entries that have every term of the query, whatever their texts say."""
    walks = [TermWalk(reader, term) for term in query.terms] or [TermWalk(reader, ALL)]
    return Candidates(intersection(walks, query.start), lambda: reader.queries >= MAX_QUERIES)


def search(candidates: Candidates, query: Query, limit: int, read: Read[E]) -> Hits[E]:
    """The first `limit` entries, in the order of their positions."""
    entries: list[E] = []
    examined, reached, started = 0, query.start, thread_seconds()
    while True:
        size = _BATCH if query.phrases else min(_BATCH, limit + 1 - len(entries))
        batch, reached, ended = candidates.next(query, reached, size)
        for position, entry in zip(batch, read(batch) if batch else (), strict=True):
            if entry is not None:
                if len(entries) == limit:
                    return Hits(entries, position)
                entries.append(entry)
        examined += len(batch)
        if ended:
            return Hits(entries, None)
        if examined >= MAX_READ or candidates.is_over() or thread_seconds() - started >= MAX_SECONDS:
            return Hits(entries, reached)


def _longest(words: set[str]) -> tuple[str, ...]:
    return tuple(sorted(words, key=lambda word: (-len(word), word))[:MAX_PARTS])
