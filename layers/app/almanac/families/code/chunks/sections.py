"""Texts with headings, cut at them."""

import re
from collections.abc import Iterator, Sequence

_HEADING_CHARACTERS = 100
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.{0,400}?)[ \t#]*$")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_UNDERLINE = re.compile(r"([=\-~^\"'*+#`])\1{2,}[ \t]*$")


def sections(lines: Sequence[str], language: str) -> Iterator[tuple[str, list[int]]]:
    """For each section the headings that it stands under, "Install > From source", and the numbers of its lines,
    counted from 0. Headings of Markdown in fenced code are none."""
    path: list[tuple[int, str]] = []
    held: list[int] = []
    for number, level, heading in _headings(lines) if language == "markdown" else _underlined(lines):
        if level:
            if held:
                yield _named(path), held
            held = []
            while path and path[-1][0] >= level:
                path.pop()
            path.append((level, heading[:_HEADING_CHARACTERS]))
        held.append(number)
    if held:
        yield _named(path), held


def _named(path: Sequence[tuple[int, str]]) -> str:
    return " > ".join(heading for _, heading in path)


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Each line with the level of its heading, 0 for none."""
    fence = ""
    for number, line in enumerate(lines):
        opened = _FENCE.match(line)
        if opened and (not fence or opened[1].startswith(fence)):
            fence = "" if fence else opened[1]
        found = None if fence else _HEADING.match(line[:500])
        yield number, len(found[1]) if found else 0, found[2] if found else ""


def _underlined(lines: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """reStructuredText: a heading's level is the order in which its sign was first used."""
    levels: dict[str, int] = {}
    for number, line in enumerate(lines):
        under = lines[number + 1] if number + 1 < len(lines) else ""
        found = _UNDERLINE.match(under[:500]) if line.strip() and not _UNDERLINE.match(line[:500]) else None
        if found and len(under.rstrip()) >= min(len(line.rstrip()), 500):
            yield number, levels.setdefault(found[1], len(levels) + 1), line.strip()
        else:
            yield number, 0, ""
