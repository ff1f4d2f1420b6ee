"""Search: the entries of an index that have every term, and whose texts match every phrase of the query."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar

from msgspec import Struct

from almanac.families.planner.search.postings import ALL, IndexTerm
from almanac.families.planner.search.text import Phrase
from almanac.families.planner.search.walks import MAX_QUERIES, IndexReader, TermWalk, Walk, intersection, prefix_walk

MAX_READ = 1000
_BATCH = 32
"""With their texts, of 100 kB at most, these stay within what one read of the store may bring."""

E = TypeVar("E")
Read = Callable[[Sequence[str]], Sequence[E | None]]
"""The entries at these positions; None for one that is no longer there or does not match."""


class Query(Struct, frozen=True):
    """Positions from `start`, included, to `end`, excluded."""

    terms: tuple[IndexTerm, ...] = ()
    phrases: tuple[Phrase, ...] = ()
    start: str = "0"
    end: str | None = None


class Hits(Struct, Generic[E], frozen=True):
    """`reached`: where the next page begins; None on the last one. A search that reads too much ends early."""

    entries: list[E]
    reached: str | None


def search(reader: IndexReader, query: Query, limit: int, read: Read[E]) -> Hits[E]:
    """The first `limit` entries, in the order of their positions."""
    candidates = intersection(_walks(reader, query), query.start)
    entries: list[E] = []
    examined, reached = 0, query.start
    while True:
        batch, reached, ended = _next(candidates, reader, query, reached, min(_BATCH, limit + 1 - len(entries)))
        for position, entry in zip(batch, read(batch) if batch else (), strict=True):
            if entry is not None:
                if len(entries) == limit:
                    return Hits(entries, position)
                entries.append(entry)
        examined += len(batch)
        if ended:
            return Hits(entries, None)
        if examined >= MAX_READ or reader.queries >= MAX_QUERIES:
            return Hits(entries, reached)


def _next(
    candidates: Iterator[tuple[str, bool]], reader: IndexReader, query: Query, reached: str, size: int
) -> tuple[list[str], str, bool]:
    """Up to `size` positions, the position reached, and whether the walk has ended."""
    batch: list[str] = []
    for position, agreed in candidates:
        if query.end is not None and position >= query.end:
            return batch, position, True
        reached = position + "0" if agreed else position
        if agreed:
            batch.append(position)
        if len(batch) >= size or reader.queries >= MAX_QUERIES:
            return batch, reached, False
    return batch, reached, True


def _walks(reader: IndexReader, query: Query) -> list[Walk]:
    tokens = {token for phrase in query.phrases for token in phrase.tokens}
    prefixes = {phrase.prefix for phrase in query.phrases if phrase.prefix}
    # The longest words are usually the rarest: they lead, and the others skip to them.
    walks: list[Walk] = [
        *(TermWalk(reader, term) for term in query.terms),
        *(TermWalk(reader, IndexTerm("word", token)) for token in _longest(tokens)),
        *filter(None, (prefix_walk(reader, prefix) for prefix in _longest(prefixes))),
    ]
    return walks or [TermWalk(reader, ALL)]


def _longest(words: set[str]) -> Iterator[str]:
    return islice(sorted(words, key=lambda word: (-len(word), word)), 6)
