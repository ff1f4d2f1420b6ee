"""Semantic search: the most similar documents, read from the store."""

from collections.abc import Callable, Sequence
from typing import Generic, Literal, TypeVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from almanac.content import clean
from almanac.families.planner.core.documents import Document, DocumentText
from almanac.families.planner.search.documents import Documents
from almanac.families.planner.search.text import MAX_QUERY_CHARACTERS, excerpt_of, phrases_of
from almanac.kernel.errors import InvalidInput
from almanac.search.port import Filters
from almanac.search.questions.port import Answer, Search, SearchRequest

Mode = Literal["words", "meaning"]

D = TypeVar("D", bound=Document)
X = TypeVar("X", bound=DocumentText)


class SimilarItem(Struct, Generic[D], frozen=True):
    """A document, an excerpt around the words of the query, and its similarity, 0 to 1."""

    document: D
    excerpt: str
    similarity: float


class SimilarItemPage(Struct, Generic[D], frozen=True):
    """Documents, the best first, on a single page. `cut`: there are others."""

    items: Sequence[SimilarItem[D]]
    cut: bool
    report: "SearchReport"


class SearchReport(Struct, frozen=True, rename="camel", omit_defaults=True):
    """Report on a search. `pending`: documents just written that could not be searched. `notes`: what else was not, or
    how a search by words went on without an index. `empty_because`: why there is nothing, and what to do."""

    pending: int
    notes: list[str] | UnsetType = UNSET
    empty_because: str | UnsetType = UNSET


def find_similar(
    documents: Documents[D, X], search: Search, q: str, filters: Filters, limit: int, keep: Callable[[D], bool]
) -> SimilarItemPage[D]:
    """Return the documents most similar to `q` that `keep` accepts, at most `limit`. Raises InvalidInput for a blank or
    too long `q`."""
    text = _check_query(q)
    request = SearchRequest(text=text, profile="documents", filters=filters, limit=limit)
    answer = search.search(documents.planner.scope, request)
    found = documents.rows.by_id(hit.id for hit in answer.hits)
    bodies = documents.texts.by_id(found)
    phrases = phrases_of(text)
    rows = [
        SimilarItem(found[hit.id], excerpt_of(bodies[hit.id].body if hit.id in bodies else "", phrases), hit.similarity)
        for hit in answer.hits
        if hit.id in found and keep(found[hit.id])
    ]
    return SimilarItemPage(rows, answer.cut, _report(answer, is_empty=not rows))


def report_of(notes: Sequence[str]) -> SearchReport | UnsetType:
    """Return the report of a search by words; UNSET if the index answered it."""
    return SearchReport(pending=0, notes=list(notes)) if notes else UNSET


def refuse_cursor(cursor: str | None) -> None:
    """Raise InvalidInput for a cursor, since a search by meaning has one page only."""
    if cursor:
        raise InvalidInput(
            "Search by meaning has no next page.", "Raise limit, up to 100, or narrow the question.", path="cursor"
        )


def _check_query(q: str) -> str:
    text = clean(q).text.strip()
    if not text:
        raise InvalidInput("Search by meaning needs a question.", 'Say it in q, or use mode "words".', path="q")
    if len(text) > MAX_QUERY_CHARACTERS:
        raise InvalidInput(
            f"The question has {len(text)} characters, over {MAX_QUERY_CHARACTERS}.", "Ask it in fewer words.", path="q"
        )
    return text


def _report(answer: Answer, *, is_empty: bool) -> SearchReport:
    report = SearchReport(pending=answer.pending, notes=list(answer.notes) or UNSET)
    if not is_empty:
        return report
    because = answer.empty.text if answer.empty is not None else "What was alike has just been deleted."
    return replace(report, empty_because=because)
