"""Detection of turns that repeat an answer of memory."""

import json
from typing import Any

import pytest

from almanac.families.memory.core.records import Role, Turn
from almanac.families.memory.statements.recalled_text import is_recalled

RESULT = json.dumps({"hits": [{"content": "Deploys happen on Tuesdays"}], "untrusted": True})


def turn(
    content: str = "Deploys happen on Tuesdays", role: Role = "tool", tool: str | None = None, **metadata: Any
) -> Turn:
    return Turn(id="t", content=content, role=role, tool=tool, metadata=metadata, at=1, recorded_at=1, actor="ann")


@pytest.mark.parametrize(
    "recalled",
    [
        turn(tool="search_memory"),
        turn(tool="mcp__almanac__get_snapshot"),
        turn(tool="almanac.synthesize"),
        turn(tool_name="list_recent_turns"),
        turn(name="mcp__almanac__get_memory"),
        turn(role="assistant", recalled=True),
        turn(RESULT),
        turn(f"I asked memory and it says: {RESULT}", role="assistant"),
        turn(json.dumps({"content": [{"type": "text", "text": RESULT}]})),
        turn(json.dumps({"hits": ["x" * 50_000], "untrusted": True})),
        turn(json.dumps({"memory": {}, "memory_id": "m", "untrusted": True}, indent=2)),
    ],
)
def test_what_memory_returned_is_recalled(recalled: Turn) -> None:
    assert is_recalled(recalled)


@pytest.mark.parametrize(
    "fresh",
    [
        turn(),
        turn(tool="grep"),
        turn(tool="search_memory", role="user"),
        turn(role="assistant", recalled="true"),
        turn(role="assistant", recalled=False),
        turn(tool_name="research_memory_leaks"),
        turn("The field untrusted is true in hits.", role="user"),
        turn('{"untrusted": true}'),
        turn('{"hits": []}'),
    ],
)
def test_what_is_only_about_it_is_not(fresh: Turn) -> None:
    assert not is_recalled(fresh)
