"""Lines of indexed files that contain a literal text, without regard to case.

Search by words knows neither parts of words nor punctuation. So this reads the best-ranked files first, then all others
in the order of their paths, within the limits of one call.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.codec import unpack
from almanac.families.code.core.contents import lines_of
from almanac.families.code.core.records import FILES, REPOSITORIES, TEXTS, CodeFile
from almanac.families.code.search.code_search import CodeQuery, CodeSearch
from almanac.families.code.search.path_globs import PathGlob, path_glob
from almanac.kernel.clock import thread_seconds

MOST_READ = 2_000
"""Files that one call reads."""
CPU_SECONDS = 1.5
_RANKED = 50
_AT_ONCE = 16


class FileLines(Struct, frozen=True):
    """A file, its lines, and the numbers of matching lines, counted from 1."""

    file: CodeFile
    lines: Sequence[str]
    numbers: Sequence[int]


class LineAnswer(Struct, frozen=True):
    """Files with matches. `more` means that at least one more file has the text. `unread` means that some files could
    not be read."""

    found: Sequence[FileLines]
    more: bool
    unread: bool


class _Latch:
    """A condition that stays true after it was true once."""

    def __init__(self, condition: Callable[[], bool]) -> None:
        self._condition = condition
        self._holds = False

    def __call__(self) -> bool:
        self._holds = self._holds or self._condition()
        return self._holds


class LineSearch:
    """Searches the lines of one project, for one call."""

    def __init__(self, project: CodeProject, search: CodeSearch, cpu: Callable[[], float] = thread_seconds) -> None:
        self._project = project
        self._search = search
        self._cpu = cpu
        self.unread = False

    def find(self, query: CodeQuery) -> LineAnswer:
        """Return up to `limit` files. The query's text is a single line. Raises InvalidInput for an invalid glob."""
        found = list(islice(self.each(query), query.limit + 1))
        more = len(found) > query.limit
        return LineAnswer(found[: query.limit], more=more, unread=self.unread and not more)

    def each(self, query: CodeQuery) -> Iterator[FileLines]:
        """Yield all files with matches, on demand. Afterwards `unread` tells whether files were left out."""
        wanted = query.text.casefold()
        # Rank before the time limit starts, since ranking a large new file may take all of it.
        ranked = [each.found.file for each in self._search.find(replace(query, limit=_RANKED)).matches]
        until = self._cpu() + CPU_SECONDS
        glob = path_glob(self._project, query.glob) if query.glob is not None else None
        is_over = _Latch(lambda: self._cpu() > until or (glob is not None and glob.is_spent))
        files = self._files(query, ranked, glob, is_over)
        read = 0
        self.unread = False
        while some := list(islice(files, _AT_ONCE)):
            if read >= MOST_READ:
                self.unread = True
                return
            read += len(some)
            yield from self._matching_lines(some, wanted)
        self.unread = is_over()

    def _files(
        self, query: CodeQuery, ranked: Sequence[CodeFile], glob: PathGlob | None, is_over: Callable[[], bool]
    ) -> Iterator[CodeFile]:
        """Yield each file once, `ranked` files first, until `is_over`. Listing many paths takes long even if no file is
        read."""
        seen: set[str] = set()
        for file in chain(ranked, glob.files(query.repo_id) if glob is not None else self._every(query.repo_id)):
            if is_over():
                return
            if file.id in seen or (query.languages and file.language not in query.languages):
                continue
            seen.add(file.id)
            if glob is None or glob.matches(file.path):
                yield file

    def _every(self, repo_id: str | None) -> Iterable[CodeFile]:
        rows = self._project.rows(FILES)
        known = (each.repo_id for each in self._project.rows(REPOSITORIES).every())
        for each in known if repo_id is None else (repo_id,):
            yield from rows.every(each, index="gsi1", page=500)

    def _matching_lines(self, files: Sequence[CodeFile], wanted: str) -> Iterator[FileLines]:
        texts = self._project.rows(TEXTS).by_id([file.id for file in files])
        for file in files:
            text = texts.get(file.id)
            # A text of another version was read in the middle of a write.
            if text is None or text.version != file.version:
                continue
            # Most files do not contain the text, so their lines need not be split.
            if wanted not in unpack(text.content, str).casefold():
                continue
            lines = lines_of(text)
            numbers = [at for at, line in enumerate(lines, 1) if wanted in line.casefold()]
            yield FileLines(file, lines, numbers)
