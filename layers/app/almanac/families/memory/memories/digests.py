"""What makes two memories the same, and which memory of a project already says a thing."""

import msgspec
from msgspec import Struct

from almanac.families.memory.core.memory import MemoryProject, digest_of
from almanac.families.memory.core.records import MEMORIES, Memory, is_remembered
from almanac.families.memory.memories.records import DIGESTS, MemoryDigest
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Change


class Standing(Struct, frozen=True):
    """What a project has under the `digest` of a memory: its `row`, and the memory that still says `same`."""

    digest: str
    row: MemoryDigest | None
    same: Memory | None


def digest_of_memory(memory: Memory) -> str:
    """Two memories with the same digest say the same in the same words, wherever they come from otherwise."""
    metadata = msgspec.json.encode(memory.metadata, order="sorted").decode()
    tags, sources = "\n".join(sorted(memory.tags)), "\n".join(sorted(memory.derived_from))
    said = (memory.type, memory.place)
    context = [part or "" for part in said] if any(said) else []
    return digest_of(memory.kind, memory.content, tags, metadata, memory.tool or "", sources, *context)


def standing_for(project: MemoryProject, memory: Memory) -> Standing:
    digest = digest_of_memory(memory)
    row = project.rows(DIGESTS).get(digest)
    same = project.rows(MEMORIES).get(row.memory) if row else None
    # A memory that was rewritten since no longer says what the digest is of.
    says_it = same is not None and is_remembered(same, project.now()) and digest_of_memory(same) == digest
    return Standing(digest, row, same if says_it else None)


def digest_change(project: MemoryProject, standing: Standing, memory_id: str) -> Change:
    """The change from which on the digest leads to this memory."""
    condition = Absent() if standing.row is None else Equals("memory", standing.row.memory)
    return project.rows(DIGESTS).put(MemoryDigest(digest=standing.digest, memory=memory_id), condition)


def digest_removal(project: MemoryProject, memory: Memory) -> list[Change]:
    """The change from which on no digest leads to a memory that says something else now, or is gone; none where it led
    elsewhere before."""
    row = project.rows(DIGESTS).get(digest_of_memory(memory))
    if row is None or row.memory != memory.id:
        return []
    return [project.rows(DIGESTS).delete(row.digest, condition=Equals("memory", memory.id))]
