"""Lists of a layer, the newest first, and counts of each layer. The work for one answer is bounded."""

from collections.abc import Callable, Iterator
from heapq import merge

import msgspec
from msgspec import Struct

from almanac.families.context.core.context import Context
from almanac.families.context.core.types import KEPT_KINDS, SHARED, WORKING, Layer, type_of
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, MemoryKind, is_remembered
from almanac.kernel.clock import thread_seconds

MOST = 10_000
"""Memories of a layer that are read, the newest ones."""
FILLING_SECONDS, COUNTING_SECONDS = 1.0, 0.3
"""Processor time for filling a page, and for counting all memories."""
MAX_OFFSET = MOST
PAGE_SIZE = 512 * 1024
"""Characters of text on one page. Longer texts continue on the next page."""
_READ_AT_ONCE = 250

Cpu = Callable[[], float]


class Query(Struct, frozen=True, kw_only=True):
    """A request for a list. Any of the `tags` matches. `place` matches memories about it or about a path inside it."""

    layer: Layer
    type: str | None = None
    tags: frozenset[str] = frozenset()
    place: str | None = None
    limit: int = 20
    offset: int = 0


class MemoryPage(Struct, frozen=True):
    """A page of memories. `total` counts matches among the newest `looked_at`; `is_at_least`: there are others.
    `next_offset` is the offset of the next page; None on the last one."""

    memories: tuple[Memory, ...]
    total: int
    is_at_least: bool
    looked_at: int
    next_offset: int | None


class LayerCount(Struct, frozen=True):
    """The number of memories in a layer, and of pinned ones among them. `is_at_least` is as in MemoryPage."""

    total: int = 0
    pinned: int = 0
    is_at_least: bool = False


def list_page(context: Context, query: Query, cpu: Cpu = thread_seconds) -> MemoryPage:
    """Return a page of a layer. `cpu` returns seconds of processor time. Raises Forbidden for layer 3 if the project
    does not take part in it."""
    page: list[Memory] = []
    total = size = looked_at = 0
    is_full = is_cut = False
    began, now = cpu(), context.now()
    newest = _newest(context.project_of(query.layer), _kinds_of(query.layer))
    for looked_at, memory in enumerate(newest, 1):
        if _fits(memory, query, now):
            total += 1
            if total > query.offset and not is_full:
                page.append(memory)
                size += len(memory.content) + len(msgspec.json.encode(memory.metadata))
                is_full = len(page) == query.limit or size >= PAGE_SIZE
        if looked_at == MOST or cpu() - began >= (COUNTING_SECONDS if is_full else FILLING_SECONDS):
            is_cut = next(newest, None) is not None
            break
    following = query.offset + len(page)
    goes_on = is_full and (following < total or is_cut)
    return MemoryPage(tuple(page), total, is_cut, looked_at, following if goes_on else None)


def count_layer(context: Context, layer: Layer, cpu: Cpu = thread_seconds) -> LayerCount:
    """Return the counts of a layer. `cpu` returns seconds of processor time. Layer 3 counts as empty if the project
    does not take part in it."""
    if layer == SHARED and context.memory.shared is None:
        return LayerCount()
    by_kind: dict[MemoryKind, int] = {}
    is_cut = False
    began, now = cpu(), context.now()
    newest = _newest(context.project_of(layer), _kinds_of(layer))
    for looked_at, memory in enumerate(newest, 1):
        if is_remembered(memory, now):
            by_kind[memory.kind] = by_kind.get(memory.kind, 0) + 1
        if looked_at == MOST or cpu() - began >= COUNTING_SECONDS:
            is_cut = next(newest, None) is not None
            break
    return LayerCount(sum(by_kind.values()), by_kind.get("pinned", 0), is_cut)


def _newest(project: MemoryProject, kinds: tuple[MemoryKind, ...]) -> Iterator[Memory]:
    rows = project.rows(MEMORIES)
    of_kinds = [rows.every(kind, index="gsi1", reverse=True, page=_READ_AT_ONCE) for kind in kinds]
    return merge(*of_kinds, key=lambda memory: (memory.at, memory.id), reverse=True)


def _kinds_of(layer: Layer) -> tuple[MemoryKind, ...]:
    return ("working",) if layer == WORKING else KEPT_KINDS


def _fits(memory: Memory, query: Query, now: int) -> bool:
    if not is_remembered(memory, now) or query.type not in (None, type_of(memory)):
        return False
    if query.tags and query.tags.isdisjoint(memory.tags):
        return False
    return query.place is None or _lies_in(memory.place, query.place)


def _lies_in(place: str | None, folder: str) -> bool:
    return place is not None and (place == folder or place.startswith(f"{folder.removesuffix('/')}/"))
