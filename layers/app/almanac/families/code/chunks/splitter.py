"""Split a file into chunks: one for each definition worth finding, and chunks for the remaining lines."""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby, islice
from typing import NamedTuple

from almanac.families.code.chunks.chunk import Chunk, Chunks
from almanac.families.code.chunks.inner_values import MOST_INSIDE, InnerValues
from almanac.families.code.chunks.pieces import PIECE_LINES, Piece, pieces_of
from almanac.families.code.chunks.settings import SINGLE_VALUES, Settings
from almanac.families.code.core.codec import SETTINGS, VALUES
from codegraph import Definition, Outline

MAX_CHUNKS = 4_000
"""Limit per file."""

_ALWAYS = frozenset({"function", "method", "class", "interface", "type", "enum"})
VALUE_LINES = 20
"""Lines of a chunk of values."""
MOST_SMALL = 150
"""Limit for small chunks between the definitions of a file. Beyond it, values are divided like other text."""
_MARKUP = frozenset({"markdown", "rst"})


class _Between(NamedTuple):
    """A piece outside of definitions: the definition before it, its number among the pieces there, and the names that
    it sets."""

    anchor: str
    part: int
    piece: Piece
    sets: tuple[str, ...]


def chunks_of(path: str, text: str, outline: Outline) -> Chunks:
    """Divide a file into the chunks that search finds. `outline` belongs to the same text. Takes linear time and never
    raises."""
    lines = text.split("\n")
    if outline.language in _MARKUP:
        every = _of_sections(path, lines, outline.language)
    else:
        every = _of_code(path, lines, outline)
    # Values within definitions come last, so they are the first to go in a file over the limit.
    chunks = sorted(every, key=lambda each: (each.kind == VALUES, each.start_line, each.part))
    return Chunks(tuple(chunks[:MAX_CHUNKS]), max(0, len(chunks) - MAX_CHUNKS))


def _is_worth_finding(definition: Definition, modules: frozenset[str]) -> bool:
    """Return whether a definition gets its own chunk. Fields and members are found with their class, and single lines
    of values with their neighbours."""
    if definition.kind in _ALWAYS:
        return True
    outermost = not definition.parent or definition.parent in modules
    is_more = definition.end_line > definition.start_line or definition.doc
    return definition.kind in SINGLE_VALUES and outermost and bool(is_more)


def _of_code(path: str, lines: Sequence[str], outline: Outline) -> Iterator[Chunk]:
    modules = frozenset(each.qualified for each in outline.definitions if each.kind == "module")
    worth = [each for each in outline.definitions if _is_worth_finding(each, modules)]
    owners = _owners(worth, len(lines))
    own: list[list[int]] = [[] for _ in worth]
    rest: list[tuple[str, list[int]]] = [("", [])]
    for number, owner in enumerate(owners):
        if owner >= 0:
            own[owner].append(number)
            if not worth[owner].parent and rest[-1][0] != worth[owner].qualified:
                rest.append((worth[owner].qualified, []))
        else:
            rest[-1][1].append(number)
    seen: Counter[str] = Counter()
    settings = Settings(lines, outline)
    inner = InnerValues(lines, settings)
    inside: list[Chunk] = []
    for definition, numbers in zip(worth, own, strict=True):
        seen[definition.qualified] += 1
        nth = seen[definition.qualified]
        yield from _of_definition(path, lines, outline.language, definition, numbers, nth, settings)
        if len(inside) < MOST_INSIDE:
            inside += _values_inside(path, outline.language, definition, numbers, nth, inner)
    yield from inside[:MOST_INSIDE]
    for anchor, part, piece, sets in _between(lines, rest, settings):
        # A chunk named after the names that it sets keeps its id wherever it moves.
        place = f"sets {sets[0]}" if sets else f"after {anchor}\0{part}"
        seen[place] += 1
        kind = SETTINGS if sets else "text"
        yield _chunk(path, outline.language, "", kind, f"{place}\0{seen[place]}", piece, part, sets)


def _between(lines: Sequence[str], rest: Sequence[tuple[str, list[int]]], settings: Settings) -> Sequence[_Between]:
    """Return the pieces outside of definitions. Values get small pieces of their own, since the text around them is
    about other things."""
    small = list(islice(_pieces(lines, rest, settings, small=True), MOST_SMALL + 1))
    return small if len(small) <= MOST_SMALL else list(_pieces(lines, rest, settings, small=False))


def _pieces(
    lines: Sequence[str], rest: Sequence[tuple[str, list[int]]], settings: Settings, *, small: bool
) -> Iterator[_Between]:
    for anchor, numbers in rest:
        part = 0
        for has_values, some in _paragraphs(lines, numbers, settings) if small else ((True, numbers),):
            for piece in pieces_of(lines, some, VALUE_LINES if has_values and small else PIECE_LINES):
                yield _Between(anchor, part, piece, settings.names(_inside(some, piece)) if has_values else ())
                part += 1


def _inside(numbers: Sequence[int], piece: Piece) -> Sequence[int]:
    return numbers[bisect_left(numbers, piece.start_line - 1) : bisect_left(numbers, piece.end_line)]


def _paragraphs(
    lines: Sequence[str], numbers: Sequence[int], settings: Settings
) -> Iterator[tuple[bool, Sequence[int]]]:
    """Group lines between blank ones into those that set values and those that do not. Adjacent groups of one kind are
    merged."""
    if settings.is_configuration:
        yield any(map(settings.sets, numbers)), numbers
        return
    held: list[int] = []
    held_sets = False
    for is_blank, group in groupby(numbers, key=lambda number: not lines[number].strip()):
        some = list(group)
        sets = held_sets if is_blank else any(map(settings.sets, some))
        if held and sets != held_sets:
            yield held_sets, held
            held = []
        held, held_sets = [*held, *some] if held else some, sets
    if held:
        yield held_sets, held


def _owners(worth: Sequence[Definition], count: int) -> list[int]:
    """Return for each line the innermost definition that contains it, -1 for none. Comments above a definition belong
    to it."""
    owners = [-1] * count
    order = sorted(range(len(worth)), key=lambda each: (_first(worth[each]), -worth[each].end_line))
    for index in order:
        first, last = _first(worth[index]) - 1, min(worth[index].end_line, count)
        owners[first:last] = [index] * (last - first)
    return owners


def _first(definition: Definition) -> int:
    return definition.doc_line or definition.start_line


def _of_definition(
    path: str,
    lines: Sequence[str],
    language: str,
    definition: Definition,
    numbers: Sequence[int],
    nth: int,
    settings: Settings,
) -> Iterator[Chunk]:
    """Yield the chunks of a definition. If several definitions share a line, only the last one has the text, and the
    others have their signatures."""
    place = f"{definition.qualified}\0{nth}"
    body = [number for number in numbers if number + 1 >= definition.start_line]
    pieces = list(pieces_of(lines, body)) or [Piece(definition.start_line, definition.line, "")]
    for part, piece in enumerate(pieces):
        yield Chunk(
            path=path,
            start_line=_first(definition) if part == 0 else piece.start_line,
            end_line=definition.end_line if len(pieces) == 1 else piece.end_line,
            language=language,
            symbol=definition.qualified,
            kind=definition.kind,
            anchor=f"{place}\0{part}",
            text=piece.text,
            signature=definition.signature,
            doc=definition.doc if part == 0 else "",
            part=part,
            sets=settings.names(_inside(body, piece), definition),
        )


def _values_inside(
    path: str, language: str, definition: Definition, numbers: Sequence[int], nth: int, inner: InnerValues
) -> Iterator[Chunk]:
    for part, found in enumerate(inner.of(definition, numbers)):
        anchor = f"values {definition.qualified}\0{nth}\0{part}"
        yield _chunk(path, language, definition.qualified, VALUES, anchor, found.piece, part, found.names, found.doc)


def _of_sections(path: str, lines: Sequence[str], language: str) -> Iterator[Chunk]:
    seen: Counter[str] = Counter()
    for heading, numbers in sections(lines, language):
        seen[heading] += 1
        for part, piece in enumerate(pieces_of(lines, numbers)):
            anchor = f"section {heading}\0{seen[heading]}\0{part}"
            yield _chunk(path, language, heading, "section", anchor, piece, part)


def _chunk(
    path: str,
    language: str,
    symbol: str,
    kind: str,
    anchor: str,
    piece: Piece,
    part: int,
    sets: tuple[str, ...] = (),
    doc: str = "",
) -> Chunk:
    return Chunk(
        path=path,
        start_line=piece.start_line,
        end_line=piece.end_line,
        language=language,
        symbol=symbol,
        kind=kind,
        anchor=anchor,
        text=piece.text,
        doc=doc,
        part=part,
        sets=sets,
    )


_HEADING_CHARACTERS = 100
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.{0,400}?)[ \t#]*$")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r"([=\-~^\"'*+#`])\1{2,}[ \t]*$")


def sections(lines: Sequence[str], language: str) -> Iterator[tuple[str, list[int]]]:
    """Yield the headings of each section, as "Install > From source", and the numbers of its lines, counted from 0.
    Headings inside fenced Markdown code do not count."""
    path: list[tuple[int, str]] = []
    held: list[int] = []
    for number, level, heading in _headings(lines) if language == "markdown" else _underlined_headings(lines):
        if level:
            if held:
                yield _join_headings(path), held
            held = []
            while path and path[-1][0] >= level:
                path.pop()
            path.append((level, heading[:_HEADING_CHARACTERS]))
        held.append(number)
    if held:
        yield _join_headings(path), held


def _join_headings(path: Sequence[tuple[int, str]]) -> str:
    return " > ".join(heading for _, heading in path)


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield each line with its heading and the heading's level, 0 for none."""
    fence = ""
    for number, line in enumerate(lines):
        opened = _FENCE.match(line)
        if opened and (not fence or opened[1].startswith(fence)):
            fence = "" if fence else opened[1]
        found = None if fence else _HEADING.match(line[:500])
        yield number, len(found[1]) if found else 0, found[2] if found else ""


def _underlined_headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield the same for reStructuredText, in which the level is the order in which an underline character first
    occurs."""
    levels: dict[str, int] = {}
    for number, line in enumerate(lines):
        under = lines[number + 1] if number + 1 < len(lines) else ""
        found = _UNDERLINE.match(under[:500]) if line.strip() and not _UNDERLINE.match(line[:500]) else None
        if found and len(under.rstrip()) >= min(len(line.rstrip()), 500):
            yield number, levels.setdefault(found[1], len(levels) + 1), line.strip()
        else:
            yield number, 0, ""
