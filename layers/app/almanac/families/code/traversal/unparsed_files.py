"""Files that contain a name but are missing from the call graph, wholly or in part. Their uses of the name are
unknown."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import PurePosixPath

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.codec import unpack
from almanac.families.code.core.records import FILES, TEXTS, CodeFile, CodeRepository
from almanac.kernel.clock import thread_seconds
from codegraph import OUTLINED, TEXT

MOST_LISTED = 20_000
MOST_READ = 200
MOST_NAMED = 5
CPU_SECONDS = 0.3
_AT_ONCE = 16
_LISTED_AT_ONCE = 100
_NO_CODE = frozenset({"css", "csv", "ini", "json", "markdown", "rst", "toml", "xml", "yaml"})
_PROSE = frozenset({"", ".adoc", ".lock", ".log", ".org", ".sum", ".tex", ".txt"})
"""Extensions of files in no known language that are hardly code."""


class UnparsedFiles:
    """Files of one repository that contain the last part of a name, read on demand for one call."""

    def __init__(
        self, project: CodeProject, repository: CodeRepository, name: str, cpu: Callable[[], float] = thread_seconds
    ) -> None:
        self._project = project
        self._repository = repository
        self._name = name
        self._cpu = cpu

    def sentence(self) -> str:
        """Name the files that could not be parsed whole, or return an empty text."""
        return _failed_sentence(*self._failed_files)

    def every_sentence(self) -> str:
        """Name these files, and files in languages without a call graph."""
        found, is_cut = self._find_containing(lambda file: not file.parsed or _is_other_code(file))
        failed = [file.path for file in found if not file.parsed]
        other = [file.path for file in found if file.parsed]
        others = _sentence(other, "in languages that have no call graph", is_cut=is_cut)
        if is_cut and not found:
            others = "Files that have no call graph may contain it; not all of them were read."
        return " ".join(filter(None, (_failed_sentence(failed, is_cut), others)))

    @cached_property
    def _failed_files(self) -> tuple[list[str], bool]:
        if not self._repository.failed:
            return [], False
        found, is_cut = self._find_containing(lambda file: not file.parsed)
        return [file.path for file in found], is_cut

    def _find_containing(self, is_relevant: Callable[[CodeFile], bool]) -> tuple[list[CodeFile], bool]:
        """Return the files that pass `is_asked` and contain the name, and whether some were left unread."""
        if not self._name:
            return [], False
        word = re.compile(rf"(?<!\w){re.escape(self._name)}(?!\w)")
        until = self._cpu() + CPU_SECONDS
        found: list[CodeFile] = []
        read = 0
        for files in self._in_batches(is_relevant):
            if (files and read >= MOST_READ) or self._cpu() > until:
                return found, True
            read += len(files)
            texts = self._project.rows(TEXTS).by_id([file.id for file in files])
            found += [file for file in files if file.id in texts and word.search(_text(texts[file.id].content))]
        return found, self._repository.files > MOST_LISTED

    def _in_batches(self, is_relevant: Callable[[CodeFile], bool]) -> Iterator[list[CodeFile]]:
        """Yield the files that pass `is_asked` in small batches. A batch may be empty, so that the caller can check the
        time."""
        listed = islice(self._project.rows(FILES).every(self._repository.repo_id, index="gsi1", page=500), MOST_LISTED)
        while some := list(islice(listed, _LISTED_AT_ONCE)):
            relevant = [file for file in some if is_relevant(file)]
            for start in range(0, len(relevant), _AT_ONCE) or (0,):
                yield relevant[start : start + _AT_ONCE]


def _failed_sentence(paths: Sequence[str], is_cut: bool) -> str:
    return _sentence(paths, "and could not be parsed whole", is_cut=is_cut)


def _sentence(paths: Sequence[str], where: str, *, is_cut: bool) -> str:
    if not paths:
        return ""
    count, contain = ("1 file", "contains") if len(paths) == 1 else (f"{len(paths)} files", "contain")
    some = " (not all were read)" if is_cut else ""
    more = f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
    return f"{count}{some} {contain} this name {where}: {', '.join(paths[:MOST_NAMED])}{more}."


def _is_other_code(file: CodeFile) -> bool:
    if file.language == TEXT:
        return PurePosixPath(file.path).suffix.lower() not in _PROSE
    return file.language not in OUTLINED and file.language not in _NO_CODE


def _text(content: bytes) -> str:
    return unpack(content, str)
