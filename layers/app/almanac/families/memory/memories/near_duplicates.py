"""Whether a project remembers nearly the same already: search brings what may be alike, the words of both decide."""

from msgspec import Struct

from almanac.families.memory.core.likeness import NEARLY_SAME, alike, shingles_of
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.kernel.errors import AlmanacError
from almanac.platform.search.asking.port import Search, SearchRequest
from almanac.platform.search.port import Filters

_ASKED_CHARACTERS = 1000
_LOOKED_AT = 10


class NearDuplicate(Struct, frozen=True):
    """`similarity` of the words of both contents, 0 to 1: at least 0.8."""

    id: str
    similarity: float


def near_duplicates(project: MemoryProject, search: Search, memory: Memory) -> tuple[NearDuplicate, ...]:
    """Others that were made on purpose, the most alike first, at most 10; none where search does not answer."""
    request = SearchRequest(
        text=memory.content[:_ASKED_CHARACTERS],
        profile="talk",
        filters=Filters(kinds=("pinned", "semantic"), except_ids=frozenset([memory.id])),
        limit=_LOOKED_AT,
    )
    try:
        found = project.rows(MEMORIES).by_id(hit.id for hit in search.search(project.scope, request).hits)
    except AlmanacError:  # the memory is stored: that must not look like a failure
        return ()
    own, now = shingles_of(memory.content), project.now()
    likened = [
        NearDuplicate(one.id, round(alike(own, shingles_of(one.content)), 2))
        for one in found.values()
        if is_remembered(one, now)
    ]
    return tuple(sorted((one for one in likened if one.similarity >= NEARLY_SAME), key=lambda one: -one.similarity))
