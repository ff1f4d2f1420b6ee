"""Files that define a name, by the names of all files. This also finds definitions without a search part of their own,
such as a one-line constant."""

from collections.abc import Iterator, Sequence

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.names import parts_of_name
from almanac.families.code.core.records import REPOSITORIES, SIGNATURES, CodeRepository
from almanac.families.code.traversal.name_table import NameTable
from almanac.families.code.traversal.read_cache import ReadCache

MOST_REPOSITORIES = 20
MOST_FILES = 100


def files_that_define(project: CodeProject, cache: ReadCache, name: str, repo_id: str | None) -> Sequence[str]:
    """Return ids of up to 100 files that define the last part of the name, in its case. Searches one repository, or the
    first 20. The process caches the names until the repository changes."""
    parts = parts_of_name(name)
    found: list[str] = []
    for repository in _repositories(project, repo_id) if parts else ():
        table = _names(project, cache, repository)
        found += [table.files[path].id for path in table.files_defining(parts[-1])]
    return found[:MOST_FILES]


def _repositories(project: CodeProject, repo_id: str | None) -> Iterator[CodeRepository]:
    rows = project.rows(REPOSITORIES)
    if repo_id is None:
        yield from rows.query(limit=MOST_REPOSITORIES).records
    elif (one := rows.get(repo_id)) is not None:
        yield one


def _names(project: CodeProject, cache: ReadCache, repository: CodeRepository) -> NameTable:
    scope = project.scope

    def read() -> tuple[NameTable, int]:
        table = NameTable(project.rows(SIGNATURES).every(repository.repo_id, page=1000))
        return table, table.bytes

    # A repository that was removed and indexed again counts its revisions anew.
    begun = (repository.repo_id, repository.first_at, repository.revision)
    name = ("names", scope.tenant, scope.project, *begun)
    return cache.get_or_make(name, NameTable, read)
