"""Exact-word search. It returns all matching documents in order, as of the last acknowledged write.

Results may contain documents that no longer match, or that match only a part of a prefix. Callers must compare the
texts.
"""

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import chain, islice

from msgspec import Struct
from msgspec.structs import replace

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.platform.services import Services
from almanac.search.engine.fresh import FreshLeg
from almanac.search.engine.parts import IndexParts
from almanac.search.port import Document, Lookup, Place, Profile, SearchIndex

NO_INDEX = "There is no search index here."
NOT_WHOLE = "The search index is not complete yet."
LOST_INDEX = "The search index does not answer."
BEHIND = "The search index is far behind what is written."


class IndexUnavailable(Exception):
    """Raised when only reading every document would answer. The message explains why, for the caller of a tool."""


class LatestHits(Struct, frozen=True):
    """Documents of a lookup. `is_whole` is true if the index answered and is complete."""

    documents: Sequence[Document]
    is_whole: bool


class ExactSearch:
    """Searches by exact words. The first search opens the index. One object serves all threads."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def places(self, scope: Scope, profile: Profile, lookup: Lookup) -> Iterator[Place]:
        """Yield the places of `lookup`, and those that follow, page by page.

        Raises IndexUnavailable, and Unavailable if the index fails between two pages.
        """
        indexing = self._services.get(IndexParts)
        index = indexing.index
        if index is None:
            raise IndexUnavailable(NO_INDEX)
        # Fresh documents are read first. If one is deleted meanwhile, the index has it by the time it is queried.
        fresh, unreached = FreshLeg(indexing, self._services).find_places(scope, profile, lookup)
        if unreached:
            raise IndexUnavailable(BEHIND)
        try:
            first = index.find_places(scope, profile, lookup)
        except Unavailable as unavailable:
            raise IndexUnavailable(LOST_INDEX) from unavailable
        if first is None:
            raise IndexUnavailable(NOT_WHOLE)
        indexed = chain(first, _remaining_places(index, scope, profile, lookup, first))
        return _each_once(merge(fresh, indexed, key=lookup.sort_key, reverse=True), lookup)

    def latest(self, scope: Scope, profile: Profile, lookup: Lookup) -> LatestHits:
        """Return the documents of the first page of `lookup`, which must name their kinds. If the index does not
        answer, return only recently written documents."""
        indexing = self._services.get(IndexParts)
        fresh, _ = FreshLeg(indexing, self._services).find_places(scope, profile, lookup)
        indexed = None if indexing.index is None else _first_page(indexing.index, scope, profile, lookup)
        places = _each_once(merge(fresh, indexed or (), key=lookup.sort_key, reverse=True), lookup)
        ids = list(dict.fromkeys(place.id for place in islice(places, lookup.size)))
        documents = [one for kind in lookup.filters.kinds for one in self.read(scope, kind, ids)]
        return LatestHits(documents, is_whole=indexed is not None)

    def read(self, scope: Scope, kind: str, ids: Sequence[str]) -> Sequence[Document]:
        """Return the documents of a kind that exist, as they are stored now, for up to 100 ids."""
        source = self._services.get(IndexParts).sources.get(kind) if ids else None
        return source.read(self._services, scope, ids) if source is not None else ()


def _first_page(index: SearchIndex, scope: Scope, profile: Profile, lookup: Lookup) -> Sequence[Place] | None:
    """Return the first page of matching places; None if the index is lost or not complete yet."""
    try:
        return index.find_places(scope, profile, lookup)
    except Unavailable:
        return None


def _remaining_places(
    index: SearchIndex, scope: Scope, profile: Profile, lookup: Lookup, page: Sequence[Place]
) -> Iterator[Place]:
    while len(page) >= lookup.size:
        lookup = replace(lookup, after=page[-1])
        found = index.find_places(scope, profile, lookup)
        if found is None:
            raise Unavailable("The search index has just been replaced.", "Repeat the call in a moment.")
        yield from (page := found)


def _each_once(places: Iterator[Place], lookup: Lookup) -> Iterator[Place]:
    """Yield one place for each group of places with the same sort key.

    The index may have an earlier version of a fresh document, with another time. By id both have the same key. By time
    they differ, and the caller sees which one is outdated.
    """
    last = None
    for place in places:
        if lookup.sort_key(place) != last:
            yield place
        last = lookup.sort_key(place)
