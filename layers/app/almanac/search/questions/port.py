"""Port by which a family searches. Answers have ids of documents, whose contents the family reads itself."""

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
"""A note of an answer."""
MODEL_SILENT = "The embedding model does not answer, so only words and the table of vectors were compared."
"""The same."""


class SearchRequest(Struct, frozen=True, kw_only=True):
    """`limit` is 1 to 100. `threshold` is the least similarity, 0 to 1, that a hit must have. `around`, up to 6, asks
    for so many neighbours in its session on each side of a hit. `dates` count as if the text named them. `is_read`
    false: no model reads the question, which takes 5 to 25 ms; the static table compares it. `covers` false: the answer
    has no coverage. `reasons` false: where nothing is found, the answer does not say why, which takes several searches
    more. `also` are searched as if they were stored, by ids that nothing else has: a bounded number, as each is derived
    for this search."""

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
    """`similarity` is calibrated: 0 to 1. `whole` is the cosine of the whole text with the question, 0 without vectors.
    `before` and `after` are the ids of its neighbours, in their order. `version` is the one that was found."""

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
    """Explanation of why a search found nothing: `text` gives the reason and the next call to make.

    `best` is the greatest similarity among hits below the threshold. `filters` names those without which there would be
    hits.
    """

    reason: Reason
    text: str
    best: float | None = None
    filters: tuple[str, ...] = ()


class Answer(Struct, frozen=True, kw_only=True):
    """The best first. `cut`: there are more than `limit`. `pending`: so many documents that were just written could not
    be searched, counted up to 1,000. `notes` say what else was not searched, and why. `coverage` is of all hits, also
    of those that a threshold keeps out."""

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
        """Return the same search for the questions of one call: what was written lately is read once for all."""
        ...
