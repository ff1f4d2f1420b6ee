"""Search of a project's memory: choose the lists to query, and merge their hits into one answer."""

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory, Turn
from almanac.families.memory.memories.time_travel import request_as_of
from almanac.families.memory.search.answer_support import Quotation, lower_if_unanswered
from almanac.families.memory.search.contents import Content, Contents
from almanac.families.memory.search.emptiness import (
    NO_SUMMARIES,
    NONE_HOLDS,
    explain_no_results,
    first_reason,
    has_summaries,
)
from almanac.families.memory.search.filters import HitFilters, filters_of, holding_span
from almanac.families.memory.search.hit_builder import CHARACTERS, MemoryHitBuilder, SalienceOf
from almanac.families.memory.search.kinds import SUMMARIES, Included, Mode, kinds_of, resolve_sources
from almanac.families.memory.search.last_talk import LastTalk
from almanac.families.memory.search.ranking import (
    READ,
    in_likely_order,
    makes_statement,
    merge,
    with_falling_scores,
    with_replacements,
    with_summaries,
)
from almanac.families.memory.search.results import Hits
from almanac.families.memory.search.rounds import COVERING, Match, MatchPage, find
from almanac.families.memory.search.sought_rules import rule_judge
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
_NEAR_AS_RULE = 0.05
"""Nearness that is added for this to a statement that is a rule of the form that the question seeks."""


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
    """The lists to query. `summaries`, `others` and `code` have the kinds of documents to search in addition to talk.

    Facts have a list of their own, because most of the facts similar to the question may have ended."""

    talk: bool
    summaries: tuple[str, ...]
    others: tuple[str, ...]
    code: tuple[str, ...]
    facts: bool


class _Lists(Struct, frozen=True, kw_only=True):
    """The matches of each list, best first. A list that was not searched is None."""

    talk: MatchPage | None
    documents: MatchPage | None
    code: MatchPage | None
    facts: MatchPage | None
    shared: MatchPage | None

    @property
    def pages(self) -> list[MatchPage]:
        every = (self.talk, self.documents, self.code, self.facts, self.shared)
        return [each for each in every if each is not None]

    @property
    def pending_count(self) -> int:
        own = [each.pending for each in self.pages if each is not self.shared]
        return max(own, default=0) + (self.shared.pending if self.shared else 0)

    @property
    def coverage(self) -> Coverage | None:
        """Return the coverage by the first searched list, or by the shared memory if that covers the query better.

        Returns None if nothing was searched."""
        first = self.pages[0].coverage if self.pages else None
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

    def hits(self, query: MemoryQuery) -> Hits:
        """Return the best hits. Raises InvalidInput if the filters are contradictory or not supported."""
        filters = filters_of(query.narrowing)
        sources, missing = resolve_sources(query.include, self._sources)
        narrowing, now = query.narrowing, self._project.now()
        contents = Contents(self._project, self._services, self._sources, narrowing.as_of, holding_span(narrowing, now))
        plan = self._plan(query, filters, sources)
        lists = self._query_lists(query, filters, plan, contents)
        matches, cut, coverage = _choose_matches(query, lists, LastTalk(self._project, query.narrowing))
        explanation = "" if matches else self._explain_no_results(query, sources, lists)
        notes = [f"{name}: this installation has none to search." for name in missing] if query.include else []
        notes += [note for each in lists.pages for note in each.notes]
        notes += contents.notes
        hits = MemoryHitBuilder(contents, self._salience_of).hits(matches)
        return Hits(
            hits=hits,
            truncated=cut,
            pending=lists.pending_count,
            coverage=coverage,
            empty_because=explanation or None,
            notes=tuple(dict.fromkeys(notes)),
        )

    def _plan(self, query: MemoryQuery, filters: Filters, sources: Sequence[Source]) -> _SearchPlan:
        documents = tuple(each.kind for each in sources if each.profile == "documents" and each.kind != FACT)
        kinds = _allowed_kinds(SUMMARIES, filters)
        is_summaries = query.mode == "summaries" or (query.mode == "auto" and not query.narrowing.is_of_turns)
        return _SearchPlan(
            talk=query.mode in ("auto", "chunks") and bool(_allowed_kinds(_TALK, filters)),
            summaries=kinds if is_summaries and has_summaries(self._project) else (),
            others=documents if not filters.kinds else (),
            code=kinds_of([each for each in sources if each.profile == "code"]) if not filters.kinds else (),
            facts=FACT in kinds_of(sources) and not filters.kinds,
        )

    def _query_lists(self, query: MemoryQuery, filters: Filters, plan: _SearchPlan, contents: Contents) -> _Lists:
        ask = partial(self._search_profile, query, self._project, contents)
        documents = plan.summaries + plan.others
        return _Lists(
            talk=ask("talk", filters) if plan.talk else None,
            documents=ask("documents", replace(filters, kinds=documents)) if documents else None,
            code=ask("code", replace(filters, kinds=plan.code)) if plan.code else None,
            # since and until limit the time in which a fact holds, not the time at which it was recorded.
            facts=ask("documents", replace(filters, kinds=(FACT,), since=None, until=None)) if plan.facts else None,
            shared=self._search_shared(query, filters) if plan.talk else None,
        )

    def _search_shared(self, query: MemoryQuery, filters: Filters) -> MatchPage | None:
        """Return the matches in the memory that the tenant's projects share; None if the query excludes that memory.

        The shared memory has no turns."""
        kinds = _allowed_kinds(_KEPT, filters)
        if not kinds or query.narrowing.is_of_turns:
            return None
        for shared in self._project.searched_projects[1:]:
            contents = Contents(shared, self._services, self._sources, query.narrowing.as_of)
            page = self._search_profile(query, shared, contents, "talk", replace(filters, kinds=kinds))
            matches = [replace(match, shared=True) for match in page.matches]
            return replace(page, matches=matches, notes=(*page.notes, *contents.notes))
        return None

    def _search_profile(
        self, query: MemoryQuery, project: MemoryProject, contents: Contents, profile: Profile, filters: Filters
    ) -> MatchPage:
        request = SearchRequest(
            text=query.text,
            profile=profile,
            filters=filters,
            # Near statements, and later turns that replace a hit, may lie behind the first k hits.
            limit=max(query.k, READ) if profile == "talk" else query.k,
            fusion=query.fusion,
            threshold=query.threshold,
            around=query.around if profile == "talk" else 0,
            explain=query.explain,
            dates=query.dates if profile == "talk" else (),
        )
        as_of = query.narrowing.as_of
        if as_of is not None and profile == "talk":
            index = self._services.get(IndexParts).index
            request = request_as_of(request, as_of, contents.past, project, index)
        elif as_of is not None and profile == "documents":
            then = contents.documents_as_of(filters.kinds)
            now = frozenset(each.id.rpartition("@")[0] for each in then)
            request = replace(request, also=then, filters=replace(filters, except_ids=filters.except_ids | now))
        if profile == "documents":
            request = replace(request, also=(*request.also, *contents.documents_outside_index(filters.kinds)))
        return find(
            self._search,
            project.scope,
            request,
            contents.read,
            drops_many=as_of is not None or FACT in filters.kinds,
        )

    def _explain_no_results(self, query: MemoryQuery, sources: Sequence[Source], lists: _Lists) -> str:
        pages = lists.pages
        if query.mode in ("code", "skills") and not sources:
            return f"This installation has no {query.mode} to search. Use mode auto, which searches what was recorded."
        if not pages and query.mode == "summaries" and not has_summaries(self._project):
            return NO_SUMMARIES
        if not pages:
            return "filters.kind names nothing of this mode. Repeat the call without it, or with mode auto."
        if pages[-1].all_hidden and FACT in kinds_of(sources) and not any(page.all_hidden for page in pages[:-1]):
            return NONE_HOLDS
        all_hidden = any(each.all_hidden for each in pages)
        empty = first_reason(each.empty for each in (pages[0], lists.shared) if each is not None)
        return explain_no_results(self._project, query.mode, query.narrowing, empty, all_hidden=all_hidden)


def _choose_matches(
    query: MemoryQuery, lists: _Lists, last_talk: LastTalk
) -> tuple[list[Match], bool, Coverage | None]:
    """Return the hits of the answer, whether there are more, and their coverage of the question."""
    matches, cut = _join_lists(query, lists, last_talk)
    coverage = _check_support(lists.coverage, query, matches)
    if (
        coverage is not None
        and coverage.verdict == "not_covered"
        and lists.talk is not None
        and any(_may_answer(query.text, match) for match in lists.talk.matches[:READ])
    ):
        coverage = replace(coverage, verdict="thin")
    return matches, cut, coverage


def _may_answer(question: str, match: Match) -> bool:
    """Return whether a hit states something, and is near enough to the question as a whole to be an answer."""
    probability_of_rule = rule_judge(question)
    rule = probability_of_rule(_text_of(match.content)) if probability_of_rule is not None else 0.0
    return match.hit.whole + _NEAR_AS_RULE * rule >= _THIN and makes_statement(match)


def _check_support(coverage: Coverage | None, query: MemoryQuery, matches: Sequence[Match]) -> Coverage | None:
    """Return the coverage, lowered to thin unless one of the first five hits has the value that the question seeks."""
    found = [(match.content, text) for match in matches if (text := _text_of(match.content)[:CHARACTERS])]
    if query.mode == "code" or not found:
        return coverage
    quotes = (
        Quotation(sentence, "", f"{_names_beside(content)} {text}")
        for content, text in found[:COVERING]
        for sentence in every_sentence(text)
    )
    return lower_if_unanswered(coverage, query.text, quotes, [text for _, text in found])


def _names_beside(content: Content) -> str:
    """Return the title of a document or the speaker of a turn, which may name what the text does not."""
    if isinstance(content, Document):
        return content.title
    return content.speaker or "" if isinstance(content, Turn) else ""


def _text_of(content: Content) -> str:
    if isinstance(content, Document):
        return content.text
    return content.sentence if isinstance(content, KnownFact) else content.content


def _allowed_kinds(kinds: tuple[str, ...], filters: Filters) -> tuple[str, ...]:
    return tuple(each for each in kinds if not filters.kinds or each in filters.kinds)


def _join_lists(query: MemoryQuery, lists: _Lists, last_talk: LastTalk) -> tuple[list[Match], bool]:
    """Return the hits of the answer, and whether there are more."""
    every = (lists.talk, lists.documents, lists.code, lists.facts, lists.shared)
    talk, documents, code, facts, shared = (each or MatchPage() for each in every)
    summaries: list[Match] = []
    others: list[Match] = []
    for match in documents.matches:
        is_summary = query.mode == "auto" and isinstance(match.content, Memory)
        (summaries if is_summary else others).append(match)
    to_merge = [each for each in (talk.matches, others, code.matches, facts.matches, shared.matches) if each]
    best = with_summaries(merge(to_merge), summaries, query.k)[: query.k]
    likely = in_likely_order(best, talk.matches, query.text, last_talk.worth_of)
    joined = with_replacements(likely, talk.matches, last_talk.replacements_of)
    cut = any(each.more for each in lists.pages) or sum(map(len, (*to_merge, summaries))) > query.k
    return with_falling_scores(joined[: query.k], by_similarity=len(to_merge) > 1 or _leads(joined, to_merge)), cut


def _leads(joined: Sequence[Match], lists: Sequence[Sequence[Match]]) -> bool:
    """Return whether a summary comes first, before the first match of every list."""
    return bool(lists) and joined[0] not in [each[0] for each in lists]
