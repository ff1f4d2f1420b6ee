"""The state of the index, which every answer about code reports."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import REPOSITORIES, CodeRepository

MAX_REPOSITORIES = 100


class IndexState(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`commit`: the indexed commit, as of `indexed_at` (milliseconds since 1970), `age` ago. `failed` of the
    `files` could not be parsed and are searched as plain text. `behind`: why the answer may lack something."""

    repo_id: str
    files: int
    failed: int
    commit: str | None = None
    indexed_at: int | None = None
    age: str | None = None
    url: str | None = None
    behind: str | None = None


def state_of(repository: CodeRepository, now: int) -> IndexState:
    at = repository.complete_at
    return IndexState(
        repo_id=repository.repo_id,
        files=repository.files,
        failed=repository.failed,
        commit=repository.commit,
        indexed_at=at,
        age=None if at is None else _age(now - at),
        url=repository.url,
        behind=_behind(repository),
    )


def states(project: CodeProject, repo_id: str | None = None) -> Sequence[IndexState]:
    """Return the state of one repository, or of the first 100."""
    rows, now = project.rows(REPOSITORIES), project.now()
    if repo_id is not None:
        found = rows.get(repo_id)
        return [state_of(found, now)] if found is not None else []
    return [state_of(each, now) for each in rows.query(limit=MAX_REPOSITORIES).records]


def _behind(repository: CodeRepository) -> str | None:
    if repository.complete_at is None:
        return "Its first indexing has not been completed: call index_files with complete=true after the last files."
    if repository.seen_at > repository.complete_at:
        return "Files changed since it was last complete: some of a later state may be missing."
    return None


def _age(milliseconds: int) -> str:
    minutes = max(0, milliseconds) // 60_000
    for size, name in ((1440, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            count = minutes // size
            return f"{count} {name}{'s' if count > 1 else ''} ago"
    return "just now"
