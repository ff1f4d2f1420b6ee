"""Detection of memories with nearly the same words. They are reported and never merged, because a number may differ.

When a tool stores a memory, the candidates come from search. When a reaction writes a summary, it has no index open, so
the candidates are the newest memories.
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
_ASKED_CHARACTERS = 1000
_LOOKED_AT = 10
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
    """Return similar memories in the project and in the shared one, the most similar first, at most 10 of each. Return
    none if search fails."""
    found = [
        NearDuplicate(other.id, round(similarity, 2), one is not project)
        for one in project.searched_projects
        for similarity, other in _nearly_same(memory, _search_similar(one, search, memory))
    ]
    return tuple(sorted(found, key=lambda one: -one.similarity))


def near_duplicates_among_newest(project: MemoryProject, memory: Memory) -> list[tuple[str, str]]:
    """Return pairs of ids, of the memory and of a similar one, with the most similar first. Only the newest 200
    memories of the project are compared."""
    others = [one for kind in _LASTING for one in newest(project, kind, _COMPARED) if one.id != memory.id]
    others.sort(key=lambda one: one.at, reverse=True)
    found = sorted(_nearly_same(memory, others[:_COMPARED]), key=lambda one: (-one[0], one[1].id))
    return [(memory.id, other.id) for _, other in found[:_REPORTED]]


def newest(project: MemoryProject, kind: MemoryKind, limit: int) -> list[Memory]:
    """Return the newest remembered memories of a kind, from one read of up to `limit` records."""
    page = project.rows(MEMORIES).query(kind, index="gsi1", reverse=True, limit=limit)
    return [memory for memory in page.records if is_remembered(memory, project.now())]


def _search_similar(project: MemoryProject, search: Search, memory: Memory) -> list[Memory]:
    request = SearchRequest(
        text=memory.content[:_ASKED_CHARACTERS],
        profile="talk",
        filters=Filters(kinds=("pinned", "semantic"), except_ids=frozenset([memory.id])),
        limit=_LOOKED_AT,
    )
    try:
        found = project.rows(MEMORIES).by_id(hit.id for hit in search.search(project.scope, request).hits)
    except AlmanacError:  # the memory is already stored, so the call must not fail
        return []
    return [one for one in found.values() if is_remembered(one, project.now())]


def _nearly_same(memory: Memory, others: Iterable[Memory]) -> Iterator[tuple[float, Memory]]:
    """Yield the similar memories, each with its similarity, in the order given."""
    own = shingles_of(memory.content)
    for other in others:
        if (found := alike(own, shingles_of(other.content))) >= NEARLY_SAME:
            yield found, other
