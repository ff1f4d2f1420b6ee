"""Reader of ChatGPT's export: conversations.json, one array of all conversations.

A conversation is a tree of messages, because an answer can be generated again. Its owner last saw the branch that leads
from the root to `current_node`, and only this branch is imported.
"""

from collections.abc import Iterator
from typing import Any, BinaryIO, Literal

import msgspec
from msgspec import Struct

from almanac.composition.commands.memory_import import TurnToImport
from almanac.kernel.errors import InvalidInput
from almanac.local.memory_import.json_array import Element, elements_of
from almanac.local.memory_import.units import Unit, fit_turn, present_fields, short, texts_in

SOURCE = "chatgpt"
_UNSAID = frozenset({"user_editable_context", "model_editable_context", "thoughts", "reasoning_recap", "system_error"})
_Role = Literal["user", "assistant", "tool", "system"]


class _Author(Struct):
    role: str | None = None
    name: str | None = None


class _Message(Struct):
    id: str | None = None
    author: _Author | None = None
    create_time: float | None = None
    content: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    recipient: str | None = None


class _Node(Struct):
    message: _Message | None = None
    parent: str | None = None


class _Conversation(Struct):
    mapping: dict[str, _Node]
    id: str | None = None
    conversation_id: str | None = None
    create_time: float | None = None
    current_node: str | None = None
    title: str | None = None

    @property
    def name(self) -> str | None:
        return self.conversation_id or self.id


def read(source: BinaryIO) -> Iterator[Unit]:
    """Yield a unit for each conversation. Raises InvalidInput if the file holds no list of conversations."""
    try:
        yield from map(_unit, elements_of(source))
    except ValueError as problem:
        raise InvalidInput(
            "The file holds no list of conversations.", "Name conversations.json of the export, unpacked."
        ) from problem


def _unit(element: Element) -> Unit:
    place = f"conversation {element.number}"
    if element.text is None:
        return Unit(element.end, place, problem="It is too long.")
    try:
        conversation = msgspec.json.decode(element.text, type=_Conversation)
    except msgspec.ValidationError as problem:
        return Unit(element.end, place, problem=str(problem))
    except (ValueError, RecursionError):
        return Unit(element.end, place, problem="It is not JSON, or ends too early.")
    turns = [turn for node in _branch(conversation) if (turn := _turn(conversation, node)) is not None]
    return Unit(element.end, place, tuple(map(fit_turn, turns)))


def _branch(conversation: _Conversation) -> list[_Message]:
    """Return the messages of the branch that its owner last saw, from the root on."""
    messages: list[_Message] = []
    seen: set[str] = set()
    place = conversation.current_node or next(reversed(conversation.mapping), None)
    while place is not None and place not in seen and (node := conversation.mapping.get(place)) is not None:
        seen.add(place)
        if node.message is not None:
            messages.append(node.message)
        place = node.parent
    return messages[::-1]


def _turn(conversation: _Conversation, message: _Message) -> TurnToImport | None:
    role, content = _role(message), _text_of(message.content or {})
    hidden = (message.metadata or {}).get("is_visually_hidden_from_conversation") is True
    if role is None or hidden or not content.strip():
        return None
    at = message.create_time or conversation.create_time
    author = message.author or _Author()
    called = message.recipient if role == "tool" and author.role == "assistant" else author.name
    return TurnToImport(
        content=content,
        role=role,
        session_id=conversation.name,
        client_turn_id=f"{SOURCE}:{message.id}" if message.id else None,
        occurred_at=round(at * 1000) if at else None,
        tool=SOURCE,
        metadata=present_fields(
            source=SOURCE, title=short(conversation.title), tool_name=short(called) if role == "tool" else None
        ),
    )


def _role(message: _Message) -> _Role | None:
    role = message.author.role if message.author else None
    if role == "assistant" and message.recipient not in (None, "all"):
        return "tool"  # the model calls a tool
    return role if role in ("user", "assistant", "tool", "system") else None


def _text_of(content: dict[str, Any]) -> str:
    """Return the text of a message's content: text, code, tool output, or the text between images and recordings."""
    if content.get("content_type") in _UNSAID:
        return ""
    parts = content.get("parts")
    if not isinstance(parts, list):
        return next((text for name in ("text", "result") if isinstance(text := content.get(name), str)), "")
    return texts_in(parts)
