"""Deleting a memory: what was kept can be restored for 30 days, a working memory is gone."""

from collections.abc import Sequence
from typing import Any, cast

from msgspec import Struct

from almanac.families.context.core.context import Context, Held
from almanac.families.context.core.types import WORKING, Layer
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory
from almanac.families.memory.memories.forgetting import forget, forgotten_from
from almanac.families.memory.memories.lapsing import drop_changes
from almanac.families.memory.memories.superseding import unsupersede
from almanac.kernel.errors import NotFound
from almanac.platform.store.contention import Retry

ORIGINALS = "originalIds"
"""Where the metadata of a summary name what it was made of."""
_AT_ONCE = 30
"""Three changes each: a write has room for them, and for the texts of the longest."""


class Removed(Struct, frozen=True):
    """`restorable_until` is None for what is gone. `restored`: how many memories that a summary held in place of are
    back."""

    memory: Memory
    layer: Layer
    restorable_until: int | None = None
    restored: int = 0


def remove(context: Context, memory_id: str) -> Removed:
    """Raises NotFound for an id under which nothing may be read."""
    return context.memory.retrying(lambda: _removed(context, context.find(memory_id)))


def restore_originals(project: MemoryProject, summary: Memory) -> int:
    """Bring back what was superseded by a summary, before that goes; returns how many memories. One that something
    else superseded since stays as it is."""
    ids = list(dict.fromkeys([*summary.derived_from, *_named(summary)]))
    batches = (ids[start : start + _AT_ONCE] for start in range(0, len(ids), _AT_ONCE))
    return sum(project.retrying(lambda some=some: _restored(project, summary.id, some)) for some in batches)


def _removed(context: Context, held: Held) -> Removed:
    project, memory = held.project, held.memory
    if held.layer == WORKING:
        project.store.write(drop_changes(project, memory))
        return Removed(memory, held.layer)
    # First, so that a process which dies between leaves a summary that can be deleted again.
    # Those of a summary that was promoted stayed in the project.
    places = context.projects if memory.type == "summary" else ()
    restored = sum(restore_originals(place, memory) for place in places)
    try:
        gone = forget(project, memory.id).record
    except NotFound:  # it was promoted meanwhile, and is found anew
        raise Retry from None
    return Removed(memory, held.layer, forgotten_from(gone, project.now())[1], restored)


def _restored(project: MemoryProject, summary: str, ids: Sequence[str]) -> int:
    found = project.rows(MEMORIES).by_id(ids)
    hidden = [each for each in found.values() if each.superseded_by == summary]
    changes = [change for each in hidden for change in unsupersede(project, each, None, None)]
    if changes:
        project.store.write(changes)
    return len(hidden)


def _named(summary: Memory) -> list[str]:
    named = summary.metadata.get(ORIGINALS)
    return [each for each in cast("list[Any]", named) if isinstance(each, str)] if isinstance(named, list) else []
