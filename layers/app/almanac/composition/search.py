"""Composition of search over the fresh documents of all families, and an index if there is one."""
# ruff: noqa: PLC0415 - only search and indexing load their parts

from typing import TYPE_CHECKING

from almanac.composition.families import every_source
from almanac.platform.services import Services
from almanac.search.engine.parts import IndexParts
from almanac.search.questions.port import Search

if TYPE_CHECKING:
    from collections.abc import Callable

    from almanac.platform.embedder.port import ContextEmbedder, StaticVectors
    from almanac.search.port import SearchIndex


def open_search(services: Services) -> Search:
    """Open the search with the index parts from `services`."""
    from almanac.search.engine.engine import SearchEngine

    return SearchEngine(services.get(IndexParts), services)


def without_index() -> IndexParts:
    """Return the parts of a search without an index, which finds fresh documents by their words."""
    return index_parts(None, None)


def index_parts(
    index: "SearchIndex | None",
    vectors: "StaticVectors | None",
    model: "Callable[[], ContextEmbedder | None] | None" = None,
) -> IndexParts:
    from almanac.search.engine.lazy_analyzer import Derivers

    derivers = Derivers(vectors)
    return IndexParts(
        index=index, deriver=derivers, sources=every_source(), vectors_of=derivers.vectors_of, model=model
    )
