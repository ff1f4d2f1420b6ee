"""StoreRequest a memory in the layer where it belongs."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from almanac.content.redaction import redact
from almanac.families.context.core.context import Context
from almanac.families.context.core.types import WORKING, Layer
from almanac.families.context.storage import working_sets
from almanac.families.context.storage.router import route
from almanac.families.memory.core.records import Memory, MemoryKind
from almanac.families.memory.memories.new_memory import MAX_TTL_MS, NewMemory, check_content, check_metadata, shown_tags
from almanac.families.memory.memories.write_plan import drafted, make
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.values import checked

CONTENT_BYTES = 16 * 1024
SHORTER = "Shorten it, or keep the whole text in a file and store its path."
WORKING_SECONDS = 3600
"""A working memory ends after so long where nothing else is said."""
MOST_WORKING_SECONDS = 86_400


class StoreRequest(Struct, frozen=True, kw_only=True):
    """A memory to store. With `layer` None the router chooses it. With `ttl_seconds` None a working memory ends in an
    hour, and any other stays. Of the same `session` and `slot`, such as file:src/a.ts, only the newest working memory
    stays. `cited` are ids of the turns and memories it was made of."""

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
    cited: tuple[str, ...] = ()


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
    check_texts(content=asked.content, metadata=asked.metadata, session=asked.session)
    routed = route(
        type_=asked.type,
        tags=asked.tags,
        layer=asked.layer,
        has_ttl=asked.ttl_seconds is not None,
        pinned=asked.pinned,
        shares=context.memory.shared is not None,
    )
    wanted = wanted_of(asked, routed.layer)
    project = context.project_of(routed.layer)
    if routed.layer == WORKING:
        kept = working_sets.keep(project, drafted(project, wanted), asked.slot)
        return StoreResult(kept.memory, routed.layer, routed.reason, routed.confidence, not kept.is_new)
    making = make(project, wanted)
    return StoreResult(making.memory, routed.layer, routed.reason, routed.confidence, not making.is_new)


def working(context: Context, session: str | None, limit: int) -> list[Memory]:
    """Newest first: what the session works with, and what was stored without a session."""
    return working_sets.newest(context.memory, session, limit)


def check_texts(
    content: str | None = None, metadata: Mapping[str, Any] | None = None, session: str | None = None
) -> None:
    """Raises InvalidInput for what no store holds, such as half a surrogate pair, for blank content, for what is too
    large, and for a session that is named after a secret: names cannot be taken out."""
    checked({"content": content, "metadata": dict(metadata or {}), "session": session})
    if content is not None:
        check_content(content, CONTENT_BYTES, SHORTER)
    check_metadata(metadata or {})
    if session is not None and (secrets := redact(session).findings):
        raise InvalidInput(f"sessionId contains a secret ({secrets[0].kind}).", "Use another name.", path="sessionId")


def wanted_of(asked: StoreRequest, layer: Layer) -> NewMemory:
    """Return the memory to create in the chosen layer. Raises InvalidInput for what cannot be stored there."""
    check_texts(content=asked.content, metadata=asked.metadata, session=asked.session)
    return NewMemory(
        kind=_kind_of(asked, layer),
        content=asked.content,
        tags=shown_tags(asked.tags),
        metadata=asked.metadata,
        tool=redact((asked.tool or "").strip()).text or None,
        derived_from=asked.cited,
        ttl_ms=_ttl_ms(asked, layer),
        session=asked.session,
        type=asked.type,
        weight=asked.weight,
        place=redact(asked.place).text if asked.place else None,
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
