"""Bounded search: candidates are read in order and kept if their record and texts match."""

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
"""Maximum processor time, for texts that take long to compare."""
MAX_PARTS = 6
"""Maximum words, and prefixes, that are looked up."""
_BATCH = 32
"""Texts per read. At 100 kB each, they stay within the limit of one store read."""

E = TypeVar("E")
Read = Callable[[Sequence[str]], Sequence[E | None]]
"""A function that returns the entries at these positions; None for one that is gone or does not match."""


class Query(Struct, frozen=True):
    """A query for positions from `start`, included, to `end`, excluded. `filters` express `terms` for the search
    engine."""

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
    """Entries found. `next_position` is the start of the next page; None on the last one. A search that reads too much
    ends early."""

    entries: list[E]
    next_position: str | None


class Candidates:
    """Positions in order, each with whether to read it. A position that is not read only shows progress."""

    def __init__(self, positions: Iterator[tuple[str, bool]], is_over: Callable[[], bool] = bool) -> None:
        self._positions = positions
        self.is_over = is_over

    def next(self, query: Query, reached: str, size: int) -> tuple[list[str], str, bool]:
        """Return up to `size` positions, the position reached, and whether these were the last."""
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
    """Return the entries that have every term of the query, whatever their texts say."""
    walks = [TermWalk(reader, term) for term in query.terms] or [TermWalk(reader, ALL)]
    return Candidates(intersection(walks, query.start), lambda: reader.queries >= MAX_QUERIES)


def search(candidates: Candidates, query: Query, limit: int, read: Read[E]) -> Hits[E]:
    """Return the first `limit` entries, in the order of their positions."""
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
