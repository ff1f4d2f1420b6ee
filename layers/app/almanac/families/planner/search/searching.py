"""Search: the entries of a shelf that stand under every heading asked for and whose texts hold every term."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Generic, TypeVar

from msgspec import Struct

from almanac.families.planner.search.postings import ALL, Heading
from almanac.families.planner.search.terms import Term
from almanac.families.planner.search.walks import MAX_QUERIES, Lists, ListWalk, Walk, in_all, walk_of_beginning

MAX_READ = 1000
_BATCH = 32
"""With their texts, of 100 kB at most, these stay within what one read of the store may bring."""

E = TypeVar("E")
Read = Callable[[Sequence[str]], Sequence[E | None]]
"""The entries at these positions; None for what does not stand there (any more), or is not what was asked for."""


class Wanted(Struct, frozen=True):
    """Positions from `start`, included, to `end`, excluded."""

    headings: tuple[Heading, ...] = ()
    terms: tuple[Term, ...] = ()
    start: str = "0"
    end: str | None = None


class Found(Struct, Generic[E], frozen=True):
    """`reached`: where to go on; None when nothing is left. A search that has done much ends before it is full."""

    entries: list[E]
    reached: str | None


def search(lists: Lists, wanted: Wanted, limit: int, read: Read[E]) -> Found[E]:
    """The first `limit` entries, in the order of their positions."""
    candidates = in_all(_walks(lists, wanted), wanted.start)
    entries: list[E] = []
    seen, reached = 0, wanted.start
    while True:
        batch, reached, ended = _next(candidates, lists, wanted, reached, min(_BATCH, limit + 1 - len(entries)))
        for position, entry in zip(batch, read(batch) if batch else (), strict=True):
            if entry is not None:
                if len(entries) == limit:
                    return Found(entries, position)
                entries.append(entry)
        seen += len(batch)
        if ended:
            return Found(entries, None)
        if seen >= MAX_READ or lists.queries >= MAX_QUERIES:
            return Found(entries, reached)


def _next(
    candidates: Iterator[tuple[str, bool]], lists: Lists, wanted: Wanted, reached: str, size: int
) -> tuple[list[str], str, bool]:
    """Up to `size` positions, where the walk stands after them, and whether it is over."""
    batch: list[str] = []
    for position, agreed in candidates:
        if wanted.end is not None and position >= wanted.end:
            return batch, position, True
        reached = position + "0" if agreed else position
        if agreed:
            batch.append(position)
        if len(batch) >= size or lists.queries >= MAX_QUERIES:
            return batch, reached, False
    return batch, reached, True


def _walks(lists: Lists, wanted: Wanted) -> list[Walk]:
    pieces = {piece for term in wanted.terms for piece in term.pieces}
    beginnings = {term.beginning for term in wanted.terms if term.beginning}
    # The longest words are the rarest, as a rule: they lead, the others follow in leaps.
    walks: list[Walk] = [
        *(ListWalk(lists, heading) for heading in wanted.headings),
        *(ListWalk(lists, Heading("word", piece)) for piece in _longest(pieces)),
        *filter(None, (walk_of_beginning(lists, beginning) for beginning in _longest(beginnings))),
    ]
    return walks or [ListWalk(lists, ALL)]


def _longest(words: set[str]) -> Iterator[str]:
    return islice(sorted(words, key=lambda word: (-len(word), word)), 6)
