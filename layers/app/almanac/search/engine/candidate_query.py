"""The candidates of one search, from fresh documents and the index. The same query can run under other filters."""

from collections.abc import Sequence

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.search.analysis.parsed_question import ParsedQuestion
from almanac.search.coverage import Coverage
from almanac.search.engine.emptiness import NoResults
from almanac.search.engine.fresh import MOST, Fresh
from almanac.search.fields import statistics_of
from almanac.search.frame import Frame
from almanac.search.frames import fold_forms, frame_of, with_fresh
from almanac.search.port import Filters, SearchIndex
from almanac.search.questions.port import SearchRequest
from almanac.search.ranking.coverage import coverage
from almanac.search.ranking.parts import ScoredRows
from almanac.search.ranking.rank import RankedHit, judge, rank_hits

CANDIDATES = 100

NO_INDEX = f"There is no search index here, so only the last {MOST:,} documents written were searched."
LOST_INDEX = (
    f"The search index does not answer, so only the last {MOST:,} documents written were searched. Repeat the call"
    " later."
)
OF_WORDS = (
    "Word vectors are still being computed: {} new texts were compared by words alone. Repeat the call in some seconds."
)


class CandidateQuery:
    """A query for candidates. `notes` tell the caller about problems, such as an index that did not answer."""

    def __init__(
        self, index: SearchIndex | None, scope: Scope, request: SearchRequest, asked: ParsedQuestion, fresh: Fresh
    ) -> None:
        self._index = index
        self._scope = scope
        self._request = request
        self._asked = asked
        self._fresh = fresh
        self.notes = [NO_INDEX] if index is None and fresh.unreached else []
        if fresh.of_words:
            self.notes.append(OF_WORDS.format(fresh.of_words))

    def frame(self, filters: Filters) -> Frame:
        """Return the candidates of the index joined with fresh documents."""
        indexed = self._index_frame(filters)
        joined = with_fresh(indexed, self._fresh.entries, self._fresh.gone, self._asked.index_question, filters)
        return fold_forms(joined, [place for place, _ in self._asked.forms])

    def score_rows(self, frame: Frame, limit: int) -> ScoredRows:
        return judge(self._asked, frame, self._request.profile, limit)

    def rank_hits(self, frame: Frame, scored: ScoredRows, limit: int) -> list[RankedHit]:
        request = self._request
        return rank_hits(
            self._asked,
            frame,
            scored,
            request.profile,
            limit=limit,
            fusion=request.fusion,
            legs=request.legs,
            explain=request.explain,
        )

    def coverage(self, frame: Frame, scored: ScoredRows, ranked: Sequence[RankedHit]) -> Coverage:
        """Return how well the `ranked` documents cover the question."""
        return coverage(self._asked, frame, scored, [one.row for one in ranked])

    def no_results(self, ranked: Sequence[RankedHit]) -> NoResults:
        """Describe a search without hits. All of the `ranked` documents are below the threshold."""
        best = max((one.similarity for one in ranked), default=None)
        return NoResults(best, self._fresh.unreached, self._count_documents, self._finds)

    def _finds(self, filters: Filters) -> bool:
        frame = self.frame(filters)
        return bool(self.rank_hits(frame, self.score_rows(frame, 1), 1))

    def _count_documents(self) -> int:
        """Return the number of stored documents, at least the number of fresh ones."""
        try:
            indexed = self._index.status(self._scope).documents if self._index is not None else 0
        except Unavailable:
            indexed = 0
        return indexed + len(self._fresh.entries)

    def _index_frame(self, filters: Filters) -> Frame:
        request, question = self._request, self._asked.index_question
        if self._index is not None:
            try:
                return self._index.candidates(self._scope, request.profile, question, filters, request.legs, CANDIDATES)
            except Unavailable:
                # Do not call the index again under other filters, because the caller is waiting.
                self._index = None
                self.notes.append(LOST_INDEX)
        none = statistics_of([], question)
        return frame_of([], question, found=(), documents=0, title_statistics=none, text_statistics=none)
