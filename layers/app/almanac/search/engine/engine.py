"""The search engine, which joins fresh documents and the index's candidates into one frame and ranks it.

Fresh documents are read first. If one is deleted meanwhile, the index has it by the time it is queried.
"""

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from msgspec.structs import replace

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.platform.services import Services
from almanac.search.engine.candidate_query import CandidateQuery
from almanac.search.engine.emptiness import explain_emptiness
from almanac.search.engine.fresh import Fresh, FreshLeg, with_others
from almanac.search.engine.parts import Derives, IndexParts
from almanac.search.frame import Frame
from almanac.search.port import Profile
from almanac.search.questions.port import (
    MAX_AROUND,
    MAX_LIMIT,
    MODEL_SILENT,
    NO_VECTORS,
    Answer,
    Hit,
    SearchRequest,
)
from almanac.search.ranking.rank import RankedHit

if TYPE_CHECKING:
    from almanac.platform.embedder.port import ContextEmbedder
    from almanac.search.analysis.parsed_question import ParsedQuestion


WORTH_READING = 0.05
"""Smallest share of documents with context vectors. Below it, the model's reading of a question is not used."""


class SearchEngine:
    """Searches every project of an installation. One object serves all threads."""

    def __init__(self, indexing: IndexParts, services: Services, *, fresh: FreshLeg | None = None) -> None:
        self._indexing = indexing
        self._services = services
        self._fresh = fresh or FreshLeg(indexing, services)
        self._questions = QuestionCache()

    def once(self) -> "SearchEngine":
        """See `Search`."""
        return SearchEngine(self._indexing, self._services, fresh=self._fresh.once())

    def search(self, scope: Scope, request: SearchRequest) -> Answer:
        """See `Search`."""
        model = self._model(scope, request.profile) if request.is_read else None
        deriver = self._indexing.deriver()
        parsed, notes = self._parse_question(deriver, request, model)
        fresh = self._fresh.read(deriver, scope, request.profile, request.filters.kinds)
        fresh = with_others(fresh, deriver, request.also)
        query = CandidateQuery(self._indexing.index, scope, request, parsed, fresh)
        limit = max(1, min(request.limit, MAX_LIMIT))
        frame = query.frame(request.filters)
        scored = query.score_rows(frame, limit + 1)
        ranked = self._current(scope, fresh, frame, query.rank_hits(frame, scored, limit + 1))
        alike = [one for one in ranked if one.similarity >= (request.threshold or 0.0)]
        return Answer(
            hits=tuple(_hit(frame, one, request.around) for one in alike[:limit]),
            cut=len(alike) > limit,
            pending=fresh.unreached,
            notes=(*query.notes, *notes),
            empty=explain_emptiness(query.no_results(ranked), request) if request.reasons and not alike else None,
            coverage=query.coverage(frame, scored, ranked) if request.covers else None,
        )

    def _parse_question(
        self, deriver: Derives, request: SearchRequest, model: "ContextEmbedder | None"
    ) -> "tuple[ParsedQuestion, list[str]]":
        """Parse the question. Return it with notes for the caller about missing vectors or a silent model."""
        notes = [] if self._indexing.vectors_of() else [NO_VECTORS]
        try:
            parsed = self._questions.parse(deriver, request.text, request.profile, model)
        except Unavailable:
            parsed = self._questions.parse(deriver, request.text, request.profile, None)
            notes.append(MODEL_SILENT)
        return replace(parsed, dates=(*parsed.dates, *request.dates)), notes

    def _model(self, scope: Scope, profile: Profile) -> "ContextEmbedder | None":
        """Return the model that embeds the question. None if too few documents have context vectors to compare with.

        Embedding the question takes a third of a search.
        """
        index, model = self._indexing.index, self._indexing.model
        # Only documents with vectors have a context.
        if index is None or model is None or not self._indexing.vectors_of():
            return None
        try:
            is_worth_it = index.enriched_share(scope, profile) >= WORTH_READING
        except Unavailable:
            return None  # the search itself will say so
        return model() if is_worth_it else None

    def _current(self, scope: Scope, fresh: Fresh, frame: Frame, ranked: Sequence[RankedHit]) -> Sequence[RankedHit]:
        """Drop hits on outdated fresh documents, whose event failed and which have changed since."""
        if self._indexing.index is None or not fresh.old:
            return ranked
        found = {one.id: frame.versions[one.row] for one in ranked}
        doubtful = [each for each in fresh.entries if each.id in fresh.old and found.get(each.id) == each.version]
        superseded = self._fresh.superseded_ids(scope, doubtful) if doubtful else set[str]()
        return [one for one in ranked if one.id not in superseded]


def _hit(frame: Frame, one: RankedHit, around: int) -> Hit:
    before, after = neighbours(frame, one.row, min(around, MAX_AROUND))
    return Hit(
        id=one.id,
        kind=one.kind,
        version=frame.versions[one.row],
        score=one.score,
        similarity=one.similarity,
        whole=one.whole,
        before=before,
        after=after,
        why=one.why,
    )


def neighbours(frame: Frame, row: int, most: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids of up to `most` documents before and after a row in its session, in their order."""
    sides = ([*range(row - 1, -1, -1)], [*range(row + 1, len(frame.ids))])
    before, after = ([each for each in side[:most] if frame.session[each] == frame.session[row]] for side in sides)
    return tuple(frame.ids[each] for each in reversed(before)), tuple(frame.ids[each] for each in after)


REMEMBERED = 32

_Key = tuple[str, bool, int]


class QuestionCache:
    """Cache of parsed questions for all threads. A new deriver clears it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._asked: OrderedDict[_Key, ParsedQuestion] = OrderedDict()
        self._deriver: Derives | None = None

    def parse(self, deriver: Derives, text: str, profile: Profile, model: "ContextEmbedder | None") -> "ParsedQuestion":
        # Questions for talk and documents are parsed in the same way, those for code are not.
        key = (text, profile == "code", id(model))
        with self._lock:
            if deriver is not self._deriver:
                self._asked.clear()
                self._deriver = deriver
            known = self._asked.get(key)
        if known is None:
            known = deriver.parse_question(text, profile, model)
            self._keep(deriver, key, known)
        return known if known.profile == profile else replace(known, profile=profile)

    def _keep(self, deriver: Derives, key: _Key, parsed: "ParsedQuestion") -> None:
        with self._lock:
            if deriver is self._deriver:
                self._asked[key] = parsed
                if len(self._asked) > REMEMBERED:
                    self._asked.popitem(last=False)
