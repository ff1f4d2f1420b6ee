"""Tools that store, read, change, delete and list memories of the three layers."""

from collections.abc import Mapping
from typing import Annotated, Any, get_args

from msgspec import Meta
from msgspec.structs import replace as altered

from almanac.families.context.core.context import Context
from almanac.families.context.core.places import MAX_CHARACTERS, place_of
from almanac.families.context.core.types import WORKING, Layer, MemoryType, ReadType
from almanac.families.context.core.views import memory_view
from almanac.families.context.storage.edits import Edit, edit
from almanac.families.context.storage.metadata import parse_metadata, with_defaults
from almanac.families.context.storage.pages import MAX_OFFSET, LayerCount, Query, count_layer, list_page
from almanac.families.context.storage.removal import remove
from almanac.families.context.storage.store_memory import CONTENT_BYTES, StoreRequest, store
from almanac.families.context.tools.memory_results import (
    DeletedMemory,
    MemoryCounts,
    MemoryList,
    PinnedCounts,
    ReadMemory,
    StoredMemory,
    UpdatedMemory,
)
from almanac.families.memory.edges.sources import MAX_ID
from almanac.families.memory.edges.superseded_items import SupersededItems, find_superseded
from almanac.families.memory.memories.near_duplicates import near_duplicates
from almanac.families.memory.memories.new_memory import MAX_TTL_MS, Tag, Tags
from almanac.families.memory.memories.recall_effects import note_recall
from almanac.families.memory.turns.turn_input import SessionId
from almanac.kernel.owners import may_see
from almanac.protocol.tool import Effect, tool
from almanac.search.questions.port import Search

MemoryId = Annotated[str, Meta(description="From context_list or context_recall.", min_length=1, max_length=MAX_ID)]
ProjectPath = Annotated[
    str, Meta(description="Path in the project.", max_length=MAX_CHARACTERS, examples=["/home/ann/app"])
]
Content = Annotated[str, Meta(description="Up to 16 KB.", min_length=1, max_length=CONTENT_BYTES)]
Weight = Annotated[float, Meta(description="1 to 5: how much it matters.", ge=1, le=5)]
RESTORE = "forget_memory with restore=true"


@tool(title="Store a memory in a layer", effect=Effect.SETS, naming="camel", aliases=["context.store"])
def context_store(
    type: Annotated[MemoryType, Meta(description="What it is.")],
    content: Content,
    metadata: Annotated[
        dict[str, Any],
        Meta(
            description="tags, title, weight 1-5, confidence, source, projectPath, fileContext, codeBlock.",
            examples=[{"tags": ["api", "zod"], "projectPath": "/home/ann/app", "weight": 5}],
        ),
    ]
    | None = None,
    layer: Annotated[Layer, Meta(description="1 working, 2 project, 3 all projects.")] | None = None,
    ttl: Annotated[
        float,
        Meta(description="Seconds until it ends. Layer 1: up to 86400, default 3600.", ge=1, le=MAX_TTL_MS // 1000),
    ]
    | None = None,
    pinned: Annotated[bool, Meta(description="It never fades and is never summarized.")] = False,
    session_id: Annotated[SessionId, Meta(description="Session it belongs to, in layer 1.")] | None = None,
    *,
    context: Context,
    search: Search,
) -> StoredMemory:
    """Store, save or remember a decision we made and its reason, bug fix, convention, code pattern or scratchpad note,
    so that agents recall it when it matters next time. For a rule that every session must see use pin_memory, for a
    value that changes record_fact, for prose notes_create.

    Leave layer out: type, tags and ttl choose it.
    """
    request = _store_request(metadata or {}, type=type, content=content, layer=layer, ttl_seconds=ttl, pinned=pinned)
    stored = store(context, altered(request, session=session_id))
    memory = stored.memory
    is_compared = stored.layer != WORKING and not stored.deduped
    return StoredMemory(
        id=memory.id,
        success=True,
        layer=stored.layer,
        reason=stored.reason,
        confidence=stored.confidence,
        deduped=stored.deduped,
        expires_at=memory.lapses_at,
        similar=near_duplicates(context.project_of(stored.layer), search, memory) if is_compared else (),
        redacted=memory.redacted,
    )


@tool(title="Read a memory and its layer", effect=Effect.READS, naming="camel", aliases=["context.get"])
def context_get(memory_id: MemoryId, project_path: ProjectPath | None = None, *, context: Context) -> ReadMemory:
    """Fetch one stored memory by its id, with its layer, tags, how often it was accessed, and expiry. For its author,
    history and sources use get_memory.
    """
    place_of(project_path)
    held = context.find(memory_id)
    note_recall(held.project, [held.memory.id])
    return ReadMemory(
        memory=memory_view(held.memory),
        layer=held.layer,
        session_id=held.memory.session,
        superseded_by=held.memory.superseded_by,
        untrusted=True,
    )


@tool(title="Change or promote a memory", effect=Effect.REMOVES, naming="camel", aliases=["context.update"])
def context_update(
    memory_id: MemoryId,
    content: Content | None = None,
    metadata: Annotated[
        dict[str, Any], Meta(description="Fields to merge into its metadata.", examples=[{"confidence": 0.9}])
    ]
    | None = None,
    tags: Tags | None = None,
    weight: Weight | None = None,
    pinned: Annotated[bool, Meta(description="Pin it, or unpin it.")] | None = None,
    target_layer: Annotated[Layer, Meta(description="Promote it to this layer: 2 or 3.")] | None = None,
    project_path: ProjectPath | None = None,
    *,
    context: Context,
) -> UpdatedMemory:
    """Edit a stored memory, decision or convention: correct or rewrite its text, give it more weight, pin or unpin it,
    or promote it to share it with the project or all projects. To take it away use context_delete. A memory of layer 1
    only changes when promoted.
    """
    place_of(project_path)
    moved = edit(
        context,
        memory_id,
        Edit(
            content=content,
            metadata=metadata,
            tags=None if tags is None else tuple(tags),
            weight=weight,
            pinned=pinned,
            layer=target_layer,
        ),
    )
    return UpdatedMemory(
        success=True,
        memory_id=moved.memory.id,
        layer=moved.layer,
        memory=memory_view(moved.memory),
        new_layer=target_layer,
        merged=moved.merged,
        untrusted=True,
    )


@tool(title="Delete a memory of a layer", effect=Effect.REMOVES, naming="camel", aliases=["context.delete"])
def context_delete(memory_id: MemoryId, project_path: ProjectPath | None = None, *, context: Context) -> DeletedMemory:
    """Delete or remove one stored memory by its id, in any layer: a wrong, obsolete or outdated decision, convention or
    scratchpad note. For what was said or pinned, or to bring a deleted one back, use forget_memory.

    Deleting a summary brings back the memories it replaced.
    """
    place_of(project_path)
    removed = remove(context, memory_id)
    held = find_superseded(context.memory, removed.memory.id) if removed.layer != WORKING else SupersededItems()
    may_restore = context.caller.may_use("memory")
    return DeletedMemory(
        success=True,
        deleted_from=removed.layer,
        memory_id=removed.memory.id,
        restorable_until=removed.restorable_until,
        restore_with=RESTORE if may_restore and removed.restorable_until is not None else None,
        originals_restored=removed.restored,
        still_hidden=held.memories,
        still_ended=held.facts,
        notes=held.notes(
            removed.memory.id, may_restore=may_restore, may_connect=may_see(context.memory.families, "facts")
        ),
    )


@tool(title="List memories or count them", effect=Effect.READS, naming="camel", aliases=["context.list"])
def context_list(
    layer: Annotated[Layer, Meta(description="1 working, 2 project, 3 all projects.")] = 2,
    type: Annotated[ReadType, Meta(description="Only this type.")] | None = None,
    tags: Annotated[list[Tag], Meta(description="With any of these tags.", max_length=20)] | None = None,
    limit: Annotated[int, Meta(description="At most.", ge=1, le=100)] = 20,
    offset: Annotated[int, Meta(description="Number to skip.", ge=0, le=MAX_OFFSET)] = 0,
    stats: Annotated[bool, Meta(description="Count the memories of each layer instead.")] = False,
    project_path: Annotated[ProjectPath, Meta(description="Only what is about this path or lies in it.")] | None = None,
    *,
    context: Context,
) -> MemoryList | MemoryCounts:
    """List, browse or count the stored memories: all decisions, bug fixes or conventions that were saved in a layer,
    newest first, or statistics of how many there are. To find memories by what they say use context_recall.
    """
    place = place_of(project_path)
    if stats:
        return _counts(context)
    query = Query(layer=layer, type=type, tags=frozenset(tags or ()), place=place, limit=limit, offset=offset)
    found = list_page(context, query)
    return MemoryList(
        memories=tuple(map(memory_view, found.memories)),
        total=found.total,
        limit=limit,
        offset=offset,
        layer=layer,
        total_is_at_least=found.is_at_least,
        looked_at=found.looked_at if found.is_at_least else None,
        next_offset=found.next_offset,
        untrusted=True,
    )


def _store_request(metadata: Mapping[str, Any], **fields: Any) -> StoreRequest:
    """Return the request with the values in the metadata, and the contract's defaults."""
    full_metadata = with_defaults(metadata)
    known = parse_metadata(full_metadata)
    return StoreRequest(
        **fields, metadata=full_metadata, tags=known.tags, weight=known.weight, place=known.place, tool=known.client
    )


def _counts(context: Context) -> MemoryCounts:
    layers: dict[str, LayerCount] = {f"l{layer}": count_layer(context, layer) for layer in get_args(Layer)}
    return MemoryCounts(
        **{name: each.total for name, each in layers.items()},
        total=sum(each.total for each in layers.values()),
        pinned=PinnedCounts(layers["l2"].pinned, layers["l3"].pinned),
        at_least=tuple(name for name, each in layers.items() if each.is_at_least),
    )
