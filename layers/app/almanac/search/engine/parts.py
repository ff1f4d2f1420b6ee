"""Parts that indexing, search and maintenance share: the index, the deriver of its entries, and the sources."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from almanac.search.port import Context, Document, Entry, Profile, SearchIndex
from almanac.search.source import Source

if TYPE_CHECKING:
    from almanac.platform.embedder.port import ContextEmbedder
    from almanac.search.analysis.parsed_question import ParsedQuestion


class Derives(Protocol):
    """Protocol that turns documents into entries and texts into questions. `Deriver` implements it."""

    def entry(self, document: Document) -> Entry: ...

    def of_words(self, document: Document) -> Entry: ...

    def count_missing_rows(self, document: Document) -> int: ...

    def context(self, documents: Sequence[Document], model: "ContextEmbedder") -> list[Context]: ...

    def parse_question(
        self, text: str, profile: Profile, model: "ContextEmbedder | None" = None
    ) -> "ParsedQuestion": ...


class IndexParts(Struct, frozen=True, kw_only=True):
    """The parts of search in a process.

    `index` is None if search has no index. Then it only finds fresh documents. `deriver` returns the current deriver,
    which changes when the table of vectors is ready. `vectors_of` returns the name of that table, "" until then.
    `model` opens the context embedder. It is None if there is none, and returns None if the model cannot be opened.
    `sources` are those of all families, by kind.
    """

    index: SearchIndex | None
    deriver: Callable[[], Derives]
    sources: Mapping[str, Source]
    vectors_of: Callable[[], str]
    model: "Callable[[], ContextEmbedder | None] | None" = None
