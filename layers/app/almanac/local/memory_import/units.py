"""What readers of files make: one unit for each line or conversation, with the turns in it or what is wrong with it."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple, cast

from msgspec.structs import replace

from almanac.composition.commands.memory_import import CONTENT_BYTES, TurnToImport
from almanac.kernel.instants import milliseconds

MAX_UNIT_BYTES = 64 * 1024 * 1024
"""A line or a conversation that is longer is not read."""
_NAME_CHARACTERS = 128


class Unit(NamedTuple):
    """`end`: where in the file, in bytes, what comes after it begins. `place` is for people: line 12."""

    end: int
    place: str
    turns: tuple[TurnToImport, ...] = ()
    problem: str | None = None


Reader = Callable[[BinaryIO], Iterator[Unit]]


class Unreadable(ValueError):
    """A line or conversation is not of its format; the text says why, for people."""


def instant(value: Any) -> int | None:
    """Milliseconds since 1970 of a timestamp such as 2026-02-18T09:30:00.123Z; None where it is none."""
    if not isinstance(value, str):
        return None
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        return None
    return milliseconds(read) if read.tzinfo is not None else None


def fitting(turn: TurnToImport) -> TurnToImport:
    """The turn as it can be recorded: a content that is too long is cut, which its metadata tell."""
    content = turn.content.encode("utf-8", "replace")
    if len(content) <= CONTENT_BYTES:
        return turn if content.isascii() else replace(turn, content=content.decode())
    kept = content[:CONTENT_BYTES].decode("utf-8", "ignore")
    return replace(turn, content=kept, metadata=turn.metadata | {"cut_from_bytes": len(content)})


def short(name: Any) -> str | None:
    """A name as a turn can carry it; None for what is no text."""
    return name[:_NAME_CHARACTERS] or None if isinstance(name, str) else None


def said(**fields: Any) -> dict[str, Any]:
    """Metadata of those fields that say something."""
    return {name: value for name, value in fields.items() if value not in (None, "", False)}


def texts_in(blocks: Any) -> str:
    """The texts of those blocks of a message that have one, each on lines of its own; "" for what is no list."""
    texts: list[str] = []
    for block in cast("list[Any]", blocks) if isinstance(blocks, list) else []:
        text: Any = cast("dict[str, Any]", block).get("text") if isinstance(block, dict) else block
        if isinstance(text, str) and text.strip():
            texts.append(text)
    return "\n".join(texts)
