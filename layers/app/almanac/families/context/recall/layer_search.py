"""Search over the layers: one in the project's scope, one in the shared scope."""

from collections.abc import Sequence

from almanac.families.context.core.below import below_threshold
from almanac.families.context.core.context import Context
from almanac.families.context.core.types import KEPT_KINDS, SHARED
from almanac.families.context.recall.emptiness import explain_empty
from almanac.families.context.recall.matches import Match, ScopeMatches, gather
from almanac.families.context.recall.order import in_order
from almanac.families.context.recall.recall_query import LEGS_OF, RecallQuery
from almanac.families.context.recall.results import RecallCoverage, RecallResults, recall_hits
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory
from almanac.families.memory.memories.recall_effects import READ, note_recall
from almanac.search.questions.port import MAX_LIMIT, Search, SearchRequest


def recall(context: Context, search: Search, query: RecallQuery) -> RecallResults:
    searched = [_gather_scope(search, project, kinds, query) for project, kinds in _scopes(context, query)]
    alike = in_order(match for each in searched for match in each.alike)
    below = below_threshold(match.similarity for each in searched for match in each.below)
    results = alike[: query.limit]
    _note_use(results)
    more = any(each.more for each in searched)
    return RecallResults(
        results=tuple(recall_hits(results)),
        untrusted=bool(results),
        total=len(alike),
        below_threshold=below,
        truncated=more or len(alike) > len(results),
        empty_because=None if results else explain_empty(context, query, searched, below),
        pending=max(each.pending for each in searched),
        coverage=_coverage(searched),
        notes=tuple(dict.fromkeys([*query.notes, *(note for each in searched for note in each.notes)])),
    )


def _scopes(context: Context, query: RecallQuery) -> list[tuple[MemoryProject, tuple[str, ...]]]:
    own = [(context.memory, query.kinds)] if query.kinds else []
    return [*own, (context.project_of(SHARED), KEPT_KINDS)] if SHARED in query.layers else own


def _gather_scope(search: Search, project: MemoryProject, kinds: tuple[str, ...], query: RecallQuery) -> ScopeMatches:
    request = SearchRequest(
        text=query.text,
        profile="talk",
        filters=query.filters(kinds),
        limit=MAX_LIMIT,
        legs=LEGS_OF[query.mode],
    )

    def admits(memory: Memory) -> bool:
        is_of_session = query.session is None or memory.session in (None, query.session)
        return memory.kind != "working" or is_of_session

    return gather(search, project, request, query.threshold, query.limit, admits)


def _coverage(searched: Sequence[ScopeMatches]) -> RecallCoverage | None:
    """Return the coverage of the scope whose memories come nearest; None if no scope has any."""
    known = [each.coverage for each in searched if each.coverage is not None and (each.alike or each.below)]
    if not known:
        return None
    best = max(known, key=lambda one: one.nearest)
    return RecallCoverage(best.verdict, best.nearest, best.missing)


def _note_use(results: Sequence[Match]) -> None:
    by_scope: dict[MemoryProject, list[str]] = {}
    for match in results[:READ]:
        by_scope.setdefault(match.project, []).append(match.memory.id)
    for project, ids in by_scope.items():
        note_recall(project, ids)
