"""Detect new memories that exist already, and imports that must not bring a memory back."""

from typing import Literal

import msgspec
from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject, digest_of
from almanac.families.memory.core.records import MEMORIES, Memory, Turn, is_remembered
from almanac.families.memory.memories.records import DIGESTS, DISMISSALS, Dismissal, MemoryDigest
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Change

IMPORTED = "import"
"""Value of `tool` for memories imported from another program."""


class ExistingMemory(Struct, frozen=True):
    """The project's memory with a given digest, if any.

    `row` is the stored digest, `same` the memory if it is remembered and still has this text, and `forgot` the
    memory if an actor forgot it and can restore it."""

    digest: str
    row: MemoryDigest | None
    same: Memory | None
    forgot: Memory | None = None


class ImportOmission(Struct, frozen=True):
    """The reason why an import skips a memory. `restorable` is the id of a forgotten record that can still be
    restored."""

    why: Literal["forgotten", "rewritten"]
    restorable: str | None = None


def digest_of_memory(memory: Memory) -> str:
    """Return the digest of a memory. Equal digests mean the same text, tags, metadata, sources and tool."""
    metadata = msgspec.json.encode(memory.metadata, order="sorted").decode()
    tags, sources = "\n".join(sorted(memory.tags)), "\n".join(sorted(memory.derived_from))
    type_and_place = (memory.type, memory.place)
    context = [part or "" for part in type_and_place] if any(type_and_place) else []
    return digest_of(memory.kind, memory.content, tags, metadata, memory.tool or "", sources, *context)


def find_existing(project: MemoryProject, memory: Memory) -> ExistingMemory:
    digest = digest_of_memory(memory)
    row = project.rows(DIGESTS).get(digest)
    last = project.rows(MEMORIES).get(row.memory) if row else None
    # A memory that was rewritten since has another digest.
    if last is None or digest_of_memory(last) != digest:
        return ExistingMemory(digest, row, None)
    if is_remembered(last, project.now()):
        return ExistingMemory(digest, row, last)
    return ExistingMemory(digest, row, None, last if was_forgotten_by_choice(last) else None)


def was_forgotten_by_choice(record: Turn | Memory) -> bool:
    """Return whether an actor forgot the record. Otherwise it lapsed, faded or is not forgotten."""
    hidden = [step.what for step in record.history if step.what in ("forgotten", "restored", "lapsed", "faded")]
    return record.forgotten_at is not None and hidden[-1:] == ["forgotten"]


def find_omission(project: MemoryProject, existing: ExistingMemory) -> ImportOmission | None:
    """Return why an import skips this memory; None if it does not."""
    if existing.forgot is not None:
        return ImportOmission("forgotten", existing.forgot.id)
    row = project.rows(DISMISSALS).get(existing.digest)
    return None if row is None else ImportOmission(row.why)


def dismissal_of_turn(actor: str, client_turn_id: str) -> str:
    """Return the dismissal id of a turn."""
    return digest_of("turn", actor, client_turn_id)


def digest_change(project: MemoryProject, existing: ExistingMemory, memory_id: str) -> Change:
    """Return the change that makes the digest point to this memory."""
    condition = Absent() if existing.row is None else Equals("memory", existing.row.memory)
    return project.rows(DIGESTS).put(MemoryDigest(digest=existing.digest, memory=memory_id), condition)


def digest_removal(project: MemoryProject, memory: Memory) -> list[Change]:
    """Return the changes that remove the digest of a memory that was rewritten or deleted.

    There are none if the digest points to another memory."""
    row = project.rows(DIGESTS).get(digest_of_memory(memory))
    if row is None or row.memory != memory.id:
        return []
    removed: list[Change] = [project.rows(DIGESTS).delete(row.digest, condition=Equals("memory", memory.id))]
    if memory.tool == IMPORTED:
        removed.append(project.rows(DISMISSALS).put(Dismissal(id=row.digest, why="rewritten")))
    return removed
