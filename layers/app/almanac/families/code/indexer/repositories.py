"""Progress of indexing a repository: its record is counted up with every write."""

from collections.abc import Sequence

from msgspec.structs import replace

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import REPOSITORIES, CodeRepository
from almanac.families.code.indexer.plans import Counts
from almanac.platform.store.port import Change, ConditionFailed, Update
from almanac.platform.store.values import Value

RECENT = 40
"""Writes and files that a repository's record names, a kilobyte."""


def begin(project: CodeProject, repo_id: str) -> CodeRepository:
    """The record of the repository, which is made where there is none."""
    rows = project.rows(REPOSITORIES)
    found = rows.get(repo_id)
    if found is not None:
        return found
    now = project.now()
    begun = CodeRepository(repo_id=repo_id, first_at=now, seen_at=now)
    try:
        project.store.write([rows.insert(begun)])
    except ConditionFailed:
        return rows.get(repo_id) or begun  # somebody else began it
    return begun


def with_recent(repository: CodeRepository, ids: Sequence[str]) -> CodeRepository:
    """As it is after these files have changed. Of many files none are named: whoever wants to know reads all."""
    revision = repository.revision + 1
    recent = [*repository.recent, (revision, tuple(ids))]
    while sum(1 + len(some) for _, some in recent) > RECENT:
        del recent[0]
    return replace(repository, revision=revision, recent=tuple(recent))


def counted(project: CodeProject, after: CodeRepository, counts: Counts, commit: str | None) -> Change:
    """To be written together with what is counted. `after` is what `with_recent` gives."""
    recent: list[Value] = [[revision, list(ids)] for revision, ids in after.recent]
    said: dict[str, Value] = {"seen_at": project.now(), "recent": recent}
    if commit is not None:
        said["seen_commit"] = commit
    numbers = {"files": counts.files, "failed": counts.failed, "bytes": counts.bytes, "revision": 1}
    return Update(project.rows(REPOSITORIES).key(after.repo_id), set=said, add=numbers)


def completed(project: CodeProject, repo_id: str, commit: str | None, url: str | None) -> Change:
    """The caller says that the index has all of the repository as it is at `commit`."""
    now = project.now()
    said: dict[str, Value] = {"seen_at": now, "complete_at": now, "commit": commit, "seen_commit": commit}
    if url is not None:
        said["url"] = url
    return Update(project.rows(REPOSITORIES).key(repo_id), set=said)
