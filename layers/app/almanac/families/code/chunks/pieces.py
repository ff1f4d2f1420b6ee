"""Pieces of lines with bounded size."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

PIECE_LINES = 60
PIECE_CHARACTERS = 4_000
_SAYS_SOMETHING = re.compile(r"\w{2}")


class Piece(Struct, frozen=True):
    """Consecutive lines, counted from 1."""

    start_line: int
    end_line: int
    text: str


def pieces_of(lines: Sequence[str], numbers: Sequence[int], most: int = PIECE_LINES) -> Iterator[Piece]:
    """Divide the lines of these numbers, counted from 0, into pieces of up to `most` lines and 4,000 characters. Longer
    lines are cut, and pieces without a word are left out."""
    held: list[str] = []
    first = last = size = 0
    for number in numbers:
        for text in _cut(lines[number]):
            if held and (len(held) >= most or size + len(text) > PIECE_CHARACTERS):
                yield from _piece(first, last, held)
                held, size = [], 0
            is_blank = not text.strip()
            if not held:
                first = number
            if held or not is_blank:
                held.append(text)
                size += len(text) + 1
            if not is_blank:
                last = number
    yield from _piece(first, last, held)


def _cut(line: str) -> Sequence[str]:
    if len(line) <= PIECE_CHARACTERS:
        return (line,)
    return [line[start : start + PIECE_CHARACTERS] for start in range(0, len(line), PIECE_CHARACTERS)]


def _piece(first: int, last: int, held: Sequence[str]) -> Iterator[Piece]:
    text = "\n".join(held).strip("\n")
    if _SAYS_SOMETHING.search(text):
        yield Piece(first + 1, last + 1, text)
