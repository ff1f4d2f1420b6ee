"""Front matter and body of a SKILL.md, parted at `---`."""

import io
import re

from msgspec import Struct

FENCE = "---"

_CLOSING = re.compile(r"^---[ \t]*$", re.MULTILINE)


class FencedText(Struct, frozen=True):
    """`front` is what lies between the fences; its first line is the rest of line `first_line` of SKILL.md."""

    front: str
    body: str
    first_line: int = 1


def with_plain_newlines(text: str) -> str:
    """With a line feed for every end of a line, as a file is read as text."""
    return io.IncrementalNewlineDecoder(None, translate=True).decode(text, final=True)


def part_strictly(text: str) -> FencedText | None:
    """As skills-ref parts it: at the first two `---`, wherever they stand. None where there are not two, or the text
    does not begin with one."""
    parts = text.split(FENCE, 2)
    if len(parts) < 3 or parts[0]:
        return None
    return FencedText(parts[1], parts[2].strip())


def part_leniently(text: str) -> FencedText | None:
    """As its author meant it: a byte order mark and empty lines may come before the front matter, and a `---` within a
    line of it does not end it."""
    start = text.lstrip("\ufeff \t\n")
    before = text[: len(text) - len(start)].count("\n")
    strict = part_strictly(start)
    if strict is None:
        return None
    ends_a_line = strict.front.endswith("\n")
    closing = None if ends_a_line else _CLOSING.search(start, len(FENCE))
    if closing is None:
        return FencedText(strict.front, strict.body, before + 1)
    return FencedText(start[len(FENCE) : closing.start()], start[closing.end() :].strip(), before + 1)
