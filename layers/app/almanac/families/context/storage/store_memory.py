"""Store a memory in the layer where it belongs."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from almanac.families.context.core.context import Context
from almanac.families.context.core.types import WORKING, Layer
from almanac.families.context.storage import working_sets
from almanac.families.context.storage.router import route
from almanac.families.memory.core.records import Memory, MemoryKind
from almanac.families.memory.memories.new_memory import MAX_TTL_MS, ContentLimit, NewMemory, new_memory
from almanac.families.memory.memories.write_plan import draft_memory, make
from almanac.kernel.errors import InvalidInput

CONTENT_BYTES = 16 * 1024
CONTENT_LIMIT = ContentLimit(CONTENT_BYTES, "Shorten it, or keep the whole text in a file and store its path.")
WORKING_SECONDS = 3600
"""A working memory ends after so long where nothing else is said."""
MOST_WORKING_SECONDS = 86_400


class StoreRequest(Struct, frozen=True, kw_only=True):
    """A memory to store. With `layer` None the router chooses it. With `ttl_seconds` None a working memory ends in an
    hour, and any other stays. Of the same `session` and `slot`, such as file:src/a.ts, only the newest working memory
    stays."""

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
    """`reason` says why it lies in `layer`, `confidence`, 0 to 1, how sure that is. `deduped`: exactly this was stored
    already, and that is `memory`."""

    memory: Memory
    layer: Layer
    reason: str
    confidence: float
    deduped: bool


def store(context: Context, asked: StoreRequest) -> StoreResult:
    """Raises InvalidInput for what cannot be stored, Forbidden for layer 3 of a project that is closed off."""
    routed = route(
        type_=asked.type,
        tags=asked.tags,
        layer=asked.layer,
        has_ttl=asked.ttl_seconds is not None,
        pinned=asked.pinned,
        shares=context.memory.shared is not None,
    )
    wanted = memory_to_create(asked, routed.layer)
    project = context.project_of(routed.layer)
    if routed.layer == WORKING:
        kept = working_sets.keep(project, draft_memory(project, wanted), asked.slot)
        return StoreResult(kept.memory, routed.layer, routed.reason, routed.confidence, not kept.is_new)
    making = make(project, wanted)
    return StoreResult(making.memory, routed.layer, routed.reason, routed.confidence, not making.is_new)


def working(context: Context, session: str | None, limit: int) -> list[Memory]:
    """Newest first: what the session works with, and what was stored without a session."""
    return working_sets.newest(context.memory, session, limit)


def memory_to_create(asked: StoreRequest, layer: Layer) -> NewMemory:
    """Return the memory to create in the chosen layer. Raises InvalidInput for what cannot be stored there."""
    return new_memory(
        _kind_of(asked, layer),
        asked.content,
        limit=CONTENT_LIMIT,
        tags=asked.tags,
        metadata=asked.metadata,
        tool=asked.tool,
        ttl_ms=_ttl_ms(asked, layer),
        session=asked.session,
        type=asked.type,
        weight=asked.weight,
        place=asked.place,
    )


def _kind_of(asked: StoreRequest, layer: Layer) -> MemoryKind:
    if layer != WORKING:
        return "pinned" if asked.pinned else "semantic"
    if asked.pinned:
        raise InvalidInput(
            "A working memory cannot be pinned: it expires by itself.", "Leave layer out, or give 2.", path="pinned"
        )
    return "working"


def _ttl_ms(asked: StoreRequest, layer: Layer) -> int | None:
    if asked.ttl_seconds is None:
        return WORKING_SECONDS * 1000 if layer == WORKING else None
    most = MOST_WORKING_SECONDS if layer == WORKING else MAX_TTL_MS // 1000
    if not 1 <= asked.ttl_seconds <= most:
        raise InvalidInput(
            f"ttl is {asked.ttl_seconds:g} seconds; in layer {layer} it is 1 to {most}.",
            "To keep it for more than a day give layer=2 and a ttl.",
            path="ttl",
        )
    return round(asked.ttl_seconds * 1000)
