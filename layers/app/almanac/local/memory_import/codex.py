"""Reader of Codex's rollouts: ~/.codex/sessions/<year>/<month>/<day>/rollout-<time>-<session>.jsonl.

Each line is {timestamp, type, payload}. The type session_meta identifies the session, and response_item holds messages
and tool calls. Other types repeat these for the screen. Earlier versions wrote the payloads alone, after a first line
about the session. The reader skips reasoning, and the text that the program itself puts into messages of the user.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO, Literal, cast

import msgspec
from msgspec import Struct

from almanac.composition.commands.memory_import import TurnToImport
from almanac.local.memory_import.lines import Line, lines_of, units_of
from almanac.local.memory_import.units import Unit, Unreadable, instant, present_fields, short, texts_in

SOURCE = "codex"
_INJECTED = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<user_action>",
    "# AGENTS.md instructions",
)
_CALLS = {"function_call": "arguments", "custom_tool_call": "input", "local_shell_call": "action"}
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
_Role = Literal["user", "assistant", "tool"]


class _Session(Struct):
    """Session as known from the lines read so far. `tools` maps the id of each tool call to the tool's name."""

    id: str | None = None
    cwd: str | None = None
    started: str | None = None
    tools: dict[str, str] = msgspec.field(default_factory=dict[str, str])


def read(source: BinaryIO) -> Iterator[Unit]:
    session = _Session()
    return units_of(lines_of(source), lambda line, value: _turns(line, value, session))


def _turns(line: Line, value: Any, session: _Session) -> Iterator[TurnToImport]:
    if not isinstance(value, dict):
        raise Unreadable("It is not a JSON object.")
    entry = cast("dict[str, Any]", value)
    payload = entry.get("payload")
    kind: Any = entry.get("type")
    if not isinstance(payload, dict):
        payload = entry
        kind = "session_meta" if kind is None and isinstance(entry.get("id"), str) else "response_item"
    if kind == "session_meta":
        _begin(session, cast("dict[str, Any]", payload))
    elif kind == "response_item" and (found := _parse_payload(cast("dict[str, Any]", payload), session)) is not None:
        role, content, tool_name = found
        yield TurnToImport(
            content=content,
            role=role,
            session_id=session.id,
            client_turn_id=f"{SOURCE}:{session.id}:{line.number}" if session.id else None,
            occurred_at=instant(entry.get("timestamp")) or instant(session.started),
            tool=SOURCE,
            metadata=present_fields(source=SOURCE, tool_name=short(tool_name), cwd=session.cwd),
        )


def _begin(session: _Session, payload: dict[str, Any]) -> None:
    """Take the session's data from its first session_meta. The file of a forked session repeats, after its own first
    line, the lines of the session that it continues."""
    if session.id is None:
        session.id, session.cwd, session.started = (short(payload.get(name)) for name in ("id", "cwd", "timestamp"))


def _parse_payload(payload: dict[str, Any], session: _Session) -> tuple[_Role, str, str | None] | None:
    kind = payload.get("type")
    if kind == "message":
        role, text = payload.get("role"), _text_of(payload.get("content"))
        if role not in ("user", "assistant") or text.lstrip().startswith(_INJECTED):
            return None
        return role, text, None
    if kind in _CALLS:
        name = str(payload.get("name") or kind)
        session.tools[str(payload.get("call_id"))] = name
        return "tool", f"{name} {_text_of(payload.get(_CALLS[kind]))}", name
    if kind in _OUTPUTS:
        return "tool", _text_of(payload.get("output")), session.tools.get(str(payload.get("call_id")))
    return None


def _text_of(content: Any) -> str:
    """Return a text unchanged, the texts of a list of blocks, or any other value as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return texts_in(content)
    match content:
        case None:
            return ""
        case {"content": str(text)} | {"output": str(text)}:
            return text
        case _:
            return msgspec.json.encode(content).decode()
