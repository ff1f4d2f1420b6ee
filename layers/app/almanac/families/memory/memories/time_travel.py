"""Search as of a past instant: without later records, and with memories as they were then."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.memory.core.documents import PROFILES, memory_document
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory, is_readable, is_superseded
from almanac.families.memory.memories.versions import LostVersion, find_changed, same_texts, version_at
from almanac.kernel.ids import ulid
from almanac.search.port import Document, Filters, SearchIndex
from almanac.search.questions.port import SearchRequest

MOST = 5_000
_PAGE = 1_000
_DAY_MS = 86_400_000
CUT = "Too many memories changed after as_of: some are shown as they are now, or not at all."


class Past(Struct, frozen=True):
    """The memories whose text differs from that at a past instant.

    `changed` are their ids, to leave out of the search. `documents` are their former versions under ids of their own,
    and `memories` maps these ids to the former memories. The former text of those in `lost` was not kept.
    """

    changed: frozenset[str] = frozenset()
    documents: tuple[Document, ...] = ()
    memories: Mapping[str, Memory] = {}
    lost: frozenset[str] = frozenset()
    cut: bool = False


def past_of(project: MemoryProject, as_of: int) -> Past:
    """Return memory as it was at `as_of`, in ms since 1970. Records that are forgotten now are not included."""
    changed, documents, memories, lost = set[str](), list[Document](), dict[str, Memory](), set[str]()
    found, now = find_changed(project, as_of), project.now()
    for memory, home in found.memories:
        was = version_at(project, memory, as_of) if is_readable(memory, now) else None
        here = home.scope == project.scope and not is_superseded(memory)
        if isinstance(was, Memory) and here and same_texts(was, memory):
            continue
        changed.add(memory.id)
        if isinstance(was, LostVersion):
            lost.add(was.id)
        elif was is not None and PROFILES[was.kind] == "talk":
            name = f"{memory.id}@{as_of}"
            documents.append(replace(memory_document(was, memory.version), id=name))
            memories[name] = was
    return Past(frozenset(changed), tuple(documents), memories, frozenset(lost), found.cut)


def request_as_of(
    request: SearchRequest, as_of: int, past: Past, project: MemoryProject, index: SearchIndex | None
) -> SearchRequest:
    """Return the request for talk as of `as_of`."""
    filters = filters_as_of(as_of, project, index, request.filters)
    return replace(
        request,
        filters=replace(filters, except_ids=filters.except_ids | past.changed),
        also=past.documents,
    )


def filters_as_of(as_of: int, project: MemoryProject, index: SearchIndex | None, filters: Filters) -> Filters:
    """Return the filters without talk recorded after `as_of`, as far as the index knows. If that is more than 5,000
    documents, filter by the time of events instead, with a day's tolerance."""
    later: set[str] = set()
    after = ulid(as_of + 1, bytes)
    while index is not None and (page := index.list_states(project.scope, "talk", after=after, limit=_PAGE)):
        later.update(each.id for each in page if not each.removed)
        after = page[-1].id
        if len(later) > MOST:
            until = as_of + _DAY_MS
            return replace(filters, until=until if filters.until is None else min(until, filters.until))
    return replace(filters, except_ids=filters.except_ids | later)
