"""Port through which a family searches. Answers contain ids of documents, and the family reads their contents
itself."""

from typing import TYPE_CHECKING, Literal, Protocol

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.search.analysis.dates import NamedDate
from almanac.search.coverage import Coverage
from almanac.search.port import LEGS, Document, Filters, Fusion, Leg, Profile

if TYPE_CHECKING:
    from almanac.search.ranking.explanation import Why

Reason = Literal["nothing_stored", "filters", "threshold", "behind", "nothing_alike"]
MAX_LIMIT = 100
MAX_AROUND = 6
NO_VECTORS = (
    "This server has no embedding model: this answer is from words alone. Ask in the words of what you look for."
    " The operator of `almanac serve` can add it with `almanac embedder install`."
)
"""Note in an answer of a server without an embedding model."""
MODEL_SILENT = "The embedding model does not answer, so only words and the table of vectors were compared."
"""Note in an answer when the embedding model did not respond."""


class SearchRequest(Struct, frozen=True, kw_only=True):
    """Request for a search.

    `limit` is 1 to 100. `threshold`, 0 to 1, is the least similarity of a hit. `around`, up to 6, is the number of
    neighbours to return from the session on each side of a hit. `dates` count as if the text named them.

    If `is_read` is false, no model reads the question, which would take 5 to 25 ms, and the static table compares it.
    If `covers` is false, the answer has no coverage. If `reasons` is false, an empty answer does not explain why, which
    would take several more searches.

    `also` are documents to search as if they were stored. Their ids must be unique, and their number must be bounded,
    because this search derives each of them.
    """

    text: str
    profile: Profile
    filters: Filters = Filters()
    limit: int = 10
    legs: tuple[Leg, ...] = LEGS
    fusion: Fusion = "sum"
    threshold: float | None = None
    around: int = 0
    explain: bool = False
    dates: tuple[NamedDate, ...] = ()
    is_read: bool = True
    covers: bool = True
    reasons: bool = True
    also: tuple[Document, ...] = ()


class Hit(Struct, frozen=True, kw_only=True):
    """A hit of a search.

    `similarity` is calibrated, from 0 to 1. `whole` is the cosine of the whole text with the question, 0 without
    vectors. `before` and `after` are the ids of its neighbours, in their order. `version` is the version that was
    found.
    """

    id: str
    kind: str
    version: int
    score: float
    similarity: float
    whole: float = 0.0
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    why: "Why | None" = None


class Emptiness(Struct, frozen=True, kw_only=True):
    """Explanation of why a search found nothing. `text` gives the reason and the next call to make.

    `best` is the greatest similarity among hits below the threshold. `filters` names each filter whose removal alone
    would give hits.
    """

    reason: Reason
    text: str
    best: float | None = None
    filters: tuple[str, ...] = ()


class Answer(Struct, frozen=True, kw_only=True):
    """Answer of a search, with the best hit first.

    `cut` is true if there are more than `limit` hits. `pending` is the number of recently written documents that could
    not be searched, counted up to 1,000. `notes` name the parts that were not searched, and give the reasons.
    `coverage` also counts hits below the threshold.
    """

    hits: tuple[Hit, ...] = ()
    cut: bool = False
    pending: int = 0
    notes: tuple[str, ...] = ()
    empty: Emptiness | None = None
    coverage: Coverage | None = None


class Search(Protocol):
    def search(self, scope: Scope, request: SearchRequest) -> Answer:
        """Return similar documents, as of the last acknowledged write. If the index does not answer, recent writes are
        searched and a note says so. Raises Unavailable only if the store does not answer."""
        ...

    def once(self) -> "Search":
        """Return the same search for the questions of one call. It reads recent writes only once for all of them."""
        ...
