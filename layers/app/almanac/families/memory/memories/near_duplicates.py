"""Memories that say nearly the same as another one. They are reported and never merged, because a number may differ.

Two places bring what is compared: search, where a tool stores a memory, and the newest memories, where a reaction that
has no index open writes a summary.
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
    """`similarity` of the words of both contents, 0 to 1: at least 0.8. `shared`: of the tenant's projects."""

    id: str
    similarity: float
    shared: bool = False


def near_duplicates(project: MemoryProject, search: Search, memory: Memory) -> tuple[NearDuplicate, ...]:
    """Others that were made on purpose, in the project and in what it shares, the most alike first, at most 10 of each;
    none where search does not answer."""
    found = [
        NearDuplicate(other.id, round(similarity, 2), one is not project)
        for one in project.remembering
        for similarity, other in _nearly_same(memory, _found(one, search, memory))
    ]
    return tuple(sorted(found, key=lambda one: -one.similarity))


def near_duplicates_among_newest(project: MemoryProject, memory: Memory) -> list[tuple[str, str]]:
    """Pairs of its id and that of another, the most alike first; of the newest 200 memories of the project."""
    others = [one for kind in _LASTING for one in newest(project, kind, _COMPARED) if one.id != memory.id]
    others.sort(key=lambda one: one.at, reverse=True)
    found = sorted(_nearly_same(memory, others[:_COMPARED]), key=lambda one: (-one[0], one[1].id))
    return [(memory.id, other.id) for _, other in found[:_REPORTED]]


def newest(project: MemoryProject, kind: MemoryKind, limit: int) -> list[Memory]:
    """The newest memories of a kind that are remembered: of `limit`, and of what one read of the store brings."""
    page = project.rows(MEMORIES).query(kind, index="gsi1", reverse=True, limit=limit)
    return [memory for memory in page.records if is_remembered(memory, project.now())]


def _found(project: MemoryProject, search: Search, memory: Memory) -> list[Memory]:
    request = SearchRequest(
        text=memory.content[:_ASKED_CHARACTERS],
        profile="talk",
        filters=Filters(kinds=("pinned", "semantic"), except_ids=frozenset([memory.id])),
        limit=_LOOKED_AT,
    )
    try:
        found = project.rows(MEMORIES).by_id(hit.id for hit in search.search(project.scope, request).hits)
    except AlmanacError:  # the memory is stored: that must not look like a failure
        return []
    return [one for one in found.values() if is_remembered(one, project.now())]


def _nearly_same(memory: Memory, others: Iterable[Memory]) -> Iterator[tuple[float, Memory]]:
    """Yield each of the others that says nearly the same, with how much it is alike, in the order they come."""
    own = shingles_of(memory.content)
    for other in others:
        if (found := alike(own, shingles_of(other.content))) >= NEARLY_SAME:
            yield found, other
