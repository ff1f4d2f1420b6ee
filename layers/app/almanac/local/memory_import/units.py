"""Units that readers of files yield: one per line or conversation, with its turns or the problem with it."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple, cast

from msgspec.structs import replace

from almanac.composition.commands.memory_import import CONTENT_BYTES, ToImport, TurnToImport
from almanac.kernel.instants import milliseconds

MAX_UNIT_BYTES = 64 * 1024 * 1024
"""A line or a conversation that is longer is not read."""
WHOLE = (b"SQLite format 3\0", b"PK\x03\x04", b"\x1f\x8b")
"""First bytes of databases and of compressed files."""
_NAME_CHARACTERS = 128
_TERMINAL_CODES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])"
)
"""Escape sequences of ECMA-48: colours and cursor moves, titles of windows, strings of devices, single functions."""
_IMAGE = "[image]"
_IMAGE_TYPES = frozenset({"image", "input_image", "image_url", "image_asset_pointer"})


class Unit(NamedTuple):
    """`end`: where in the file, in bytes, what comes after it begins. `place` is for people: line 12. `left_out` says
    why something is not taken that could be read."""

    end: int
    place: str
    turns: tuple[ToImport, ...] = ()
    problem: str | None = None
    left_out: str | None = None


Reader = Callable[[BinaryIO], Iterator[Unit]]


class Unreadable(ValueError):
    """A line or conversation is not of its format; the text says why, for people."""


class LeftOut(ValueError):
    """Raised for a record that is skipped on purpose; the text is the reason, worded to follow a count: `deleted
    there`."""


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
    """Return the turn as it can be recorded: without terminal codes, and cut where it is too long, which its metadata
    tell."""
    content = _TERMINAL_CODES.sub("", turn.content).encode("utf-8", "replace")
    if len(content) <= CONTENT_BYTES:
        return replace(turn, content=content.decode())
    kept = content[:CONTENT_BYTES].decode("utf-8", "ignore")
    return replace(turn, content=kept, metadata=turn.metadata | {"cut_from_bytes": len(content)})


def short(name: Any) -> str | None:
    """A name as a turn can carry it; None for what is no text."""
    return name[:_NAME_CHARACTERS] or None if isinstance(name, str) else None


def said(**fields: Any) -> dict[str, Any]:
    """Metadata of those fields that say something."""
    return {name: value for name, value in fields.items() if value not in (None, "", False)}


def texts_in(blocks: Any) -> str:
    """Return the texts of the blocks of a message, each on lines of its own, with [image] in place of an image; "" for
    what is no list."""
    found = map(text_in, cast("list[Any]", blocks) if isinstance(blocks, list) else [])
    return "\n".join(text for text in found if text.strip())


def text_in(block: Any) -> str:
    """Return the text of one block, [image] for an image, "" for what has neither."""
    match block:
        case str(text) | {"text": str(text)}:
            return text
        case {"type": str(kind)} | {"content_type": str(kind)} if kind in _IMAGE_TYPES:
            return _IMAGE
        case _:
            return ""
