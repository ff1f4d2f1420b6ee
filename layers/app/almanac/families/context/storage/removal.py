"""Deletion of a memory: a kept one can be restored for 30 days, a working memory is gone at once."""

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
    """`restorable_until` is None for what is gone. `restored`: how many memories that a summary held in place of come
    back."""

    memory: Memory
    layer: Layer
    restorable_until: int | None = None
    restored: int = 0


def remove(context: Context, memory_id: str) -> RemovalResult:
    """Raises NotFound for an id under which nothing may be read."""
    removed = context.memory.retrying(lambda: _removed(context, context.find(memory_id)))
    if removed.restored:
        # Now that it is forgotten. Where this process dies before, the event of that brings them back.
        for place in context.projects:
            restore_originals(place, removed.memory)
    return removed


def _removed(context: Context, held: LayerMemory) -> RemovalResult:
    project, memory = held.project, held.memory
    if held.layer == WORKING:
        project.store.write(drop_changes(project, memory))
        return RemovalResult(memory, held.layer)
    # Those of a summary that was promoted stayed in the project.
    places = context.projects if memory.type == SUMMARY else ()
    restored = sum(count_originals(place, memory) for place in places)
    try:
        gone = forget(project, memory.id).record
    except NotFound:  # it was promoted meanwhile, and is found anew
        raise Retry from None
    return RemovalResult(memory, held.layer, hidden_period(gone, project.now())[1], restored)
