"""Definitions with their own lines, parsed from the stored texts of files within a CPU limit."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import islice

from msgspec import Struct

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.codec import Part
from almanac.families.code.core.contents import lines_of, read_contents
from almanac.families.code.core.names import fold_parts, is_name_of, parts_of_name
from almanac.families.code.core.records import CodeFile
from almanac.kernel.clock import thread_seconds
from codegraph import Definition, outline

_AT_ONCE = 8
CPU_SECONDS = 0.6
"""Limit for all files of one call. An ordinary file takes a few milliseconds."""

Fits = Callable[[Definition, str], bool]
"""A filter for definitions in a language."""


class NameRank(IntEnum):
    """Match between the name of a definition and the requested name; lower is better."""

    SAME = 0
    SAME_FOLDED = 1
    BEGINS = 2
    HAS = 3


class FileOutline(Struct, frozen=True):
    """A file, its lines and its definitions. There are no definitions if the language has no parser, or the call ran
    out of CPU."""

    file: CodeFile
    lines: Sequence[str]
    definitions: Sequence[Definition]

    def at(self, part: Part) -> Definition | None:
        """Return the definition to which a part belongs, or None."""
        alike = [each for each in self.definitions if each.qualified == part.symbol and _holds(each, part)]
        return alike[0] if part.symbol and alike else None


class NamedDefinition(Struct, frozen=True):
    """A definition that matches the requested name."""

    rank: NameRank
    outlined: FileOutline
    definition: Definition


class Outlines:
    """Parses files of one project, for one call. `spent` means that some files were left out because the call ran out
    of CPU."""

    def __init__(self, project: CodeProject, cpu: Callable[[], float] = thread_seconds) -> None:
        self._project = project
        self._cpu = cpu
        self._until = cpu() + CPU_SECONDS
        self.spent = False

    def of(self, file_ids: Iterable[str]) -> dict[str, FileOutline]:
        """Return outlines by file id, in order. Files that are gone are left out."""
        return {each.file.id: each for each in self.each(file_ids)}

    def each(self, file_ids: Iterable[str]) -> Iterator[FileOutline]:
        """Yield outlines in order, on demand. Files that are gone are left out."""
        ids = iter(dict.fromkeys(file_ids))
        while some := list(islice(ids, _AT_ONCE)):
            found = {content.file.id: content for content in read_contents(self._project, some)}
            for content in (found[one] for one in some if one in found):
                yield self._outline_file(content.file, lines_of(content.text))

    def _outline_file(self, file: CodeFile, lines: Sequence[str]) -> FileOutline:
        # A file without symbols is not parsed again, since it may be one that had to be stopped.
        if not file.symbols:
            return FileOutline(file, lines, ())
        if self._cpu() > self._until:
            self.spent = True
            return FileOutline(file, lines, ())
        return FileOutline(file, lines, outline(file.path, "\n".join(lines), self._cpu).definitions)


def match_definitions(outlined: Iterable[FileOutline], name: str, fits: Fits) -> list[NamedDefinition]:
    """Return the definitions with that name, then those whose name begins with it or contains it."""
    found = [
        NamedDefinition(rank, one, definition)
        for one in outlined
        for definition in one.definitions
        if fits(definition, one.file.language) and (rank := rank_of(definition, one.file.path, name)) is not None
    ]
    return sorted(found, key=lambda each: each.rank)


def rank_of(definition: Definition, path: str, name: str) -> NameRank | None:
    """Return how well the definition's name matches, or None if it does not. The name's qualifiers must match too."""
    return rank_of_symbol(definition.qualified, path, name)


def rank_of_symbol(qualified: str, path: str, name: str) -> NameRank | None:
    """Return the same for a qualified name."""
    name_parts, symbol = parts_of_name(name), parts_of_name(qualified)
    if not name_parts or not symbol:
        return None
    if is_name_of(name_parts, symbol, path):
        return NameRank.SAME
    name_parts, symbol = fold_parts(name_parts), fold_parts(symbol)
    if is_name_of(name_parts, symbol, path.casefold()):
        return NameRank.SAME_FOLDED
    if name_parts[:-1] and not is_name_of(name_parts[:-1], symbol[:-1], path.casefold()):
        return None
    if symbol[-1].startswith(name_parts[-1]):
        return NameRank.BEGINS
    return NameRank.HAS if name_parts[-1] in symbol[-1] else None


def _holds(definition: Definition, part: Part) -> bool:
    first = definition.doc_line or definition.start_line
    return first <= part.start <= definition.end_line
