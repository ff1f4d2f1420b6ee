"""Remove spans from the text of a file. Each line keeps its place, and code parses as before."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from msgspec import Struct

from codegraph.languages.names import language_of
from codegraph.languages.regions import Region, Role, regions

_SHORTEST = 6
_RUN = re.compile(rb"[\w\x80-\xff][\w\x80-\xff.+~%$!&*/:>-]*")
"""Names, numbers and signs without blanks and brackets: x9-k2."""


class Mask(Struct, frozen=True):
    """Characters to remove, from `start` to `end`. `shown` replaces them in a string or a comment, and `name` in code.
    `guessed`: only the name before them suggests a secret, so they may be an expression."""

    start: int
    end: int
    shown: str
    name: str
    guessed: bool = False


class MaskedText(Struct, frozen=True):
    """Text after removal. `done` are the masks that removed something, in order. A guess that covers an expression
    removes nothing."""

    text: str
    done: tuple[Mask, ...]


def mask(path: str, text: str, masks: Sequence[Mask]) -> MaskedText:
    """Apply the masks, which are in order and apart.

    If the language of the file has a parser, the syntax tree says what each place is. In strings and comments `shown`
    replaces the masked text. In code `name` does, because it parses wherever the removed code did. Operators, brackets
    and expressions stay. Several lines leave as many.
    """
    source = text.encode("utf-8", "replace")
    spans = _in_bytes(text, masks)
    found = regions(language_of(path, text), source, spans)
    if found is None:
        return MaskedText("".join(_without_tree(text, masks)), tuple(masks))
    kept = bytearray()
    done: list[Mask] = []
    at = first = 0
    for one, (start, end) in zip(masks, spans, strict=True):
        while first < len(found) and found[first].end <= start:
            first += 1
        some = [each for each in found[first : _behind(found, first, end)] if each.start < end and start < each.end]
        edits = list(_edits(source, one, start, end, some))
        for edit in edits:
            if edit.end > at:
                kept += source[at : max(at, edit.start)] + edit.new
                at = edit.end
        if edits:
            done.append(one)
    return MaskedText((kept + source[at:]).decode("utf-8"), tuple(done))


class _Edit(Struct, frozen=True):
    start: int
    end: int
    new: bytes


def _behind(found: Sequence[Region], first: int, end: int) -> int:
    while first < len(found) and found[first].start < end:
        first += 1
    return first


def _edits(source: bytes, mask: Mask, start: int, end: int, found: Sequence[Region]) -> Iterator[_Edit]:
    """Yield the edits that remove a mask from the regions it covers."""
    shown = mask.shown.encode()
    roles = {each.role for each in found}
    if Role.BROKEN in roles or not found:
        yield _Edit(start, end, shown + b"\n" * source.count(b"\n", start, end))
    elif not roles & {Role.TEXT, Role.ESCAPE} and not _has_unseen(source, start, end, found):
        yield from _in_code(source, mask, found)
    else:
        for part in _texts(source, start, end, found):
            yield _Edit(part.start, part.end, shown + b"\n" * source.count(b"\n", part.start, part.end))
            shown = b""


def _in_code(source: bytes, mask: Mask, found: Sequence[Region]) -> Iterator[_Edit]:
    """Yield edits in code. A token, or a word that can be one, is removed whole. In a list the numbers are removed. Any
    other expression stays."""
    name = mask.name.encode()
    words = [each for each in found if each.role is not Role.SIGN]
    code = source[words[0].start : words[-1].end] if words else b""
    if words and (not mask.guessed or (_RUN.fullmatch(code) and len(code) >= _SHORTEST)):
        yield _Edit(words[0].start, words[-1].end, name)
        return
    for each in found:
        if each.role is Role.NUMBER:
            yield _Edit(each.start, each.end, name or b"0")
            name = b""


def _texts(source: bytes, start: int, end: int, found: Sequence[Region]) -> Iterator[Region]:
    """Yield the parts of texts that the mask covers, with neighbours as one part and escapes whole. Bytes in no region
    are text."""
    held: Region | None = None
    for each in _without_gaps(source, start, end, found):
        if each.role not in {Role.TEXT, Role.ESCAPE}:
            continue
        is_escape = each.role is Role.ESCAPE
        first, last = (each.start, each.end) if is_escape else (max(start, each.start), min(end, each.end))
        if held and held.end == first:
            held = held._replace(end=last)
            continue
        if held:
            yield held
        held = Region(first, last, Role.TEXT)
    if held:
        yield held


def _has_unseen(source: bytes, start: int, end: int, found: Sequence[Region]) -> bool:
    """Tell whether part of the mask covers bytes that the parser saw as blanks."""
    return any(each.role is Role.TEXT for each in _without_gaps(source, start, end, found))


def _without_gaps(source: bytes, start: int, end: int, found: Sequence[Region]) -> Iterator[Region]:
    at = start
    for each in (*found, Region(end, end, Role.SIGN)):
        if source[at : each.start].strip():
            yield Region(at, each.start, Role.TEXT)
        if each.end > each.start:
            yield each
        at = max(at, each.end)


def _in_bytes(text: str, masks: Sequence[Mask]) -> list[tuple[int, int]]:
    if text.isascii():
        return [(each.start, each.end) for each in masks]
    places = [0, *(place for each in masks for place in (each.start, each.end))]
    pieces = (text[places[each - 1] : places[each]] for each in range(1, len(places)))
    ends = list(accumulate(len(piece.encode("utf-8", "replace")) for piece in pieces))
    return list(zip(ends[::2], ends[1::2], strict=True))


def _without_tree(text: str, masks: Sequence[Mask]) -> Iterator[str]:
    at = 0
    for each in masks:
        yield text[at : each.start]
        yield each.shown + "\n" * text.count("\n", each.start, each.end)
        at = each.end
    yield text[at:]
