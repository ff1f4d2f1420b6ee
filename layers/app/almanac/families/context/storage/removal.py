"""Deletion of a memory. Memories of layers 2 and 3 can be restored for 30 days; a working memory is gone at once."""

from msgspec import Struct

from almanac.families.context.core.context import Context, LayerMemory
from almanac.families.context.core.types import WORKING, Layer
from almanac.families.context.summaries.originals import SUMMARY
from almanac.families.context.summaries.restoration import count_originals, restore_originals
from almanac.families.memory.core.records import Memory
from almanac.families.memory.memories.expiry import drop_changes
from almanac.families.memory.memories.forget_and_restore import forget, hidden_period
from almanac.kernel.errors import NotFound
from almanac.platform.store.contention import Retry


class RemovalResult(Struct, frozen=True):
    """A deleted memory. `restorable_until` is None if it is gone. `restored` counts the originals of a deleted summary
    that come back."""

    memory: Memory
    layer: Layer
    restorable_until: int | None = None
    restored: int = 0


def remove(context: Context, memory_id: str) -> RemovalResult:
    """Delete a memory. Raises NotFound if the id has no readable memory."""
    removed = context.memory.retry_on_conflict(lambda: _remove(context, context.find(memory_id)))
    if removed.restored:
        # Only after the summary is forgotten. If this process dies first, a reaction restores them.
        for place in context.projects:
            restore_originals(place, removed.memory)
    return removed


def _remove(context: Context, held: LayerMemory) -> RemovalResult:
    project, memory = held.project, held.memory
    if held.layer == WORKING:
        project.store.write(drop_changes(project, memory))
        return RemovalResult(memory, held.layer)
    # The originals of a promoted summary stayed in the project.
    places = context.projects if memory.type == SUMMARY else ()
    restored = sum(count_originals(place, memory) for place in places)
    try:
        gone = forget(project, memory.id).record
    except NotFound:  # it was promoted meanwhile, so look it up again
        raise Retry from None
    return RemovalResult(memory, held.layer, hidden_period(gone, project.now())[1], restored)
