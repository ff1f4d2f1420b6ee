"""Stored records that accompany memories. Instants are milliseconds since 1970."""

from typing import Literal

from almanac.families.memory.core.records import Kind
from almanac.platform.store.records import Record, Table

FORGOTTEN_MEMORIES = "purge-forgotten-memories"
"""Name of the job. The store has it, so it must not change."""


class MemoryDigest(Record, frozen=True, kw_only=True):
    """The memory with a given digest. Equal memories have equal digests."""

    digest: str
    memory: str


class MemoryPurge(Record, frozen=True, kw_only=True):
    """A forgotten turn or memory to delete at `purge_at`, and the keys of the items to delete with it. The store may
    have expired the record itself by then. `by_choice`: an actor forgot it, rather than it lapsed or faded."""

    id: str
    kind: Kind
    purge_at: int
    digest: str | None = None
    sources: tuple[str, ...] = ()
    by_choice: bool = False


class MemoryChange(Record, frozen=True, kw_only=True):
    """A change of a memory at `until`: its text, or whether it was shown. The memory's own record has the details,
    unless it was promoted or deleted."""

    until: int
    memory: str
    expires_at: int


class Dismissal(Record, frozen=True, kw_only=True):
    """A memory or turn that no import may create again, because an actor forgot it for good or rewrote it here. `id` is
    the digest of the memory, or of the turn's own id. No text is kept."""

    id: str
    why: Literal["forgotten", "rewritten"]


DIGESTS = Table(MemoryDigest, "memory_digests", sort=("digest",))
PURGES = Table(MemoryPurge, "memory_purges", sort=("purge_at", "id"), wakes={FORGOTTEN_MEMORIES: "purge_at"})
CHANGES = Table(MemoryChange, "memory_changes", sort=("until", "memory"), expires="expires_at")
DISMISSALS = Table(Dismissal, "memory_dismissals", sort=("id",))
