"""Names that lines set: constants, values of a module or class, keys of configuration and of tables."""

import re
from collections.abc import Iterator, Mapping, Sequence

from codegraph import Definition, Outline

MAX_NAMES = 40
"""Limit per chunk."""
MAX_NAME = 100
SINGLE_VALUES = frozenset({"constant", "variable", "macro"})
_NO_SETTINGS = frozenset({"csv", "css", "html", "markdown", "rst", "sql", "xml"})
_WITH_COLONS = frozenset({"ini", "json", "yaml"})
"""Languages with a colon between key and value. In others a colon after a word belongs to a label, a target or
prose."""
_BEGINNING = 300
"""Characters of a line that are examined."""
_KEY = rf"""["']?([^\W\d][\w$.\-]{{0,{MAX_NAME - 1}}})["']?"""
_WORDS = r"(?:(?:export|local|const|let|var|val|set|static|final|public|private|readonly|ENV|ARG)[ \t]+){0,4}"
_ASSIGNS = re.compile(rf"[ \t]*{_WORDS}\$?{_KEY}[ \t]*(?::[ \t]*[\w<>\[\]?.]{{1,60}}[ \t]*)?[:?+]?=(?!=)")
_HAS_KEY = re.compile(rf"[ \t]*(?:-[ \t]+)?{_KEY}[ \t]*(?:=(?!=)|:(?!:|//))")
_SECTION = re.compile(rf"[ \t]*\[{{1,2}}[ \t]*{_KEY}[ \t]*\]{{1,2}}[ \t]*(?:[#;].*)?$")


class Settings:
    """The names of settings that each line of a file sets, by line number from 0."""

    def __init__(self, lines: Sequence[str], outline: Outline) -> None:
        self._lines = lines
        self._language = outline.language
        self._known: Mapping[int, Sequence[str]] = {} if not outline.parsed else _names_by_line(lines, outline)
        self.is_configuration = not outline.has_parser and outline.language not in _NO_SETTINGS

    def names(self, numbers: Sequence[int], definition: Definition | None = None) -> tuple[str, ...]:
        """Return the names set by the lines, each once and at most 40. The lines belong to this definition, or to
        none."""
        is_table = definition is not None and definition.kind in SINGLE_VALUES
        found: dict[str, None] = {}
        for number in numbers:
            found |= dict.fromkeys(self._of_line(number, is_table=is_table))
            if len(found) >= MAX_NAMES:
                break
        return tuple(found)[:MAX_NAMES]

    def sets(self, number: int) -> bool:
        return next(self._of_line(number), None) is not None

    def _of_line(self, number: int, *, is_table: bool = False) -> Iterator[str]:
        yield from self._known.get(number, ())
        if is_table or self.is_configuration:
            line = self._lines[number][:_BEGINNING]
            pattern = _HAS_KEY if is_table or self._language in _WITH_COLONS else _ASSIGNS
            found = pattern.match(line) or _SECTION.match(line)
            if found is not None:
                yield found[1]


def _names_by_line(lines: Sequence[str], outline: Outline) -> Mapping[int, Sequence[str]]:
    """Return the names by line. A field without a value is only declared, so it does not count."""
    known: dict[int, list[str]] = {}
    for each in outline.definitions:
        number = each.line - 1
        if each.kind in SINGLE_VALUES or (each.kind == "field" and "=" in lines[number]):
            known.setdefault(number, []).append(each.name[:MAX_NAME])
    return known
