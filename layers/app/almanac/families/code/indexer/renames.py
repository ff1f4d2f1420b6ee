"""Renames, which nobody tells: a file is gone, and another one came with the same content.

What was said of the former path is found by the present one. This is a help for reading: it is written after the files,
and where a process ends in between, one rename is not followed.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import FILES, FORMER_PATHS, REMOVED, CodeFile, FormerPath, RemovedFile
from almanac.families.code.indexer.file_validation import ValidatedFile
from almanac.platform.store.port import Change

KEPT_MS = 400 * 86_400_000
RECENT_MS = 3_600_000
"""So long before the removal a file may have come that it was renamed to: a large tree is sent in many calls."""
MOST_RECENT = 1_000
LEAST_BYTES = 2
"""Empty files tell nothing. Of other contents that many files have, `_same` chooses none."""
_WRITTEN_AT_ONCE = 90
_ALIKE = 20


class _Named(Struct, frozen=True):
    id: str
    path: str


def follow_renames(project: CodeProject, repo_id: str, new: Sequence[ValidatedFile], gone: Sequence[CodeFile]) -> None:
    """Store the former paths of the `new` files of one call, and of those that the `gone` ones were renamed to."""
    pairs = {left.id: (left, came) for left, came in _from_gone(project, repo_id, new, gone)}
    taken = {came.id for _, came in pairs.values()}
    others = [file for file in new if file.id not in taken]
    pairs = {left.id: (left, came) for left, came in _from_removed(project, repo_id, others)} | pairs
    now = project.now()
    rows = project.rows(FORMER_PATHS)
    back = rows.by_id([file.id for file in new])
    changes: list[Change] = [rows.delete(one) for one in back]
    changes += [
        rows.put(FormerPath(id=left.id, repo_id=repo_id, path=left.path, now=came.id, at=now, expires_at=now + KEPT_MS))
        for left, came in pairs.values()
    ]
    _write(project, changes)


def forget_renames(project: CodeProject, repo_id: str) -> None:
    """Delete the former paths of a repository that is taken out, and those of its removed files."""
    former, removed = project.rows(FORMER_PATHS), project.rows(REMOVED)
    changes: list[Change] = [former.delete(one.id) for one in former.every(repo_id, index="gsi1")]
    changes += [
        removed.put(RemovedFile(id=one.id, version=one.version, expires_at=one.expires_at))
        for one in removed.every(repo_id, index="gsi1")
    ]
    _write(project, changes)


def _from_gone(
    project: CodeProject, repo_id: str, new: Sequence[ValidatedFile], gone: Sequence[CodeFile]
) -> Iterator[tuple[_Named, _Named]]:
    by_digest: dict[str, list[_Named]] = {}
    for file in new:
        if file.bytes >= LEAST_BYTES:
            by_digest.setdefault(file.digest, []).append(_Named(file.id, file.path))
    sought = [each for each in gone if each.bytes >= LEAST_BYTES]
    if any(each.digest not in by_digest for each in sought):
        recent = project.rows(FILES).every(
            repo_id, index="gsi2", since=project.now() - RECENT_MS, reverse=True, page=MOST_RECENT
        )
        known = {file.id for file in new}
        for file in islice(recent, MOST_RECENT):
            if file.id not in known:
                by_digest.setdefault(file.digest, []).append(_Named(file.id, file.path))
    for each in sought:
        came = _same(each.path, by_digest.get(each.digest, ()))
        if came is not None:
            yield _Named(each.id, each.path), came


def _from_removed(project: CodeProject, repo_id: str, new: Sequence[ValidatedFile]) -> Iterator[tuple[_Named, _Named]]:
    """Files that an earlier call removed and that these have the content of."""
    rows = project.rows(REMOVED)
    if not new or not rows.query(repo_id, index="gsi1", limit=1).records:
        return
    for file in new:
        if file.bytes < LEAST_BYTES:
            continue
        removed = rows.query(repo_id, file.digest, index="gsi1", limit=_ALIKE).records
        moved = project.rows(FORMER_PATHS).by_id([each.id for each in removed])
        there = project.rows(FILES).by_id([each.id for each in removed])
        left = [
            _Named(each.id, each.path)
            for each in removed
            if each.path is not None and each.id not in moved and each.id not in there
        ]
        was = _same(file.path, left)
        if was is not None:
            yield was, _Named(file.id, file.path)


def _same(path: str, others: Sequence[_Named]) -> _Named | None:
    """Return the other end of a rename: the only file of that content, or the only one of them with the same name."""
    elsewhere = [each for each in others if each.path != path]
    called_so = [each for each in elsewhere if _name(each.path) == _name(path)]
    for some in (called_so, elsewhere):
        if len(some) == 1:
            return some[0]
    return None


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _write(project: CodeProject, changes: Iterable[Change]) -> None:
    left = iter(changes)
    while some := list(islice(left, _WRITTEN_AT_ONCE)):
        project.store.write(some)
