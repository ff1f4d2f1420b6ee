"""Stored records that stand beside memories. Instants are milliseconds since 1970.

P#<tenant>#<project>#memory_digests   <digest>           MemoryDigest
P#<tenant>#<project>#memory_purges    <purge at>#<id>    MemoryPurge
P#<tenant>#<project>#memory_changes   <until>#<memory>   MemoryChange
P#<tenant>#<project>#memory_dismissals  <id>             Dismissal
"""

from typing import Literal

from almanac.families.memory.core.records import Kind
from almanac.platform.store.records import Record, Table

FORGOTTEN_MEMORIES = "purge-forgotten-memories"
"""The name of the job, which is stored."""


class MemoryDigest(Record, frozen=True, kw_only=True):
    """The memory with this text: `digest` identifies equal memories."""

    digest: str
    memory: str


class MemoryPurge(Record, frozen=True, kw_only=True):
    """A turn or memory that was forgotten and ends at `purge_at`, and what leads to the items that end with it: the
    store may have deleted the turn or memory itself by then. `by_choice`: an actor forgot it, it did not lapse or fade.
    """

    id: str
    kind: Kind
    purge_at: int
    digest: str | None = None
    sources: tuple[str, ...] = ()
    by_choice: bool = False


class MemoryChange(Record, frozen=True, kw_only=True):
    """Until `until`, a memory was something else, or was shown where it is not now, or the other way round. The memory
    itself says what; it may have been promoted, or be gone."""

    until: int
    memory: str
    expires_at: int


class Dismissal(Record, frozen=True, kw_only=True):
    """A memory that no import takes again: an actor forgot it for good, or rewrote it here. `id` is its digest,
    or that of a turn's id where it came from; no text is kept."""

    id: str
    why: Literal["forgotten", "rewritten"]


DIGESTS = Table(MemoryDigest, "memory_digests", sort=("digest",))
PURGES = Table(MemoryPurge, "memory_purges", sort=("purge_at", "id"), wakes={FORGOTTEN_MEMORIES: "purge_at"})
CHANGES = Table(MemoryChange, "memory_changes", sort=("until", "memory"), expires="expires_at")
DISMISSALS = Table(Dismissal, "memory_dismissals", sort=("id",))
