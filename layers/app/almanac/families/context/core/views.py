"""Memories as results show them. The contract has instants as ISO text in some results and as milliseconds in
others."""

from typing import Any

from msgspec import Struct

from almanac.families.context.core.types import type_of
from almanac.families.memory.core.records import Memory
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.kernel.instants import instant_at


class MemoryRow(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """The fields that every memory shows. `pinned` ones never fade. `weight` is 1 to 5. `notes` say where its texts,
    which others may have written, look like instructions or lost a part; `redacted` names the kinds of secrets removed
    before storage."""

    id: str
    type: str
    content: str
    metadata: dict[str, Any]
    tags: tuple[str, ...]
    pinned: bool
    weight: float | None = None
    redacted: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class MemoryView(MemoryRow, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """A memory; instants are milliseconds since 1970. `expires_at` is present if it ends by itself."""

    created_at: int
    updated_at: int
    access_count: int
    expires_at: int | None = None


class RecalledMemory(MemoryRow, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """A memory; instants are ISO 8601 text in UTC."""

    created_at: str
    updated_at: str


def memory_view(memory: Memory) -> MemoryView:
    quoting = TextQuoter()
    return MemoryView(
        **_row(memory, quoting),
        created_at=memory.at,
        updated_at=updated_at(memory),
        access_count=memory.uses,
        expires_at=memory.lapses_at,
        notes=quoting.notes,
    )


def recalled_memory(memory: Memory) -> RecalledMemory:
    quoting = TextQuoter()
    return RecalledMemory(
        **_row(memory, quoting),
        created_at=instant_text(memory.at),
        updated_at=instant_text(updated_at(memory)),
        notes=quoting.notes,
    )


def updated_at(memory: Memory) -> int:
    """Return when the text was last written, in milliseconds since 1970."""
    written = [step.at for step in memory.history if step.what in ("recorded", "rewritten", "edited", "promoted")]
    return max(written, default=memory.recorded_at)


def instant_text(instant: int) -> str:
    """Return an instant as the contract writes it: `2026-02-25T09:00:00.000Z`."""
    return instant_at(instant).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _row(memory: Memory, quoting: TextQuoter) -> dict[str, Any]:
    return {
        "id": memory.id,
        "type": type_of(memory),
        "content": quoting.text("content", memory.content),
        "metadata": quoting.json("metadata", memory.metadata),
        "tags": tuple(quoting.json("tags", list(memory.tags))),
        "pinned": memory.kind == "pinned",
        "weight": memory.weight,
        "redacted": memory.redacted,
    }
