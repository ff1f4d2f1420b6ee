"""Visible hits of one scope. Some hits are forgotten, lapsed or of another session, so the search continues until
enough are visible."""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.context.core.context import layer_of
from almanac.families.context.core.types import Layer
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.search.coverage import Coverage
from almanac.search.questions.port import Answer, Emptiness, Search, SearchRequest

ROUNDS = 8
Admits = Callable[[Memory], bool]


class Match(Struct, frozen=True):
    """A memory with its similarity, 0 to 1, its layer, and its project."""

    memory: Memory
    similarity: float
    layer: Layer
    project: MemoryProject


class ScopeMatches(Struct, frozen=True, kw_only=True):
    """The visible hits, the best first. Those in `alike` reach the threshold, those in `below` do not. `more`: others
    may reach it. `empty` says why search had no hits at all."""

    alike: tuple[Match, ...] = ()
    below: tuple[Match, ...] = ()
    more: bool = False
    pending: int = 0
    notes: tuple[str, ...] = ()
    coverage: Coverage | None = None
    empty: Emptiness | None = None


def gather(
    search: Search, project: MemoryProject, request: SearchRequest, threshold: float, wanted: int, admits: Admits
) -> ScopeMatches:
    """Return the visible hits of a search.

    `request` has no threshold, so that hits below it can be counted. Each search reads up to `request.limit` hits. If
    invisible hits leave too few, the search is repeated without the hits already read, up to ROUNDS times.
    """
    seen = request.filters.except_ids
    answers: list[Answer] = []
    matches: list[Match] = []
    while len(answers) < ROUNDS:
        filters = replace(request.filters, except_ids=seen)
        answer = search.search(project.scope, replace(request, filters=filters))
        answers.append(answer)
        matches += _visible(project, answer, admits)
        seen |= {hit.id for hit in answer.hits}
        enough = sum(match.similarity >= threshold for match in matches) > wanted
        # Hits are ordered by similarity, so after one below the threshold hardly any reach it.
        if not answer.cut or enough or any(match.similarity < threshold for match in matches):
            break
    alike = tuple(match for match in matches if match.similarity >= threshold)
    below = tuple(match for match in matches if match.similarity < threshold)
    first = answers[0]
    return ScopeMatches(
        alike=alike,
        below=below,
        more=answers[-1].cut and not below,
        pending=max(answer.pending for answer in answers),
        notes=first.notes,
        coverage=first.coverage,
        empty=first.empty,
    )


def _visible(project: MemoryProject, answer: Answer, admits: Admits) -> list[Match]:
    now = project.now()
    found = project.rows(MEMORIES).by_id(hit.id for hit in answer.hits)
    matches: list[Match] = []
    for hit in answer.hits:
        memory = found.get(hit.id)
        if memory is not None and is_remembered(memory, now) and admits(memory):
            matches.append(Match(memory, hit.similarity, layer_of(project, memory), project))
    return matches
