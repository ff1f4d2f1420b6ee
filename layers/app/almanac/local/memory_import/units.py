"""Units of imported files, one for each line or conversation, with its turns or its problem."""

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, BinaryIO, NamedTuple, cast

from msgspec.structs import replace

from almanac.composition.commands.memory_import import CONTENT_BYTES, ToImport, TurnToImport
from almanac.kernel.instants import milliseconds

MAX_UNIT_BYTES = 64 * 1024 * 1024
"""Largest line or conversation that an import reads."""
WHOLE = (b"SQLite format 3\0", b"PK\x03\x04", b"\x1f\x8b")
"""First bytes of SQLite databases, zip archives and gzip files, which an import cannot continue from a position."""
_NAME_CHARACTERS = 128
_TERMINAL_CODES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])"
)
"""Escape sequences of ECMA-48: colours and cursor moves, window titles, device strings, single functions."""
_IMAGE = "[image]"
_IMAGE_TYPES = frozenset({"image", "input_image", "image_url", "image_asset_pointer"})


class Unit(NamedTuple):
    """A part of a file. `end` is the offset in bytes at which the next part begins. `place` describes it for people,
    for example "line 12". `left_out` is the reason why a readable part is skipped."""

    end: int
    place: str
    turns: tuple[ToImport, ...] = ()
    problem: str | None = None
    left_out: str | None = None


Reader = Callable[[BinaryIO], Iterator[Unit]]


class Unreadable(ValueError):
    """Raised for a line or conversation that does not have the expected format. The text tells the user why."""


class LeftOut(ValueError):
    """Raised for a record that is skipped on purpose. The text is the reason, worded to follow a count: `deleted
    there`."""


def instant(value: Any) -> int | None:
    """Return the milliseconds since 1970 of a timestamp such as 2026-02-18T09:30:00.123Z. Return None for any other
    value, and for a timestamp without an offset."""
    if not isinstance(value, str):
        return None
    try:
        read = datetime.fromisoformat(value)
    except ValueError:
        return None
    return milliseconds(read) if read.tzinfo is not None else None


def fit_turn(turn: TurnToImport) -> TurnToImport:
    """Return the turn without terminal codes and within the size limit. The metadata of a truncated turn hold its
    original size."""
    content = _TERMINAL_CODES.sub("", turn.content).encode("utf-8", "replace")
    if len(content) <= CONTENT_BYTES:
        return replace(turn, content=content.decode())
    cut = content[:CONTENT_BYTES].decode("utf-8", "ignore")
    return replace(turn, content=cut, metadata=turn.metadata | {"cut_from_bytes": len(content)})


def short(name: Any) -> str | None:
    """Return a name cut to 128 characters, or None for an empty text or another type."""
    return name[:_NAME_CHARACTERS] or None if isinstance(name, str) else None


def present_fields(**fields: Any) -> dict[str, Any]:
    """Return the fields as metadata, without those that are None, "" or False."""
    return {name: value for name, value in fields.items() if value not in (None, "", False)}


def texts_in(blocks: Any) -> str:
    """Return the texts of a message's blocks, each on its own line, with [image] for an image. Return "" if `blocks` is
    not a list."""
    found = map(text_in, cast("list[Any]", blocks) if isinstance(blocks, list) else [])
    return "\n".join(text for text in found if text.strip())


def text_in(block: Any) -> str:
    """Return the text of one block, [image] for an image, or "" for any other block."""
    match block:
        case str(text) | {"text": str(text)}:
            return text
        case {"type": str(kind)} | {"content_type": str(kind)} if kind in _IMAGE_TYPES:
            return _IMAGE
        case _:
            return ""
