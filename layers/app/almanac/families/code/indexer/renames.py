"""Detection of renames, which callers do not report: one file is gone, and another has the same content.

Records about the former path are found under the current one. This only helps readers. It is written after the files,
so a process that ends in between loses a rename.
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
"""A rename's new file may have come this long before the removal, because a large tree takes many calls."""
MOST_RECENT = 1_000
LEAST_BYTES = 2
"""Empty files say nothing. Of other contents that many files share, `_same` chooses none."""
_WRITTEN_AT_ONCE = 90
_ALIKE = 20


class _FilePath(Struct, frozen=True):
    id: str
    path: str


def follow_renames(project: CodeProject, repo_id: str, new: Sequence[ValidatedFile], gone: Sequence[CodeFile]) -> None:
    """Store the former paths of a call's `new` files, and of the files to which its `gone` files were renamed."""
    pairs = {left.id: (left, came) for left, came in _pair_with_gone(project, repo_id, new, gone)}
    taken = {came.id for _, came in pairs.values()}
    others = [file for file in new if file.id not in taken]
    pairs = {left.id: (left, came) for left, came in _pair_with_removed(project, repo_id, others)} | pairs
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
    """Delete the former paths of a removed repository, and the paths of its removed files."""
    former, removed = project.rows(FORMER_PATHS), project.rows(REMOVED)
    changes: list[Change] = [former.delete(one.id) for one in former.every(repo_id, index="gsi1")]
    changes += [
        removed.put(RemovedFile(id=one.id, version=one.version, expires_at=one.expires_at))
        for one in removed.every(repo_id, index="gsi1")
    ]
    _write(project, changes)


def _pair_with_gone(
    project: CodeProject, repo_id: str, new: Sequence[ValidatedFile], gone: Sequence[CodeFile]
) -> Iterator[tuple[_FilePath, _FilePath]]:
    by_digest: dict[str, list[_FilePath]] = {}
    for file in new:
        if file.bytes >= LEAST_BYTES:
            by_digest.setdefault(file.digest, []).append(_FilePath(file.id, file.path))
    sought = [each for each in gone if each.bytes >= LEAST_BYTES]
    if any(each.digest not in by_digest for each in sought):
        recent = project.rows(FILES).every(
            repo_id, index="gsi2", since=project.now() - RECENT_MS, reverse=True, page=MOST_RECENT
        )
        known = {file.id for file in new}
        for file in islice(recent, MOST_RECENT):
            if file.id not in known:
                by_digest.setdefault(file.digest, []).append(_FilePath(file.id, file.path))
    for each in sought:
        came = _find_other_end(each.path, by_digest.get(each.digest, ()))
        if came is not None:
            yield _FilePath(each.id, each.path), came


def _pair_with_removed(
    project: CodeProject, repo_id: str, new: Sequence[ValidatedFile]
) -> Iterator[tuple[_FilePath, _FilePath]]:
    """Yield pairs of a file that an earlier call removed and a new file with its content."""
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
            _FilePath(each.id, each.path)
            for each in removed
            if each.path is not None and each.id not in moved and each.id not in there
        ]
        was = _find_other_end(file.path, left)
        if was is not None:
            yield was, _FilePath(file.id, file.path)


def _find_other_end(path: str, others: Sequence[_FilePath]) -> _FilePath | None:
    """Return the other end of a rename: the only file with that content, or the only one of them with the same name."""
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
