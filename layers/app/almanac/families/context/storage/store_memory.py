"""Storage of a memory in the layer where it belongs."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from almanac.families.context.core.context import Context
from almanac.families.context.core.types import WORKING, Layer
from almanac.families.context.storage import working_sets
from almanac.families.context.storage.router import route
from almanac.families.memory.core.records import Memory, MemoryKind
from almanac.families.memory.memories.new_memory import MAX_TTL_MS, ContentLimit, NewMemory, new_memory
from almanac.families.memory.memories.write_plan import draft_memory, write_memory
from almanac.kernel.errors import InvalidInput

CONTENT_BYTES = 16 * 1024
CONTENT_LIMIT = ContentLimit(CONTENT_BYTES, "Shorten it, or keep the whole text in a file and store its path.")
WORKING_SECONDS = 3600
"""Default lifetime of a working memory."""
MOST_WORKING_SECONDS = 86_400


class StoreRequest(Struct, frozen=True, kw_only=True):
    """A memory to store. If `layer` is None, the router chooses it. If `ttl_seconds` is None, a working memory lapses
    in an hour and others stay. Among working memories with the same `session` and `slot`, such as file:src/a.ts, only
    the newest stays."""

    type: str
    content: str
    tags: tuple[str, ...] = ()
    metadata: Mapping[str, Any] = {}
    layer: Layer | None = None
    ttl_seconds: float | None = None
    pinned: bool = False
    weight: float | None = None
    place: str | None = None
    session: str | None = None
    slot: str | None = None
    tool: str | None = None


class StoreResult(Struct, frozen=True):
    """A stored memory. `reason` says why it is in `layer`, and `confidence`, 0 to 1, how sure that is. `deduped`: the
    same memory was stored already."""

    memory: Memory
    layer: Layer
    reason: str
    confidence: float
    deduped: bool


def store(context: Context, request: StoreRequest) -> StoreResult:
    """Store a memory. Raises InvalidInput if it cannot be stored, and Forbidden for layer 3 if the project does not
    take part in it."""
    routed = route(
        type_=request.type,
        tags=request.tags,
        layer=request.layer,
        has_ttl=request.ttl_seconds is not None,
        pinned=request.pinned,
        shares=context.memory.shared is not None,
    )
    new_memory = memory_to_create(request, routed.layer)
    project = context.project_of(routed.layer)
    if routed.layer == WORKING:
        working = working_sets.keep(project, draft_memory(project, new_memory), request.slot)
        return StoreResult(working.memory, routed.layer, routed.reason, routed.confidence, not working.is_new)
    making = write_memory(project, new_memory)
    return StoreResult(making.memory, routed.layer, routed.reason, routed.confidence, not making.is_new)


def working_memories(context: Context, session: str | None, limit: int) -> list[Memory]:
    """Return the working memories of the session and of calls without one, the newest first."""
    return working_sets.newest(context.memory, session, limit)


def memory_to_create(request: StoreRequest, layer: Layer) -> NewMemory:
    """Return the memory to create in the chosen layer. Raises InvalidInput if it cannot be stored there."""
    return new_memory(
        _kind_of(request, layer),
        request.content,
        limit=CONTENT_LIMIT,
        tags=request.tags,
        metadata=request.metadata,
        tool=request.tool,
        ttl_ms=_ttl_ms(request, layer),
        session=request.session,
        type=request.type,
        weight=request.weight,
        place=request.place,
    )


def _kind_of(request: StoreRequest, layer: Layer) -> MemoryKind:
    if layer != WORKING:
        return "pinned" if request.pinned else "semantic"
    if request.pinned:
        raise InvalidInput(
            "A working memory cannot be pinned: it expires by itself.", "Leave layer out, or give 2.", path="pinned"
        )
    return "working"


def _ttl_ms(request: StoreRequest, layer: Layer) -> int | None:
    if request.ttl_seconds is None:
        return WORKING_SECONDS * 1000 if layer == WORKING else None
    most = MOST_WORKING_SECONDS if layer == WORKING else MAX_TTL_MS // 1000
    if not 1 <= request.ttl_seconds <= most:
        raise InvalidInput(
            f"ttl is {request.ttl_seconds:g} seconds; in layer {layer} it is 1 to {most}.",
            "To keep it for more than a day give layer=2 and a ttl.",
            path="ttl",
        )
    return round(request.ttl_seconds * 1000)
