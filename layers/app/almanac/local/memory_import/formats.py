"""Formats of files that can be imported, and the reader of each."""

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, cast

import msgspec

from almanac.kernel.errors import InvalidInput
from almanac.local.memory_import import chatgpt, claude_code, claude_mem, codex, memory_exports, own_lines
from almanac.local.memory_import.lines import lines_of
from almanac.local.memory_import.units import Reader

READERS: Mapping[str, Reader] = {
    "jsonl": own_lines.read,
    "claude-code": claude_code.read,
    "codex": codex.read,
    "chatgpt": chatgpt.read,
    "claude-mem": claude_mem.read,
    "mem0": memory_exports.read_mem0,
    "mcp-memory-service": memory_exports.read_service,
}
AUTO = "auto"
_NAMES = {
    "jsonl": ("*.jsonl",),
    "claude-code": ("*.jsonl",),
    "codex": ("rollout-*.jsonl",),
    "chatgpt": ("conversations*.json",),
    "claude-mem": ("claude-mem.db",),
    "mem0": ("*.json", "*.jsonl", "*.jsonl.gz", "*.zip"),
    "mcp-memory-service": ("sqlite_vec.db", "*.json"),
    AUTO: ("*.jsonl", "conversations*.json"),
}
_LOOKED_AT = 20
_LOOKED_AT_BYTES = 1024 * 1024
_OF_CODEX = frozenset({"session_meta", "response_item", "turn_context", "event_msg"})
_OF_CLAUDE_CODE = frozenset({"user", "assistant", "summary", "system", "file-history-snapshot", "queue-operation"})


def files_in(path: Path, chosen: str) -> list[Path]:
    """Return `path` if it is a file. For a folder, return the files in it and below whose names fit the format.

    Raises InvalidInput if a folder has no such file.
    """
    if not path.is_dir():
        return [path]
    found = sorted({file for name in _NAMES[chosen] for file in path.rglob(name) if file.is_file()})
    if not found:
        names = " or ".join(_NAMES[chosen])
        raise InvalidInput(f"There is no {names} in {path}.", "Name a file, or another folder.")
    return found


def format_of(file: Path, chosen: str) -> str | None:
    """Return the chosen format. For AUTO, detect it from the beginning of the file, or return None if it is unknown."""
    if chosen != AUTO:
        return chosen
    with file.open("rb") as source:
        begin = source.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")
        if begin.startswith(b"["):
            return "chatgpt"
        source.seek(0)
        values = [_value(line.text) for line in islice(lines_of(source, _LOOKED_AT_BYTES), _LOOKED_AT)]
    return _format_of_entries([cast("dict[str, Any]", value) for value in values if isinstance(value, dict)])


def _value(text: bytes | None) -> Any:
    try:
        return msgspec.json.decode(text or b"null")
    except (ValueError, RecursionError):
        return None


def _format_of_entries(entries: Sequence[dict[str, Any]]) -> str | None:
    for entry in entries:
        kind = entry.get("type")
        if kind in _OF_CODEX or (kind is None and {"id", "timestamp"} <= entry.keys() and "content" not in entry):
            return "codex"
        if kind in _OF_CLAUDE_CODE and not entry.keys().isdisjoint({"uuid", "sessionId", "leafUuid", "messageId"}):
            return "claude-code"
        if isinstance(entry.get("content"), str):
            return "jsonl"
    return None
