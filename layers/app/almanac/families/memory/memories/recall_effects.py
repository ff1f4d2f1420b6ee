"""Raise the salience of recalled memories: a read sends an event, and a reaction raises the salience."""

from collections.abc import Sequence
from contextlib import suppress

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.families.memory.memories.salience import after_use
from almanac.kernel.errors import AlmanacError
from almanac.kernel.events import Event
from almanac.platform.bus.outbox import outbox
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, Store, Update
from almanac.platform.store.records import Rows

MEMORY_RECALLED = "memory_recalled"
MOST = 10
READ = 5
"""Number of search hits that count as recalled, because readers hardly look further."""


def note_recall(project: MemoryProject, ids: Sequence[str]) -> None:
    """Record that the first 10 of `ids` were recalled. Ids of turns have no effect.

    If this write fails, the read still succeeds."""
    if not ids:
        return
    payload = {"ids": list(dict.fromkeys(ids))[:MOST]}
    with suppress(AlmanacError):
        event = project.event(MEMORY_RECALLED, f"recalled/{ids[0]}", payload, at=project.now())
        project.store.write(outbox([event]))


def raise_salience(event: Event, services: Services) -> Sequence[Change]:
    """Return the changes that count one use of each memory that is still remembered."""
    rows = MEMORIES.within(services.get(Store), event.scope)
    memories = rows.by_id(event.payload["ids"])
    return [_use_change(rows, memory, event.at) for memory in memories.values() if is_remembered(memory, event.at)]


RECALL = Reaction("memory.raise_salience", frozenset([MEMORY_RECALLED]), raise_salience)


def _use_change(rows: Rows[Memory], memory: Memory, at: int) -> Change:
    # Keep the version. Search compares versions, and no searched field has changed.
    after = after_use(memory, at)
    return Update(
        rows.key(memory.id),
        set={"salience": after.salience, "used_at": after.used_at},
        add={"uses": 1},
        condition=Equals("forgotten_at", None),
    )
