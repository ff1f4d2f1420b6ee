"""Search of a project's memory: choose the lists to query, and merge their hits into one answer."""

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory
from almanac.families.memory.memories.time_travel import request_as_of
from almanac.families.memory.search.answer_support import supported
from almanac.families.memory.search.contents import Content, Contents
from almanac.families.memory.search.emptiness import (
    NO_SUMMARIES,
    NONE_HOLDS,
    first_reason,
    has_summaries,
    why_empty,
)
from almanac.families.memory.search.filters import HitFilters, filters_of, held_when
from almanac.families.memory.search.hit_builder import CHARACTERS, MemoryHitBuilder, SalienceOf
from almanac.families.memory.search.kinds import SUMMARIES, Included, Mode, included_sources, kinds_of
from almanac.families.memory.search.last_talk import LastTalk
from almanac.families.memory.search.ranking import (
    READ,
    in_order,
    merged,
    near_statements,
    telling_first,
    with_later_words,
    with_near_statements,
    with_summaries,
)
from almanac.families.memory.search.results import Hits
from almanac.families.memory.search.rounds import COVERING, Match, MatchPage, find
from almanac.families.memory.statements.sentences import every_sentence
from almanac.platform.declaration.known_facts import FACT, KnownFact
from almanac.platform.services import Services
from almanac.search.analysis.dates import NamedDate
from almanac.search.coverage import Coverage, better_of
from almanac.search.engine.parts import IndexParts
from almanac.search.port import Document, Filters, Fusion, Profile
from almanac.search.questions.port import Search, SearchRequest
from almanac.search.source import Source

_TALK = ("turn", "pinned", "semantic", "working")
_KEPT = ("pinned", "semantic")
_THIN = 0.23
"""Least cosine with the question at which a statement that shares no rare word with it may still answer it."""


class MemoryQuery(Struct, frozen=True, kw_only=True):
    """A memory search for the `k` hits most similar to `text`, among the kinds of `mode` and `include`.

    `narrowing` restricts the hits. `dates` are days that the text names relative to today."""

    text: str
    k: int
    mode: Mode
    narrowing: HitFilters
    include: Sequence[Included] = ()
    around: int = 0
    threshold: float | None = None
    fusion: Fusion = "sum"
    explain: bool = False
    dates: tuple[NamedDate, ...] = ()


class _SearchPlan(Struct, frozen=True, kw_only=True):
    """The lists to query. `summaries` and `others` are the kinds of documents to search beside talk, `code` the kinds
    of code.

    Facts have a list of their own, because most of the facts similar to the question may have ended."""

    talk: bool
    summaries: tuple[str, ...]
    others: tuple[str, ...]
    code: tuple[str, ...]
    facts: bool


class _Lists(Struct, frozen=True, kw_only=True):
    """The matches of each list, best first; None for a list that was not searched."""

    talk: MatchPage | None
    documents: MatchPage | None
    code: MatchPage | None
    facts: MatchPage | None
    shared: MatchPage | None

    @property
    def answered(self) -> list[MatchPage]:
        every = (self.talk, self.documents, self.code, self.facts, self.shared)
        return [each for each in every if each is not None]

    @property
    def pending(self) -> int:
        own = [each.pending for each in self.answered if each is not self.shared]
        return max(own, default=0) + (self.shared.pending if self.shared else 0)

    @property
    def coverage(self) -> Coverage | None:
        """Return how well the first searched list covers the query, or the shared memory if that covers it better.

        None if nothing was searched."""
        first = self.answered[0].coverage if self.answered else None
        return better_of(first, self.shared.coverage if self.shared and self.shared.matches else None)


class MemorySearch:
    """Searches the memory of one project for one call. `sources` are the installation's sources by kind."""

    def __init__(
        self,
        project: MemoryProject,
        search: Search,
        services: Services,
        sources: Mapping[str, Source],
        salience_of: SalienceOf,
    ) -> None:
        self._project = project
        self._search = search
        self._services = services
        self._sources = sources
        self._salience_of = salience_of

    def hits(self, wanted: MemoryQuery) -> Hits:
        """Return the best hits. Raises InvalidInput if the filters are contradictory or not supported."""
        filters = filters_of(wanted.narrowing)
        sources, missing = included_sources(wanted.include, self._sources)
        narrowing, now = wanted.narrowing, self._project.now()
        contents = Contents(self._project, self._services, self._sources, narrowing.as_of, held_when(narrowing, now))
        asked = self._asked(wanted, filters, sources)
        found = self._found(wanted, filters, asked, contents)
        matches, cut, coverage = _answered(wanted, found, LastTalk(self._project, wanted.narrowing))
        none = "" if matches else self._why_empty(wanted, sources, found)
        notes = [f"{name}: this installation has none to search." for name in missing] if wanted.include else []
        notes += [note for each in found.answered for note in each.notes]
        notes += contents.notes
        hits = MemoryHitBuilder(contents, self._salience_of).hits(matches)
        return Hits(
            hits=hits,
            truncated=cut,
            pending=found.pending,
            coverage=coverage,
            empty_because=none or None,
            notes=tuple(dict.fromkeys(notes)),
        )

    def _asked(self, wanted: MemoryQuery, filters: Filters, sources: Sequence[Source]) -> _SearchPlan:
        documents = tuple(each.kind for each in sources if each.profile == "documents" and each.kind != FACT)
        kinds = _allowed(SUMMARIES, filters)
        is_summaries = wanted.mode == "summaries" or (wanted.mode == "auto" and not wanted.narrowing.is_of_turns)
        return _SearchPlan(
            talk=wanted.mode in ("auto", "chunks") and bool(_allowed(_TALK, filters)),
            summaries=kinds if is_summaries and has_summaries(self._project) else (),
            others=documents if not filters.kinds else (),
            code=kinds_of([each for each in sources if each.profile == "code"]) if not filters.kinds else (),
            facts=FACT in kinds_of(sources) and not filters.kinds,
        )

    def _found(self, wanted: MemoryQuery, filters: Filters, asked: _SearchPlan, contents: Contents) -> _Lists:
        ask = partial(self._of_profile, wanted, self._project, contents)
        documents = asked.summaries + asked.others
        return _Lists(
            talk=ask("talk", filters) if asked.talk else None,
            documents=ask("documents", replace(filters, kinds=documents)) if documents else None,
            code=ask("code", replace(filters, kinds=asked.code)) if asked.code else None,
            # since and until limit the time in which a fact holds, not the time at which it was recorded.
            facts=ask("documents", replace(filters, kinds=(FACT,), since=None, until=None)) if asked.facts else None,
            shared=self._of_shared(wanted, filters) if asked.talk else None,
        )

    def _of_shared(self, wanted: MemoryQuery, filters: Filters) -> MatchPage | None:
        """Return the matches in the memory that the tenant's projects share; None if the query excludes that memory.

        The shared memory has no turns."""
        kinds = _allowed(_KEPT, filters)
        if not kinds or wanted.narrowing.is_of_turns:
            return None
        for shared in self._project.searched_projects[1:]:
            contents = Contents(shared, self._services, self._sources, wanted.narrowing.as_of)
            found = self._of_profile(wanted, shared, contents, "talk", replace(filters, kinds=kinds))
            matches = [replace(match, shared=True) for match in found.matches]
            return replace(found, matches=matches, notes=(*found.notes, *contents.notes))
        return None

    def _of_profile(
        self, wanted: MemoryQuery, project: MemoryProject, contents: Contents, profile: Profile, filters: Filters
    ) -> MatchPage:
        request = SearchRequest(
            text=wanted.text,
            profile=profile,
            filters=filters,
            # Near statements, and later turns that replace a hit, may lie behind the first k hits.
            limit=max(wanted.k, READ) if profile == "talk" else wanted.k,
            fusion=wanted.fusion,
            threshold=wanted.threshold,
            around=wanted.around if profile == "talk" else 0,
            explain=wanted.explain,
            dates=wanted.dates if profile == "talk" else (),
        )
        as_of = wanted.narrowing.as_of
        if as_of is not None and profile == "talk":
            index = self._services.get(IndexParts).index
            request = request_as_of(request, as_of, contents.past, project, index)
        elif as_of is not None and profile == "documents":
            then = contents.documents_then(filters.kinds)
            now = frozenset(each.id.rpartition("@")[0] for each in then)
            request = replace(request, also=then, filters=replace(filters, except_ids=filters.except_ids | now))
        if profile == "documents":
            request = replace(request, also=(*request.also, *contents.unindexed(filters.kinds)))
        return find(
            self._search,
            project.scope,
            request,
            contents.of,
            passes_many=as_of is not None or FACT in filters.kinds,
        )

    def _why_empty(self, wanted: MemoryQuery, sources: Sequence[Source], found: _Lists) -> str:
        answered = found.answered
        if wanted.mode in ("code", "skills") and not sources:
            return f"This installation has no {wanted.mode} to search. Use mode auto, which searches what was recorded."
        if not answered and wanted.mode == "summaries" and not has_summaries(self._project):
            return NO_SUMMARIES
        if not answered:
            return "filters.kind names nothing of this mode. Repeat the call without it, or with mode auto."
        if answered[-1].passed_over and FACT in kinds_of(sources) and not any(one.passed_over for one in answered[:-1]):
            return NONE_HOLDS
        passed_over = any(each.passed_over for each in answered)
        empty = first_reason(each.empty for each in (answered[0], found.shared) if each is not None)
        return why_empty(self._project, wanted.mode, wanted.narrowing, empty, passed_over=passed_over)


def _answered(wanted: MemoryQuery, found: _Lists, last: LastTalk) -> tuple[list[Match], bool, Coverage | None]:
    """Return the hits of the answer, whether there are more, and how well they cover the question.

    If they do not cover it, two statements that are near to the question as wholes join the first five hits."""
    matches, cut = _joined(wanted, found, last)
    coverage = _supported(found.coverage, wanted, matches)
    if coverage is None or coverage.verdict == "covered" or found.talk is None:
        return matches, cut, coverage
    near = near_statements(found.talk.matches[:READ], last.holds)
    if coverage.verdict == "not_covered" and any(each.hit.whole >= _THIN for each in near):
        coverage = replace(coverage, verdict="thin")
    return _joined(wanted, found, last, is_covered=False)[0], cut, coverage


def _supported(coverage: Coverage | None, wanted: MemoryQuery, matches: Sequence[Match]) -> Coverage | None:
    """Return the coverage, lowered to thin unless one of the first five hits has the value that the question seeks."""
    texts = [text for match in matches if (text := _said(match.content)[:CHARACTERS])]
    if wanted.mode == "code" or not texts:
        return coverage
    quoted = [(sentence, "") for text in texts[:COVERING] for sentence in every_sentence(text)]
    return supported(coverage, wanted.text, quoted, texts)


def _said(content: Content) -> str:
    if isinstance(content, Document):
        return content.text
    return content.sentence if isinstance(content, KnownFact) else content.content


def _allowed(kinds: tuple[str, ...], filters: Filters) -> tuple[str, ...]:
    return tuple(each for each in kinds if not filters.kinds or each in filters.kinds)


def _joined(wanted: MemoryQuery, found: _Lists, last: LastTalk, *, is_covered: bool = True) -> tuple[list[Match], bool]:
    """Return the hits of the answer, and whether there are more. Unless `is_covered`, near statements are added."""
    every = (found.talk, found.documents, found.code, found.facts, found.shared)
    talk, documents, code, facts, shared = (each or MatchPage() for each in every)
    summaries: list[Match] = []
    others: list[Match] = []
    for match in documents.matches:
        is_summary = wanted.mode == "auto" and isinstance(match.content, Memory)
        (summaries if is_summary else others).append(match)
    lists = [
        each
        for each in (telling_first(talk.matches, wanted.text), others, code.matches, facts.matches, shared.matches)
        if each
    ]
    best = with_summaries(merged(lists), summaries, wanted.k)[: wanted.k]
    joined = with_later_words(best, talk.matches, last.next_of)
    if not is_covered:
        joined = with_near_statements(joined, talk.matches[:READ], last.holds)
    cut = any(each.more for each in found.answered) or sum(map(len, (*lists, summaries))) > wanted.k
    return in_order(joined[: wanted.k], by_similarity=len(lists) > 1 or _leads(joined, lists)), cut


def _leads(joined: Sequence[Match], lists: Sequence[Sequence[Match]]) -> bool:
    """Return whether a summary comes first, before the first match of every list."""
    return bool(lists) and joined[0] not in [each[0] for each in lists]
