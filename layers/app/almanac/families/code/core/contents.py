"""Parts of files as they stand in the store, by the ids that search knows them by."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from almanac.families.code.core.code import CodeProject, file_of_part, part_id
from almanac.families.code.core.codec import Part, unpacked
from almanac.families.code.core.documents import parts_of
from almanac.families.code.core.records import FILES, TEXTS, CodeFile, CodeText

_AT_ONCE = 16
"""Files, of 1 MB at most, that one read brings."""


class FoundPart(Struct, frozen=True):
    """A part, the file that it is of, and the stored text of that."""

    file: CodeFile
    part: Part
    text: CodeText

    @property
    def id(self) -> str:
        return part_id(self.file.id, self.part.name)


class FileContent(Struct, frozen=True):
    """A file and its parts, in the order of their lines."""

    file: CodeFile
    text: CodeText
    parts: Sequence[Part]


def lines_of(text: CodeText) -> list[str]:
    """The lines of a file; where secrets were taken out, they are as many as before."""
    return unpacked(text.content, str).split("\n")


def different_symbols(parts: Sequence[FoundPart]) -> list[FoundPart]:
    """One part of each symbol, the first in its file, by repository and path; none of what stands in one of them, such
    as a constructor in the class that it is called like."""
    ordered = sorted(parts, key=lambda each: (each.file.repo_id, each.file.path, each.part.start))
    different = {(each.file.id, each.part.symbol): each for each in reversed(ordered)}
    return [
        each
        for (file, symbol), each in reversed(different.items())
        if (file, symbol.rpartition(".")[0]) not in different
    ]


def parts_by_id(project: CodeProject, ids: Sequence[str]) -> dict[str, FoundPart]:
    """Return the parts that still exist, by id."""
    wanted = set(ids)
    found: dict[str, FoundPart] = {}
    for content in contents(project, dict.fromkeys(map(file_of_part, ids))):
        for part in content.parts:
            one = FoundPart(content.file, part, content.text)
            if one.id in wanted:
                found[one.id] = one
    return found


def contents(project: CodeProject, file_ids: Iterable[str]) -> Iterator[FileContent]:
    """Yield the contents of the files that still exist, a few read at a time."""
    ids = list(file_ids)
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        files, texts = project.rows(FILES).by_id(some), project.rows(TEXTS).by_id(some)
        for one, file in files.items():
            text = texts.get(one)
            # A text of another version was read in the midst of a write.
            if text is not None and text.version == file.version:
                yield FileContent(file, text, sorted(parts_of(text), key=lambda part: (part.start, part.end)))
