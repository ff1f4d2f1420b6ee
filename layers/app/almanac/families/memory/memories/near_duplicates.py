"""Search for near duplicates: search finds candidates, and their words decide."""

from collections.abc import Iterator

from msgspec import Struct

from almanac.families.memory.core.likeness import nearly_same
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.kernel.errors import AlmanacError
from almanac.platform.search.port import Filters
from almanac.platform.search.questions.port import Search, SearchRequest

_ASKED_CHARACTERS = 1000
_LOOKED_AT = 10


class NearDuplicate(Struct, frozen=True, omit_defaults=True):
    """`similarity` of the words of both contents, 0 to 1: at least 0.8. `shared`: of the tenant's projects."""

    id: str
    similarity: float
    shared: bool = False


def near_duplicates(project: MemoryProject, search: Search, memory: Memory) -> tuple[NearDuplicate, ...]:
    """Others that were made on purpose, in the project and in what it shares, the most alike first, at most 10 of each;
    none where search does not answer."""
    found = [each for one in project.remembering for each in _in_one(one, search, memory, one is not project)]
    return tuple(sorted(found, key=lambda one: -one.similarity))


def _in_one(project: MemoryProject, search: Search, memory: Memory, shared: bool) -> Iterator[NearDuplicate]:
    request = SearchRequest(
        text=memory.content[:_ASKED_CHARACTERS],
        profile="talk",
        filters=Filters(kinds=("pinned", "semantic"), except_ids=frozenset([memory.id])),
        limit=_LOOKED_AT,
    )
    try:
        found = project.rows(MEMORIES).by_id(hit.id for hit in search.search(project.scope, request).hits)
    except AlmanacError:  # the memory is stored: that must not look like a failure
        return
    remembered = (one for one in found.values() if is_remembered(one, project.now()))
    for similarity, one in nearly_same(memory, remembered):
        yield NearDuplicate(one.id, round(similarity, 2), shared)
