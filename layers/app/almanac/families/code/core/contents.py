"""Stored parts of files, by their search ids."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from almanac.families.code.core.code import CodeProject, file_of_part, part_id
from almanac.families.code.core.codec import Part, unpack
from almanac.families.code.core.documents import parts_of
from almanac.families.code.core.records import FILES, TEXTS, CodeFile, CodeText

_AT_ONCE = 16
"""Files per read, each of at most 1 MB."""


class FoundPart(Struct, frozen=True):
    """A part with its file and the file's stored text."""

    file: CodeFile
    part: Part
    text: CodeText

    @property
    def id(self) -> str:
        return part_id(self.file.id, self.part.name)


class FileContent(Struct, frozen=True):
    """A file and its parts in the order of their lines."""

    file: CodeFile
    text: CodeText
    parts: Sequence[Part]


def lines_of(text: CodeText) -> list[str]:
    """Return the lines of a file. Removed secrets do not change their number."""
    return unpack(text.content, str).split("\n")


def different_symbols(parts: Sequence[FoundPart]) -> list[FoundPart]:
    """Return one part per symbol, the first in its file, by repository and path. A symbol nested in one with the same
    name, such as a constructor in its class, is left out."""
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
    for content in read_contents(project, dict.fromkeys(map(file_of_part, ids))):
        for part in content.parts:
            one = FoundPart(content.file, part, content.text)
            if one.id in wanted:
                found[one.id] = one
    return found


def read_contents(project: CodeProject, file_ids: Iterable[str]) -> Iterator[FileContent]:
    """Yield the contents of the files that still exist, in small batches."""
    ids = list(file_ids)
    for start in range(0, len(ids), _AT_ONCE):
        some = ids[start : start + _AT_ONCE]
        files, texts = project.rows(FILES).by_id(some), project.rows(TEXTS).by_id(some)
        for one, file in files.items():
            text = texts.get(one)
            # A text of another version was read in the middle of a write.
            if text is not None and text.version == file.version:
                yield FileContent(file, text, sorted(parts_of(text), key=lambda part: (part.start, part.end)))
