"""Terms of the context contract: types, layers and sources, and the types of memories that other tools made."""

from collections.abc import Mapping
from typing import Literal

from almanac.families.memory.core.records import Memory, MemoryKind

MemoryType = Literal["code_pattern", "bug_fix", "decision", "convention", "scratchpad", "relationship"]
"""Types that a caller may store. context_summarize adds `summary`."""

ReadType = Literal[
    "code_pattern",
    "bug_fix",
    "decision",
    "convention",
    "scratchpad",
    "relationship",
    "summary",
    "observation",
    "code",
    "message",
    "thought",
    "documentation",
    "error",
]
"""Types that a stored memory may have. Other tools and imports add their own."""

Layer = Literal[1, 2, 3]
WORKING, PROJECT, SHARED = 1, 2, 3

MemorySource = Literal["user_explicit", "ai_inferred", "system_auto"]
CliType = Literal["kimi", "claude", "claude-code", "opencode", "codex", "gemini", "cursor", "generic"]

KEPT_KINDS: tuple[MemoryKind, ...] = ("pinned", "semantic")
"""Kinds of memories in layers 2 and 3. Those of layer 1 have the kind working."""

_OF_KIND: Mapping[MemoryKind, ReadType] = {
    "pinned": "observation",
    "semantic": "observation",
    "working": "scratchpad",
    "consolidated": "summary",
    "reflection": "summary",
}


def type_of(memory: Memory) -> str:
    """Return the type under which a memory was stored, or the one for its kind if another tool made it."""
    return memory.type or _OF_KIND[memory.kind]
