"""Files that could not be parsed whole and contain a name: what they do with it is in no graph."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.codec import unpacked
from almanac.families.code.core.records import FILES, TEXTS, CodeFile, CodeRepository
from almanac.kernel.clock import thread_seconds

MOST_LISTED = 20_000
MOST_READ = 200
MOST_NAMED = 5
CPU_SECONDS = 0.3
_AT_ONCE = 16


class UnparsedFiles:
    """Of one repository, for one call and the last part of a name. Read when they are first asked for."""

    def __init__(
        self, project: CodeProject, repository: CodeRepository, name: str, cpu: Callable[[], float] = thread_seconds
    ) -> None:
        self._project = project
        self._repository = repository
        self._name = name
        self._cpu = cpu
        self._is_cut = False

    def sentence(self) -> str:
        """Name the files; empty where there are none."""
        paths = self._paths
        if not paths:
            return ""
        more = f" and {len(paths) - MOST_NAMED} more" if len(paths) > MOST_NAMED else ""
        some = " (not all were read)" if self._is_cut else ""
        return (
            f"{len(paths)} files{some} contain this name and could not be parsed whole: "
            f"{', '.join(paths[:MOST_NAMED])}{more}."
        )

    @cached_property
    def _paths(self) -> list[str]:
        if not self._repository.failed or not self._name:
            return []
        word = re.compile(rf"(?<!\w){re.escape(self._name)}(?!\w)")
        until = self._cpu() + CPU_SECONDS
        files, found, read = self._files(), list[str](), 0
        while some := list(islice(files, _AT_ONCE)):
            if read >= MOST_READ or self._cpu() > until:
                self._is_cut = True
                break
            read += len(some)
            texts = self._project.rows(TEXTS).by_id([file.id for file in some])
            found += [file.path for file in some if file.id in texts and word.search(_text(texts[file.id].content))]
        return found

    def _files(self) -> Iterator[CodeFile]:
        listed = self._project.rows(FILES).every(self._repository.repo_id, index="gsi1", page=500)
        return (file for file in islice(listed, MOST_LISTED) if not file.parsed)


def _text(content: bytes) -> str:
    return unpacked(content, str)
