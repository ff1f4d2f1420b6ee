"""Selection of the repositories to search, and the state of their index."""

from collections.abc import Sequence

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import FILES, REPOSITORIES, CodeRepository
from almanac.families.code.indexer.states import MAX_REPOSITORIES, state_of
from almanac.families.code.traversal.read_cache import ReadCache
from almanac.families.context.codesearch.results import IndexStatus
from almanac.families.context.core.places import place_of
from almanac.families.context.core.views import instant_text
from almanac.kernel.errors import NotFound

MOST_COUNTED = 20_000
"""Files whose symbols one call counts."""
_NAMED = 20
_COUNT_BYTES = 200


def select_repositories(project: CodeProject, path: str | None) -> tuple[Sequence[CodeRepository], str | None]:
    """Return the repositories that `projectPath` selects and, if it names one, its id. A path selects the repository
    whose name equals its last folders. None selects the first 100 repositories. Raises NotFound."""
    known = project.rows(REPOSITORIES).query(limit=MAX_REPOSITORIES).records
    place = place_of(path)
    if place is None or not known:
        return known, None
    by_id = project.rows(REPOSITORIES).get(place)
    if by_id is not None:
        return [by_id], by_id.repo_id
    for names in (_ends_with, _has_the_last_name):
        found = [each for each in known if names(place, each.repo_id)]
        if len(found) == 1:
            return found, found[0].repo_id
        if found:
            raise _unclear(place, found, "Several repositories have a name like")
    raise _unclear(place, known, "No indexed repository has a name like")


def status(project: CodeProject, repositories: Sequence[CodeRepository], kept: ReadCache) -> IndexStatus:
    last = max((each.seen_at for each in repositories), default=None)
    stale = [state for each in repositories if (state := state_of(each, project.now())).behind is not None]
    return IndexStatus(
        total_files=sum(each.files for each in repositories),
        total_symbols=sum(_symbols(project, each, kept) for each in repositories),
        last_indexed=None if last is None else instant_text(last),
        is_stale=bool(stale) or not repositories,
        stale_because=tuple(f"{state.repo_id}: {state.behind}" for state in stale[:_NAMED]),
    )


def _symbols(project: CodeProject, repository: CodeRepository, kept: ReadCache) -> int:
    """Return the number of symbols in the first 20,000 files, counted once per revision."""
    scope = project.scope
    name = ("symbols", scope.tenant, scope.project, repository.repo_id, repository.revision)

    def count() -> tuple[int, int]:
        counted = 0
        for looked_at, file in enumerate(project.rows(FILES).every(repository.repo_id, index="gsi1", page=1000)):
            if looked_at == MOST_COUNTED:
                break
            counted += file.symbols
        return counted, _COUNT_BYTES

    return kept.get_or_make(name, int, count)


def _ends_with(place: str, repo_id: str) -> bool:
    return f"/{place}".casefold().endswith(f"/{repo_id}".casefold())


def _has_the_last_name(place: str, repo_id: str) -> bool:
    return place.rpartition("/")[2].casefold() == repo_id.rpartition("/")[2].casefold()


def _unclear(place: str, repositories: Sequence[CodeRepository], what: str) -> NotFound:
    names = ", ".join(each.repo_id for each in repositories[:_NAMED])
    more = " and others, see list_files" if len(repositories) > _NAMED else ""
    return NotFound(
        f"{what} {place[-80:]!r}.",
        f"Give one of these as projectPath, or leave it out to search all: {names}{more}.",
    )
