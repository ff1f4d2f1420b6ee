"""Detect memories with nearly the same words. Almanac reports and never merges them, because a number may differ.

When a tool stores a memory, search finds the memories to compare. A reaction that writes a summary has no index open,
so it compares the newest memories.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from almanac.families.memory.core.likeness import alike, shingles_of
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, MemoryKind, is_remembered
from almanac.kernel.errors import AlmanacError
from almanac.search.port import Filters
from almanac.search.questions.port import Search, SearchRequest

NEARLY_SAME = 0.8
_QUERY_CHARACTERS = 1000
_MOST_HITS = 10
_COMPARED = 200
_REPORTED = 20
_LASTING: tuple[MemoryKind, ...] = ("pinned", "semantic", "consolidated")


class NearDuplicate(Struct, frozen=True, omit_defaults=True):
    """A memory with nearly the same words. `similarity` is 0.8 to 1. `shared`: it is one of the tenant's shared
    memories."""

    id: str
    similarity: float
    shared: bool = False


def near_duplicates(project: MemoryProject, search: Search, memory: Memory) -> tuple[NearDuplicate, ...]:
    """Return similar memories, the most similar first: at most 10 of the project and 10 of the shared one.

    There are none if search fails."""
    duplicates = [
        NearDuplicate(other.id, round(similarity, 2), place is not project)
        for place in project.searched_projects
        for similarity, other in _filter_similar(memory, _search_similar(place, search, memory))
    ]
    return tuple(sorted(duplicates, key=lambda duplicate: -duplicate.similarity))


def near_duplicates_among_newest(project: MemoryProject, memory: Memory) -> list[tuple[str, str]]:
    """Return pairs of ids, each of the memory and a similar one, the most similar first.

    Only the newest 200 memories of the project are compared."""
    others = [
        candidate for kind in _LASTING for candidate in newest(project, kind, _COMPARED) if candidate.id != memory.id
    ]
    others.sort(key=lambda candidate: candidate.at, reverse=True)
    similar = sorted(_filter_similar(memory, others[:_COMPARED]), key=lambda pair: (-pair[0], pair[1].id))
    return [(memory.id, other.id) for _, other in similar[:_REPORTED]]


def newest(project: MemoryProject, kind: MemoryKind, limit: int) -> list[Memory]:
    """Return the newest remembered memories of a kind, from one read of up to `limit` records."""
    page = project.rows(MEMORIES).query(kind, index="gsi1", reverse=True, limit=limit)
    return [memory for memory in page.records if is_remembered(memory, project.now())]


def _search_similar(project: MemoryProject, search: Search, memory: Memory) -> list[Memory]:
    request = SearchRequest(
        text=memory.content[:_QUERY_CHARACTERS],
        profile="talk",
        filters=Filters(kinds=("pinned", "semantic"), except_ids=frozenset([memory.id])),
        limit=_MOST_HITS,
    )
    try:
        memories = project.rows(MEMORIES).by_id(hit.id for hit in search.search(project.scope, request).hits)
    except AlmanacError:  # the memory is already stored, so the call must not fail
        return []
    return [similar for similar in memories.values() if is_remembered(similar, project.now())]


def _filter_similar(memory: Memory, others: Iterable[Memory]) -> Iterator[tuple[float, Memory]]:
    """Yield those of `others` that are similar, in their order, each with its similarity."""
    own = shingles_of(memory.content)
    for other in others:
        if (similarity := alike(own, shingles_of(other.content))) >= NEARLY_SAME:
            yield similarity, other
