"""Made-up conversations in the formats of other programs, and a memory that remembers them in a list."""

import json
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from almanac.composition.commands.memory_import import Outcome, ToImport, TurnToImport
from almanac.kernel.errors import Unavailable
from almanac.local.memory_import.units import Reader, Unit

Json = dict[str, Any]
AT = "2026-02-18T14:30:00.250Z"
AT_MS = 1_771_425_000_250


def json_lines(*values: Any) -> bytes:
    """Lines of JSON; bytes as they are."""
    lines = [value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode() for value in values]
    return b"".join(line + b"\n" for line in lines)


def units(read: Reader, *values: Any) -> list[Unit]:
    return list(read(BytesIO(json_lines(*values))))


def turns(read: Reader | Callable[[BinaryIO], Any], *values: Any) -> list[TurnToImport]:
    found = (turn for unit in units(read, *values) for turn in unit.turns)
    return [turn for turn in found if isinstance(turn, TurnToImport)]


def claude_line(kind: str, content: Any, **fields: Any) -> Json:
    known: Json = {
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": "5c0f",
        "timestamp": AT,
        "cwd": "/work/shop",
        "gitBranch": "main",
        "isSidechain": False,
        "userType": "external",
        "version": "2.0.1",
    }
    return known | fields


def codex_line(payload: Json, kind: str = "response_item", at: str = AT) -> Json:
    return {"timestamp": at, "type": kind, "payload": payload}


def codex_meta(session: str = "0199-aa") -> Json:
    return codex_line({"id": session, "timestamp": AT, "cwd": "/work/shop", "cli_version": "0.65.0"}, "session_meta")


def codex_message(role: str, text: str) -> Json:
    kind = "output_text" if role == "assistant" else "input_text"
    return codex_line({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})


def message(name: str, role: str, text: str, **fields: Any) -> Json:
    known: Json = {
        "id": name,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": AT_MS / 1000,
        "content": {"content_type": "text", "parts": [text]},
        "metadata": {},
        "recipient": "all",
        "weight": 1.0,
    }
    return known | fields


def conversation(name: str, *messages: Json, **fields: Any) -> Json:
    """One branch of messages below an empty root."""
    mapping: Json = {"root": {"id": "root", "message": None, "parent": None, "children": []}}
    parent = "root"
    for one in messages:
        mapping[one["id"]] = {"id": one["id"], "message": one, "parent": parent, "children": []}
        parent = one["id"]
    known: Json = {
        "title": "A talk",
        "create_time": 1.0,
        "mapping": mapping,
        "current_node": parent,
        "conversation_id": name,
    }
    return known | fields


class FakeMemory:
    """Records turns by their client_turn_id. `fails_after`: so many calls are answered, then it is unavailable."""

    def __init__(self, fails_after: int | None = None) -> None:
        self.turns: dict[str, TurnToImport] = {}
        self.calls: list[int] = []
        self.refusing: str | None = None
        self.fails_after = fails_after
        self.interrupted_after: int | None = None

    def __call__(self, items: Sequence[ToImport]) -> list[Outcome]:
        turns = [one for one in items if isinstance(one, TurnToImport)]
        if self.fails_after is not None and len(self.calls) >= self.fails_after:
            raise Unavailable("The store does not answer.", "Try again.")
        if self.interrupted_after is not None and len(self.calls) >= self.interrupted_after:
            raise KeyboardInterrupt
        self.calls.append(len(turns))
        return [self._one(turn) for turn in turns]

    def _one(self, turn: TurnToImport) -> Outcome:
        if turn.content == self.refusing:
            return Outcome("refused", "It is not wanted.")
        name = turn.client_turn_id or turn.content
        known = name in self.turns
        self.turns[name] = turn
        return Outcome("known" if known else "recorded")


def file_of(folder: Path, name: str, *values: Any) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(json_lines(*values))
    return file
