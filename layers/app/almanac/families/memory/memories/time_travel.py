"""Search memory as of a past instant: without later records, and with memories as they were then."""

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
    """The memories that had another text at a past instant.

    `changed` are their ids, which the search leaves out. `documents` are their former versions under separate ids, and
    `memories` maps these ids to the former memories. `lost` are the ids of memories whose former text was not kept.
    """

    changed: frozenset[str] = frozenset()
    documents: tuple[Document, ...] = ()
    memories: Mapping[str, Memory] = {}
    lost: frozenset[str] = frozenset()
    cut: bool = False


def past_of(project: MemoryProject, as_of: int) -> Past:
    """Return memory as it was at `as_of`, in ms since 1970. Records that are forgotten now are not included."""
    changed, documents, memories, lost = set[str](), list[Document](), dict[str, Memory](), set[str]()
    changes, now = find_changed(project, as_of), project.now()
    for memory, home in changes.memories:
        version = version_at(project, memory, as_of) if is_readable(memory, now) else None
        is_current_here = home.scope == project.scope and not is_superseded(memory)
        if isinstance(version, Memory) and is_current_here and same_texts(version, memory):
            continue
        changed.add(memory.id)
        if isinstance(version, LostVersion):
            lost.add(version.id)
        elif version is not None and PROFILES[version.kind] == "talk":
            name = f"{memory.id}@{as_of}"
            documents.append(replace(memory_document(version, memory.version), id=name))
            memories[name] = version
    return Past(frozenset(changed), tuple(documents), memories, frozenset(lost), changes.cut)


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
    """Return the filters that leave out talk recorded after `as_of`, as far as the index knows it.

    If that is more than 5,000 documents, filter by the time of events instead, with a day's tolerance."""
    later: set[str] = set()
    after = ulid(as_of + 1, bytes)
    while index is not None and (page := index.list_states(project.scope, "talk", after=after, limit=_PAGE)):
        later.update(each.id for each in page if not each.removed)
        after = page[-1].id
        if len(later) > MOST:
            until = as_of + _DAY_MS
            return replace(filters, until=until if filters.until is None else min(until, filters.until))
    return replace(filters, except_ids=filters.except_ids | later)
