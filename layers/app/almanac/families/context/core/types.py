"""The words of the contract: types, layers, sources, and what memories of other tools are called here."""

from collections.abc import Mapping
from typing import Literal

from almanac.families.memory.core.records import Memory, MemoryKind

MemoryType = Literal["code_pattern", "bug_fix", "decision", "convention", "scratchpad", "relationship"]
"""What is stored as. `summary` is what context_summarize makes."""

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
"""What a memory may be when it is read: those of other tools, and of files from elsewhere, have their own types."""

Layer = Literal[1, 2, 3]
WORKING, PROJECT, SHARED = 1, 2, 3

MemorySource = Literal["user_explicit", "ai_inferred", "system_auto"]
CliType = Literal["kimi", "claude", "claude-code", "opencode", "codex", "gemini", "cursor", "generic"]

KEPT_KINDS: tuple[MemoryKind, ...] = ("pinned", "semantic")
"""The kinds of memories in layers 2 and 3. Those of layer 1 are of the kind working."""

_OF_KIND: Mapping[MemoryKind, ReadType] = {
    "pinned": "observation",
    "semantic": "observation",
    "working": "scratchpad",
    "consolidated": "summary",
    "reflection": "summary",
}


def type_of(memory: Memory) -> str:
    """What it was stored as, or what memories of its kind are that other tools made."""
    return memory.type or _OF_KIND[memory.kind]
