"""Definitions with their own lines: read from the texts of files as they are stored, with a bound on the CPU."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import IntEnum
from itertools import islice

from msgspec import Struct

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.codec import Part
from almanac.families.code.core.contents import contents, lines_of
from almanac.families.code.core.names import folded, is_called, parts_of_name
from almanac.families.code.core.records import CodeFile
from almanac.kernel.clock import thread_seconds
from codegraph import Definition, outline

_AT_ONCE = 8
CPU_SECONDS = 0.6
"""For all files of one call. An ordinary file takes a few thousandths."""

Fits = Callable[[Definition, str], bool]
"""Tells whether a definition in a language is asked for."""


class NameRank(IntEnum):
    """Match between the name of a definition and the requested name; lower is better."""

    SAME = 0
    SAME_FOLDED = 1
    BEGINS = 2
    HAS = 3


class FileOutline(Struct, frozen=True):
    """A file, its lines and what it defines; nothing where its language has no parser, or no CPU was left for it."""

    file: CodeFile
    lines: Sequence[str]
    definitions: Sequence[Definition]

    def at(self, part: Part) -> Definition | None:
        """The definition that a part is of, or is a piece of; None where it is of none."""
        alike = [each for each in self.definitions if each.qualified == part.symbol and _holds(each, part)]
        return alike[0] if part.symbol and alike else None


class NamedDefinition(Struct, frozen=True):
    """A definition that is called like what is asked for."""

    rank: NameRank
    outlined: FileOutline
    definition: Definition


class Outlines:
    """Of one project, for one call. `spent`: files were left out because the CPU of the call was used up."""

    def __init__(self, project: CodeProject, cpu: Callable[[], float] = thread_seconds) -> None:
        self._project = project
        self._cpu = cpu
        self._until = cpu() + CPU_SECONDS
        self.spent = False

    def of(self, file_ids: Iterable[str]) -> dict[str, FileOutline]:
        """By the ids of the files, in their order; those that are gone are left out."""
        return {each.file.id: each for each in self.each(file_ids)}

    def each(self, file_ids: Iterable[str]) -> Iterator[FileOutline]:
        """In their order, each when it is asked for; those that are gone are left out."""
        ids = iter(dict.fromkeys(file_ids))
        while some := list(islice(ids, _AT_ONCE)):
            found = {content.file.id: content for content in contents(self._project, some)}
            for content in (found[one] for one in some if one in found):
                yield self._outlined(content.file, lines_of(content.text))

    def _outlined(self, file: CodeFile, lines: Sequence[str]) -> FileOutline:
        # What had no symbols is not parsed again: it may be what a process was ended for.
        if not file.symbols:
            return FileOutline(file, lines, ())
        if self._cpu() > self._until:
            self.spent = True
            return FileOutline(file, lines, ())
        return FileOutline(file, lines, outline(file.path, "\n".join(lines), self._cpu).definitions)


def called(outlined: Iterable[FileOutline], name: str, fits: Fits) -> list[NamedDefinition]:
    """The definitions that are called so, begin so or have the name in theirs, in this order."""
    found = [
        NamedDefinition(rank, one, definition)
        for one in outlined
        for definition in one.definitions
        if fits(definition, one.file.language) and (rank := rank_of(definition, one.file.path, name)) is not None
    ]
    return sorted(found, key=lambda each: each.rank)


def rank_of(definition: Definition, path: str, name: str) -> NameRank | None:
    """None for one that has nothing of the name; what the name is qualified by must be there too."""
    return rank_of_symbol(definition.qualified, path, name)


def rank_of_symbol(qualified: str, path: str, name: str) -> NameRank | None:
    """The same of a definition by its qualified name."""
    wanted, symbol = parts_of_name(name), parts_of_name(qualified)
    if not wanted or not symbol:
        return None
    if is_called(wanted, symbol, path):
        return NameRank.SAME
    wanted, symbol = folded(wanted), folded(symbol)
    if is_called(wanted, symbol, path.casefold()):
        return NameRank.SAME_FOLDED
    if wanted[:-1] and not is_called(wanted[:-1], symbol[:-1], path.casefold()):
        return None
    if symbol[-1].startswith(wanted[-1]):
        return NameRank.BEGINS
    return NameRank.HAS if wanted[-1] in symbol[-1] else None


def _holds(definition: Definition, part: Part) -> bool:
    first = definition.doc_line or definition.start_line
    return first <= part.start <= definition.end_line
