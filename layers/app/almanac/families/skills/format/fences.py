"""Split a SKILL.md into front matter and body at `---`."""

import io
import re

from msgspec import Struct

FENCE = "---"

_CLOSING = re.compile(r"^---[ \t]*$", re.MULTILINE)


class FencedText(Struct, frozen=True):
    """A split SKILL.md. `front` is the text between the fences, and starts with the rest of line `first_line`."""

    front: str
    body: str
    first_line: int = 1


def with_plain_newlines(text: str) -> str:
    """Return the text with a line feed for every line end, as Python reads a text file."""
    return io.IncrementalNewlineDecoder(None, translate=True).decode(text, final=True)


def split_strictly(text: str) -> FencedText | None:
    """Split as skills-ref does: at the first two `---`, wherever they occur. Returns None without two of them, or if
    the text does not begin with one."""
    parts = text.split(FENCE, 2)
    if len(parts) < 3 or parts[0]:
        return None
    return FencedText(parts[1], parts[2].strip())


def split_leniently(text: str) -> FencedText | None:
    """Split as the author meant it. A byte order mark and empty lines may precede the front matter, and a `---` inside
    a line does not end it."""
    start = text.lstrip("\ufeff \t\n")
    before = text[: len(text) - len(start)].count("\n")
    strict = split_strictly(start)
    if strict is None:
        return None
    ends_a_line = strict.front.endswith("\n")
    closing = None if ends_a_line else _CLOSING.search(start, len(FENCE))
    if closing is None:
        return FencedText(strict.front, strict.body, before + 1)
    return FencedText(start[len(FENCE) : closing.start()], start[closing.end() :].strip(), before + 1)
