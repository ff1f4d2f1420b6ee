"""Detect turns that repeat an answer of a memory tool. A summary must not treat them as news."""

import re
from collections.abc import Mapping
from typing import Any

from almanac.families.memory.core.records import Turn
from almanac.families.memory.statements.sentences import HEAD_CHARACTERS, TAIL_CHARACTERS

RECALLING_TOOLS = frozenset(
    {
        "search_memory",
        "search_entities",
        "get_snapshot",
        "synthesize",
        "list_recent_turns",
        "get_memory",
        "list_candidates",
    }
)
_TOOL_FIELDS = ("tool", "tool_name", "name", "function")
_MARK = re.compile(r'\\?"untrusted\\?"\s*:\s*true')
_FIELD = re.compile(
    r'\\?"(?:hits|memories|turns|turn_id|memory_id|cited_memory_ids|citations|gaps|candidates|recent_turns|pinned)\\?"\s*:'
)


def is_recalled(turn: Turn) -> bool:
    """Return whether the turn contains the answer of a memory tool."""
    if turn.metadata.get("recalled") is True:
        return True
    if turn.role == "tool" and (_is_recalling(turn.tool) or any(map(_is_recalling, _tools_in(turn.metadata)))):
        return True
    return has_tool_result(turn.content)


def has_tool_result(text: str) -> bool:
    """Return whether the text contains the result of a memory tool as JSON, even inside other JSON."""
    head, tail = text[:HEAD_CHARACTERS], text[-TAIL_CHARACTERS:]
    return any(_MARK.search(part) for part in (head, tail)) and any(_FIELD.search(part) for part in (head, tail))


def _tools_in(metadata: Mapping[str, Any]) -> list[Any]:
    return [metadata.get(name) for name in _TOOL_FIELDS]


def _is_recalling(tool: Any) -> bool:
    """Return whether the value names a memory tool. Clients may put the server's name first, as in
    mcp__almanac__search_memory."""
    return isinstance(tool, str) and re.split(r"[^a-z_]|__", tool.lower())[-1] in RECALLING_TOOLS
