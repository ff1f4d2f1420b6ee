"""What makes two memories the same."""

import msgspec

from almanac.families.memory.core.memory import digest_of
from almanac.families.memory.core.records import Memory


def digest_of_memory(memory: Memory) -> str:
    """Two memories with the same digest say the same in the same words, wherever they come from otherwise."""
    metadata = msgspec.json.encode(memory.metadata, order="sorted").decode()
    tags, sources = "\n".join(sorted(memory.tags)), "\n".join(sorted(memory.derived_from))
    return digest_of(memory.kind, memory.content, tags, metadata, memory.tool or "", sources)
