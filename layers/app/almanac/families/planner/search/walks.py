"""Walks along lists of positions, which sort alike in all of them, so that what stands in several is found by leaps."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Protocol

from almanac.families.planner.search.postings import Heading, Shelf, list_partition
from almanac.kernel.caller import Scope
from almanac.platform.store.keys import past, sort_key, sort_prefix
from almanac.platform.store.port import Item, Span, Store

MAX_QUERIES = 128
MAX_WORDS = 16
_KNOWN = 400
_SMALLEST_PAGE, _PAGE, _LARGEST_PAGE = 8, 40, 320


class Lists:
    """The lists of one shelf. `queries` counts what was asked of the store, so that a search can end in time."""

    def __init__(self, store: Store, scope: Scope, shelf: Shelf) -> None:
        self._store = store
        self._scope = scope
        self._dead_letters_of: Shelf = shelf
        self.queries = 0

    def read(self, heading: Heading, start: str, end: str | None, limit: int) -> tuple[Sequence[Item], bool]:
        """Items of a list between two sort keys, and whether others follow."""
        self.queries += 1
        partition = list_partition(self._scope, self._dead_letters_of, heading)
        page = self._store.query(partition, span=Span(start, end), limit=limit)
        return page.items, page.cursor is not None


class Walk(Protocol):
    def seek(self, target: str) -> str | None:
        """The first position at or after `target`, which never goes back; None where there is none."""
        ...


class ListWalk:
    """Along one heading, in pages that grow while most of them is used and shrink where the walk leaps over them."""

    def __init__(self, lists: Lists, heading: Heading) -> None:
        self._lists = lists
        self._heading = heading
        self._end = past(sort_prefix(heading.value))
        self._page: list[str] = []
        self._more = True
        self._size = _PAGE
        self._used = 0

    def seek(self, target: str) -> str | None:
        if self._more and not (self._page and self._page[-1] >= target):
            self._turn(target)
        self._used += 1
        at = bisect_left(self._page, target)
        return self._page[at] if at < len(self._page) else None

    def _turn(self, target: str) -> None:
        if self._page:
            sized = self._size * 2 if self._used * 2 > len(self._page) else self._size // 2
            self._size = min(_LARGEST_PAGE, max(_SMALLEST_PAGE, sized))
        self._used = 0
        items, self._more = self._lists.read(
            self._heading, sort_key(self._heading.value, target), self._end, self._size
        )
        self._page = [_position(item) for item in items]


class KnownWalk:
    """Along positions that have all been read."""

    def __init__(self, positions: Sequence[str]) -> None:
        self._positions = sorted(set(positions))

    def seek(self, target: str) -> str | None:
        at = bisect_left(self._positions, target)
        return self._positions[at] if at < len(self._positions) else None


class AnyWalk:
    """Along several walks as if they were one list."""

    def __init__(self, walks: Sequence[Walk]) -> None:
        self._walks = walks

    def seek(self, target: str) -> str | None:
        return min((found for walk in self._walks if (found := walk.seek(target)) is not None), default=None)


def walk_of_beginning(lists: Lists, beginning: str) -> Walk | None:
    """Along all words that begin so; None where they are so many that the walk would tell little."""
    heading, start = Heading("word", beginning), sort_key(beginning)
    items: Sequence[Item] = ()
    for size in (_PAGE, _KNOWN):
        items, more = lists.read(heading, start, past(start), size)
        if not more:
            return KnownWalk([_position(item) for item in items])
    words = list(dict.fromkeys(_word(item) for item in items))
    while len(words) <= MAX_WORDS:
        items, _ = lists.read(heading, past(sort_prefix(words[-1])) or start, past(start), 1)
        if not items:
            return AnyWalk([ListWalk(lists, Heading("word", word)) for word in words])
        words.append(_word(items[0]))
    return None


def in_all(walks: Sequence[Walk], start: str) -> Iterator[tuple[str, bool]]:
    """Positions from `start` on, each with whether it stands in every walk; the others only tell how far it came."""
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
            target = reached + "0"  # sorts before every other position behind it
            continue
        yield reached, False
        target = reached


def _position(item: Item) -> str:
    return item.key.sort.rpartition("#")[2]


def _word(item: Item) -> str:
    return item.key.sort.partition("#")[0]
