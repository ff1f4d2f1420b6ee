"""Answers to hooks in each client's own JSON. A client that accepts no text at an event gets its empty answer."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from almanac.gateway.hooks.events import HookEvent, Kind

Json = dict[str, Any]
EMPTY: Json = {}

_TAKES_TEXT: dict[str, frozenset[Kind]] = {
    "claude-code": frozenset({"start", "prompt", "before_edit", "after_edit", "error"}),
    "codex": frozenset({"start", "prompt", "after_edit"}),
    "cursor": frozenset({"start", "prompt", "after_edit"}),
    "gemini": frozenset({"start", "prompt", "after_edit"}),
    "vscode": frozenset({"start", "before_edit", "after_edit"}),
    "copilot": frozenset({"start"}),
    "opencode": frozenset({"start", "prompt"}),
    "windsurf": frozenset(),
}
_NO_TEXT_AT = frozenset({"afterFileEdit"})
"""Events whose output Cursor does not read."""


class Reply(Struct, frozen=True):
    """The content of an answer. `text` goes to the model as data. `ask` tells a person something before an edit."""

    text: str = ""
    ask: str = ""


def takes_text(event: HookEvent) -> bool:
    """Return whether the client passes text in the answer to this event on to its model."""
    return event.kind in _TAKES_TEXT.get(event.client, frozenset()) and event.name not in _NO_TEXT_AT


def answer_of(event: HookEvent, reply: Reply) -> Json:
    """Return the answer in the client's JSON, with only the keys that the client documents for the event."""
    text = reply.text if takes_text(event) else ""
    if not text and not reply.ask:
        return EMPTY
    return _WRITERS[event.client](event, text, reply.ask)


def _as_claude(event: HookEvent, text: str, ask: str) -> Json:
    output: Json = {"hookEventName": event.name}
    if ask and event.kind == "before_edit":
        output |= {"permissionDecision": "ask", "permissionDecisionReason": ask}
    if text:
        output["additionalContext"] = text
    return {"hookSpecificOutput": output} if len(output) > 1 else EMPTY


def _as_codex(event: HookEvent, text: str, ask: str) -> Json:
    """Return the answer for Codex, which cannot ask before an edit. The person sees a message, and the edit goes on."""
    answer = _as_claude(event, text, "")
    return answer | ({"systemMessage": ask} if ask else {})


def _as_cursor(event: HookEvent, text: str, ask: str) -> Json:
    if event.kind == "before_edit":
        return {"permission": "ask", "user_message": ask, "agent_message": ask} if ask else EMPTY
    answer: Json = {"additional_context": text} if text else {}
    return {"continue": True, **answer} if event.kind == "prompt" and answer else answer


def _as_copilot(event: HookEvent, text: str, ask: str) -> Json:
    if event.kind == "before_edit":
        return {"permissionDecision": "ask", "permissionDecisionReason": ask} if ask else EMPTY
    return {"additionalContext": text} if text else EMPTY


def _as_opencode(_event: HookEvent, text: str, ask: str) -> Json:
    return ({"context": text} if text else {}) | ({"notice": ask} if ask else {})


def _as_nothing(_event: HookEvent, _text: str, _ask: str) -> Json:
    return EMPTY


_WRITERS: dict[str, Callable[[HookEvent, str, str], Json]] = {
    "claude-code": _as_claude,
    "vscode": _as_claude,
    "codex": _as_codex,
    "gemini": _as_codex,
    "cursor": _as_cursor,
    "copilot": _as_copilot,
    "opencode": _as_opencode,
    "windsurf": _as_nothing,
}
