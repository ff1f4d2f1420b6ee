"""Pages of indexed files in the order of their repositories and paths."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import FILES, REPOSITORIES, CodeFile
from almanac.platform.store.page_cursors import bounded_page

MAX_READ = 2000
_AT_ONCE = 200
_LAST = "\U0010ffff"
_BETWEEN = "\x00"


class FileFilter(Struct, frozen=True, kw_only=True):
    """Filter for files. None allows all. `prefix` is the beginning of a path. `since`, inclusive, bounds the last
    change."""

    repo_id: str | None = None
    language: str | None = None
    prefix: str = ""
    since: int | None = None

    def matches(self, file: CodeFile) -> bool:
        return self.language in (None, file.language) and (self.since is None or file.changed_at >= self.since)


def page_of(
    project: CodeProject, wanted: FileFilter, *, limit: int, after: str
) -> tuple[Sequence[CodeFile], str | None]:
    """Return files after the position `after`, "" at first, and the position of the next page. A page may be empty and
    still have a next one, if no file read matched."""
    page = bounded_page(_files(project, wanted, after), wanted.matches, limit=limit, most_read=MAX_READ)
    last = page.last
    return page.rows, f"{last.repo_id}{_BETWEEN}{last.path}" if page.following and last else None


def _files(project: CodeProject, wanted: FileFilter, after: str) -> Iterator[CodeFile]:
    reached, _, path = after.partition(_BETWEEN)
    rows = project.rows(FILES)
    for repo_id in _repositories(project, wanted, reached):
        since = f"{path}{_BETWEEN}" if repo_id == reached and path else wanted.prefix or None
        until = f"{wanted.prefix}{_LAST}" if wanted.prefix else None
        yield from rows.every(repo_id, since=since, until=until, index="gsi1", page=_AT_ONCE)


def _repositories(project: CodeProject, wanted: FileFilter, reached: str) -> Iterator[str]:
    if wanted.repo_id is not None:
        yield wanted.repo_id
        return
    yield from (each.repo_id for each in project.rows(REPOSITORIES).every(since=reached or None))
