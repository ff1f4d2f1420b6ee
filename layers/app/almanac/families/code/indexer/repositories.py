"""Records of repositories, whose counts grow with every write of files."""

from collections.abc import Sequence

from msgspec.structs import replace

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import REPOSITORIES, CodeRepository
from almanac.families.code.indexer.plans import Counts
from almanac.platform.store.port import Change, ConditionFailed, Update
from almanac.platform.store.values import Value

RECENT = 40
"""Writes and files named in a repository's record, about a kilobyte."""


def begin(project: CodeProject, repo_id: str) -> CodeRepository:
    """Return the record of the repository, and create it if necessary."""
    rows = project.rows(REPOSITORIES)
    found = rows.get(repo_id)
    if found is not None:
        return found
    now = project.now()
    created = CodeRepository(repo_id=repo_id, first_at=now, seen_at=now)
    try:
        project.store.write([rows.insert(created)])
    except ConditionFailed:
        return rows.get(repo_id) or created  # somebody else began it
    return created


def with_recent(repository: CodeRepository, ids: Sequence[str]) -> CodeRepository:
    """Return the record after these files have changed. A write of many files is not listed, and readers then read
    everything."""
    revision = repository.revision + 1
    recent = [*repository.recent, (revision, tuple(ids))]
    while sum(1 + len(some) for _, some in recent) > RECENT:
        del recent[0]
    return replace(repository, revision=revision, recent=tuple(recent))


def count_change(project: CodeProject, after: CodeRepository, counts: Counts, commit: str | None) -> Change:
    """Return the change of the counts, for the write that it counts. `after` comes from `with_recent`."""
    recent: list[Value] = [[revision, list(ids)] for revision, ids in after.recent]
    fields: dict[str, Value] = {"seen_at": project.now(), "recent": recent}
    if commit is not None:
        fields["seen_commit"] = commit
    numbers = {"files": counts.files, "failed": counts.failed, "bytes": counts.bytes, "revision": 1}
    return Update(project.rows(REPOSITORIES).key(after.repo_id), set=fields, add=numbers)


def completion_change(project: CodeProject, repo_id: str, commit: str | None, url: str | None) -> Change:
    """Return the change for a caller's declaration that the index has the whole repository at `commit`."""
    now = project.now()
    fields: dict[str, Value] = {"seen_at": now, "complete_at": now, "commit": commit, "seen_commit": commit}
    if url is not None:
        fields["url"] = url
    return Update(project.rows(REPOSITORIES).key(repo_id), set=fields)
