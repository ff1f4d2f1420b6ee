"""Tools that pin, keep, read and forget memories."""

from typing import Annotated

from msgspec import Meta

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory, is_remembered
from almanac.families.memory.edges.sources import MAX_ID, edges_of, kind_of
from almanac.families.memory.edges.superseded_items import find_superseded
from almanac.families.memory.memories.forget_and_restore import forget, get_readable, hidden_period, home_of, restore
from almanac.families.memory.memories.near_duplicates import near_duplicates
from almanac.families.memory.memories.new_memory import Metadata, NewMemory, SourceIds, Surface, Tags, TtlMs, new_memory
from almanac.families.memory.memories.recall_effects import note_recall
from almanac.families.memory.memories.write_plan import write_memory
from almanac.families.memory.tools.memory_results import ForgetResult, MemoryDetails, NewMemoryResult, memory_view
from almanac.kernel.owners import may_see
from almanac.protocol.tool import Effect, tool
from almanac.search.questions.port import Search

MemoryId = Annotated[str, Meta(description="Id of a memory or turn.", min_length=1, max_length=MAX_ID)]


@tool(title="Pin a memory", effect=Effect.SETS)
def pin_memory(
    content: Annotated[str, Meta(description="What to remember, up to 8 KB.", min_length=1, max_length=8192)],
    tags: Tags | None = None,
    ttl_ms: TtlMs | None = None,
    metadata: Metadata | None = None,
    tool: Surface | None = None,
    derived_from_turn_ids: SourceIds | None = None,
    *,
    memory: MemoryProject,
    search: Search,
) -> NewMemoryResult:
    """Pin a short rule, preference or warning that must never be forgotten, such as "never deploy on Fridays": every
    session sees it first. For decisions, bug fixes and the like use context_store.
    """
    return _make(
        memory,
        search,
        new_memory(
            "pinned",
            content,
            tags=tags,
            metadata=metadata,
            tool=tool,
            derived_from=derived_from_turn_ids,
            ttl_ms=ttl_ms,
        ),
    )


@tool(title="Keep a fact from a session", effect=Effect.SETS)
def extract_semantic(
    content: Annotated[
        str,
        Meta(description="One fact in one or two sentences, up to 4 KB.", min_length=1, max_length=4096),
    ],
    tags: Tags | None = None,
    metadata: Metadata | None = None,
    tool: Surface | None = None,
    derived_from_turn_ids: SourceIds | None = None,
    *,
    memory: MemoryProject,
    search: Search,
) -> NewMemoryResult:
    """Remember one durable fact, decision, preference or lesson from a conversation or chat, as a memory with the turns
    it comes from. Without such turns use context_store.
    """
    memory_to_write = new_memory(
        "semantic", content, tags=tags, metadata=metadata, tool=tool, derived_from=derived_from_turn_ids
    )
    return _make(memory, search, memory_to_write)


@tool(title="Forget a memory", effect=Effect.REMOVES)
def forget_memory(
    memory_id: MemoryId,
    restore: Annotated[bool, Meta(description="Undo: restore what was forgotten.")] = False,
    *,
    memory: MemoryProject,
) -> ForgetResult:
    """Forget a recorded message or any memory by its id: erase, delete or remove what was said or pinned, or something
    wrong or outdated; or bring a deleted one back within 30 days (restore). To change it instead use context_update.
    """
    home = home_of(memory, memory_id)
    return _restore(home, memory_id) if restore else _forget(memory, home, memory_id)


@tool(title="Read one memory", effect=Effect.READS, aliases=["get_turn"])
def get_memory(memory_id: MemoryId, *, memory: MemoryProject) -> MemoryDetails:
    """Open one memory or recorded message by its id: the full text, who wrote it, metadata and history. For its layer
    and uses see context_get.
    """
    home = home_of(memory, memory_id)
    record = get_readable(home, memory_id)
    if isinstance(record, Memory) and is_remembered(record, home.now()):
        note_recall(home, [record.id])
    return MemoryDetails(memory_view(home, record), record.history, edges_of(memory, record))


def _make(memory: MemoryProject, search: Search, new: NewMemory) -> NewMemoryResult:
    write_plan = write_memory(memory, new)
    alike = near_duplicates(memory, search, write_plan.memory) if write_plan.is_new else ()
    return NewMemoryResult(memory_view(memory, write_plan.memory), not write_plan.is_new, write_plan.dropped, alike)


def _forget(caller: MemoryProject, memory: MemoryProject, memory_id: str) -> ForgetResult:
    change = forget(memory, memory_id)
    since, until = hidden_period(change.record, memory.now())
    still_hidden = find_superseded(caller, memory_id)
    return ForgetResult(
        ok=True,
        memory_id=change.record.id,
        kind=kind_of(change.record),
        already=change.already,
        forgotten_at=since,
        restorable_until=until,
        shared=memory.is_shared,
        still_hidden=still_hidden.memories,
        still_ended=still_hidden.facts,
        notes=still_hidden.notes(change.record.id, may_restore=True, may_connect=may_see(caller.families, "facts")),
    )


def _restore(memory: MemoryProject, memory_id: str) -> ForgetResult:
    change = restore(memory, memory_id)
    restored_at = None if change.already else change.record.history[-1].at
    by = change.record.superseded_by if isinstance(change.record, Memory) else None
    return ForgetResult(
        ok=True,
        memory_id=change.record.id,
        kind=kind_of(change.record),
        already=change.already,
        restored_at=restored_at,
        superseded_by=by,
        shared=memory.is_shared,
    )
