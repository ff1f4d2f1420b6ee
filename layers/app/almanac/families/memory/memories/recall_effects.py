"""Salience of recalled memories: a read leaves a note, and a reaction raises the salience."""

from collections.abc import Sequence
from contextlib import suppress

from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.families.memory.memories.salience import used
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
"""Hits of a search that count as recalled: hardly anybody reads further."""


def recalled(project: MemoryProject, ids: Sequence[str]) -> None:
    """Note that the memories among the first 10 `ids` were recalled; ids of turns change nothing. If the note cannot be
    written, the reader is answered all the same."""
    if not ids:
        return
    payload = {"ids": list(dict.fromkeys(ids))[:MOST]}
    with suppress(AlmanacError):
        event = project.event(MEMORY_RECALLED, f"recalled/{ids[0]}", payload, at=project.now())
        project.store.write(outbox([event]))


def raise_salience(event: Event, services: Services) -> Sequence[Change]:
    """The changes that count one use of each memory that is still remembered."""
    rows = MEMORIES.within(services.get(Store), event.scope)
    found = rows.by_id(event.payload["ids"])
    return [_counted(rows, one, event.at) for one in found.values() if is_remembered(one, event.at)]


RECALL = Reaction("memory.raise_salience", frozenset([MEMORY_RECALLED]), raise_salience)


def _counted(rows: Rows[Memory], memory: Memory, at: int) -> Change:
    # The version stays: search compares it with what it has, and nothing that is searched for has changed.
    after = used(memory, at)
    return Update(
        rows.key(memory.id),
        set={"salience": after.salience, "used_at": after.used_at},
        add={"uses": 1},
        condition=Equals("forgotten_at", None),
    )
