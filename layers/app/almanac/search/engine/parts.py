"""Collaborators of feed, search and maintenance: an index, the deriver of its entries, and the sources of documents."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from almanac.search.port import Context, Document, Entry, Profile, SearchIndex
from almanac.search.source import Source

if TYPE_CHECKING:
    from almanac.platform.embedder.port import ContextEmbedder
    from almanac.search.analysis.parsed_question import ParsedQuestion


class Derives(Protocol):
    """Makes entries of documents and questions of texts: `Deriver`."""

    def entry(self, document: Document) -> Entry: ...

    def of_words(self, document: Document) -> Entry: ...

    def lacking(self, document: Document) -> int: ...

    def context(self, documents: Sequence[Document], model: "ContextEmbedder") -> list[Context]: ...

    def asked(self, text: str, profile: Profile, model: "ContextEmbedder | None" = None) -> "ParsedQuestion": ...


class IndexParts(Struct, frozen=True, kw_only=True):
    """`index` is None where search is off: then only fresh documents are searched. `deriver` answers the one of now:
    it is another one once the table of vectors is made, whose name `vectors_of` answers, "" until then. `model` is the
    one that reads whole texts, None where there is none, and answers None where it cannot be opened. `sources` are
    those of all families, by kind.
    """

    index: SearchIndex | None
    deriver: Callable[[], Derives]
    sources: Mapping[str, Source]
    vectors_of: Callable[[], str]
    model: "Callable[[], ContextEmbedder | None] | None" = None
