"""Parser of hook events from every client into one form. A missing or malformed field becomes None, never an error."""

from collections.abc import Mapping
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

Json = dict[str, Any]
Kind = Literal["start", "prompt", "before_edit", "after_edit", "error", "turns", "end", "other"]

CLIENTS = ("claude-code", "codex", "cursor", "gemini", "vscode", "copilot", "opencode", "windsurf")
MAX_BODY_BYTES = 2 * 1024 * 1024
_MOST_TURNS = 100
_NAME_CHARACTERS = 128
_PATH_CHARACTERS = 1000

_KINDS: dict[str, Kind] = {
    "sessionstart": "start",
    "userpromptsubmit": "prompt",
    "beforesubmitprompt": "prompt",
    "beforeagent": "prompt",
    "userpromptsubmitted": "prompt",
    "preuserprompt": "prompt",
    "pretooluse": "before_edit",
    "beforetool": "before_edit",
    "posttooluse": "after_edit",
    "aftertool": "after_edit",
    "afterfileedit": "after_edit",
    "postwritecode": "after_edit",
    "posttoolusefailure": "error",
    "stop": "turns",
    "subagentstop": "turns",
    "precompact": "turns",
    "precompress": "turns",
    "afteragent": "turns",
    "afteragentresponse": "turns",
    "agentstop": "turns",
    "postcascaderesponse": "turns",
    "sessionend": "end",
}
"""Kinds of events by the client's event name, in lower case without hyphens and underscores."""
_ALWAYS_EDITS = frozenset({"afterfileedit", "postwritecode"})
_EDITING = frozenset(
    {
        "edit",
        "write",
        "multiedit",
        "notebookedit",
        "applypatch",
        "writefile",
        "replace",
        "create",
        "streditor",
        "strreplaceeditor",
        "editfile",
        "createfile",
        "inserteditintofile",
        "replacestringinfile",
        "searchreplace",
        "patch",
    }
)
_PATHS = ("file_path", "filePath", "notebook_path", "path", "absolute_path", "target_file", "file")
_PATCHED = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
_READS_TRANSCRIPT = frozenset({"claude-code", "codex"})
"""Clients whose transcript the installed script reads at the end of each answer."""


class SentTurn(Struct, frozen=True):
    """One message of a transcript, as the installed script sends it."""

    id: str
    role: Literal["user", "assistant"]
    text: str
    at: str | int | None = None
    agent: str | None = None


class HookEvent(Struct, frozen=True, kw_only=True):
    """An event of a client.

    `name` is the client's own name for the event. `path` is the edited file, relative to `folder` if it lies there.
    `repository` identifies the repository in all of its worktrees. `turns` is None if the sender reads no transcript.
    `once` distinguishes a repeated event from a new one. `at` is the time of the event in milliseconds since 1970."""

    client: str
    kind: Kind
    name: str
    session: str | None
    folder: str | None = None
    repository: str | None = None
    source: str = ""
    prompt: str = ""
    reply: str = ""
    agent: str | None = None
    path: str | None = None
    command: str | None = None
    error: str | None = None
    turns: tuple[SentTurn, ...] | None = None
    once: str | None = None
    at: int | None = None
    has_transcript: bool = False


def read_event(client: str, body: bytes, named: str = "") -> HookEvent | None:
    """Return the event, or None if the body is too large or no JSON object. `named` is the event's name in case the
    client's JSON lacks it."""
    if len(body) > MAX_BODY_BYTES:
        return None
    try:
        value = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        return None
    return _event(client, cast("Json", value), named) if isinstance(value, dict) else None


def _event(client: str, given: Json, named: str) -> HookEvent:
    carried = as_object(given.get("almanac"))
    if client == "claude-code" and "hook_event_name" not in given:
        # Both Copilots also read the settings of Claude Code.
        client = "vscode" if "hookEventName" in given else "copilot" if "toolName" in given or named else client
    name = _first(given, "hook_event_name", "hookEventName", "agent_action_name", "event") or named
    plain = _plain(name)
    tool = as_object(given.get("tool_input") or given.get("toolInput") or _decode_json(given.get("toolArgs")))
    tool = tool or as_object(given.get("tool_info"))
    tool_name = _plain(_first(given, "tool_name", "toolName"))
    kind = _KINDS.get(plain, "other")
    failed = kind == "after_edit" and _failure(given)
    if failed:
        kind = "error"
    elif kind in ("before_edit", "after_edit") and tool_name not in _EDITING and plain not in _ALWAYS_EDITS:
        kind = "other"
    folder = (
        _first(carried, "root") or _first(given, "cwd", "directory") or _first_text_in(given.get("workspace_roots"))
    )
    turns: Any = carried.get("turns")
    return HookEvent(
        client=client,
        kind=kind,
        name=name[:_NAME_CHARACTERS],
        session=_session(given),
        folder=folder[:_PATH_CHARACTERS] or None,
        repository=_first(carried, "repository")[:_NAME_CHARACTERS] or None,
        source=_first(given, "source", "composer_mode"),
        prompt=_first(given, "prompt", "initialPrompt") or _first(tool, "user_prompt"),
        reply=_first(given, "last_assistant_message", "prompt_response", "text") or _first(tool, "response"),
        agent=_first(given, "agent_type")[:_NAME_CHARACTERS] or None,
        path=_relative(_path(tool) or _path(given), folder),
        command=_first(tool, "command") or None,
        error=(failed or _first(given, "error")) or None,
        turns=_turns(cast("list[Any]", turns)) if isinstance(turns, list) else None,
        once=_first(given, "generation_id", "turn_id", "prompt_id") or _stamp(given) or _first(carried, "once") or None,
        at=at if isinstance(at := carried.get("at"), int) and not isinstance(at, bool) else None,
        has_transcript=client in _READS_TRANSCRIPT and bool(_first(given, "transcript_path")),
    )


def _session(given: Json) -> str | None:
    # Newer builds of Cursor send both ids. The conversation's id is the stable one.
    text = _first(given, "conversation_id", "session_id", "sessionId", "sessionID", "trajectory_id")
    return text[:_NAME_CHARACTERS] or None


def _stamp(given: Json) -> str:
    stamp = given.get("timestamp")
    return str(stamp) if isinstance(stamp, str | int) and not isinstance(stamp, bool) else ""


def _failure(given: Json) -> str:
    """Return the error that a tool's result states itself, or "" if it states none."""
    result = given.get("tool_response", given.get("toolResult"))
    result = _decode_json(result) if isinstance(result, str) else result
    said = as_object(result)
    if _first(said, "resultType") == "failure":
        return _first(said, "textResultForLlm") or "The tool failed."
    wrong = said.get("error")
    if isinstance(wrong, dict):
        wrong = cast("Json", wrong).get("message")
    if isinstance(wrong, str) and wrong.strip():
        return wrong
    code = said.get("exit_code", said.get("exitCode"))
    if isinstance(code, int) and not isinstance(code, bool) and code != 0:
        return _first(said, "stderr", "output", "stdout") or f"It ended with status {code}."
    return ""


def _turns(given: list[Any]) -> tuple[SentTurn, ...]:
    turns: list[SentTurn] = []
    for one in given[:_MOST_TURNS]:
        try:
            turns.append(msgspec.convert(one, SentTurn))
        except msgspec.ValidationError:
            continue
    return tuple(turns)


def _path(values: Mapping[str, Any]) -> str:
    if path := _first(values, *_PATHS):
        return path
    patch = _first(values, "input", "patch", "command")
    for line in patch.splitlines()[:200]:
        for mark in _PATCHED:
            if line.startswith(mark):
                return line.removeprefix(mark).strip()
    return ""


def _relative(path: str, folder: str) -> str | None:
    path, folder = (text.replace("\\", "/") for text in (path, folder))
    if folder and path.startswith(folder.rstrip("/") + "/"):
        path = path[len(folder.rstrip("/")) + 1 :]
    return path[:_PATH_CHARACTERS] or None


def _first(values: Mapping[str, Any], *names: str) -> str:
    """Return the first of the named values that is a non-blank string, or ""."""
    return next((text for name in names if isinstance(text := values.get(name), str) and text.strip()), "")


def as_objects(value: Any) -> list[Json]:
    """Return the objects in a list, or an empty list if the value is no list."""
    listed = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Json", one) for one in listed if isinstance(one, dict)]


def _first_text_in(values: Any) -> str:
    found = cast("list[Any]", values) if isinstance(values, list) else []
    return found[0] if found and isinstance(found[0], str) else ""


def as_object(value: Any) -> Json:
    """Return the value if it is an object, else an empty object."""
    return cast("Json", value) if isinstance(value, dict) else {}


def _decode_json(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except (ValueError, RecursionError):
        return None


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(".", "")
