"""Index and remove: what the tools do with the files of a repository."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from msgspec import Struct

from almanac.families.code.core.code import CodeProject, file_id
from almanac.families.code.core.records import FILES, REPOSITORIES
from almanac.families.code.indexer.batch import IndexBatch, Place, bring, take_out
from almanac.families.code.indexer.file_validation import (
    TOTAL_BYTES,
    CodeFileInput,
    ValidatedFile,
    checked_path,
    validate_file,
)
from almanac.families.code.indexer.precise import PreciseIndex, keep_precise, uses_in
from almanac.families.code.indexer.preparation import Preparation
from almanac.families.code.indexer.renames import follow_renames, forget_renames
from almanac.families.code.indexer.repositories import begin, completed
from almanac.kernel.clock import process_seconds
from almanac.kernel.errors import AlmanacError, InvalidInput, NotFound
from almanac.protocol.arguments.conversion import convert

REMOVED_AT_ONCE = 1000


class IndexRequest(Struct, frozen=True, kw_only=True):
    """The contents of one indexing call. `files` are as the caller sent them; each one succeeds or fails alone."""

    repo_id: str
    files: Sequence[Any] = ()
    removed: Sequence[str] = ()
    commit: str | None = None
    url: str | None = None
    complete: bool = False
    precise: PreciseIndex | None = None


class Outcome(Struct, frozen=True):
    """`removed` counts the files that are gone. `refused` are the paths, or the places in the list, of those that
    cannot be indexed. `precise`: of so many files a precise index was kept."""

    brought: IndexBatch
    removed: int
    refused: Mapping[str, AlmanacError]
    precise: int = 0


def index(
    project: CodeProject, wanted: IndexRequest, prepare: Preparation, cpu: Callable[[], float] = process_seconds
) -> Outcome:
    """`cpu` counts the seconds of this process. Raises InvalidInput only where all files together are too large, or a
    precise index cannot be read."""
    _check_size(wanted.files)
    uses = uses_in(wanted.precise) if wanted.precise is not None else []
    refused: dict[str, AlmanacError] = {}
    ready = list(_ready(wanted.repo_id, wanted.files, refused))
    gone = list(_gone(wanted.repo_id, wanted.removed, refused))
    begin(project, wanted.repo_id)
    place = Place(project, wanted.repo_id, wanted.commit)
    brought = bring(place, ready, prepare, cpu)
    sent = {file.id for file in ready}
    removed = take_out(place, [one for one in gone if one not in sent])
    follow_renames(project, wanted.repo_id, brought.new, removed)
    precise = keep_precise(project, wanted.repo_id, uses) if uses else 0
    if wanted.complete and not brought.left and not refused:
        project.store.write([completed(project, wanted.repo_id, wanted.commit, wanted.url)])
    return Outcome(brought, len(removed), refused, precise)


def remove(project: CodeProject, repo_id: str) -> tuple[int, bool]:
    """Take a whole repository out, up to 1,000 files of it at a time; returns how many were, and whether there are
    more. Raises NotFound where it is not indexed."""
    rows = project.rows(REPOSITORIES)
    if rows.get(repo_id) is None:
        known = ", ".join(each.repo_id for each in rows.query(limit=10).records)
        raise NotFound(
            f"The repository {repo_id!r} is not indexed.",
            f"Indexed are: {known}." if known else "None is indexed.",
            untrusted=bool(known),
        )
    files = project.rows(FILES).query(repo_id, index="gsi1", limit=REMOVED_AT_ONCE)
    removed = take_out(Place(project, repo_id), [file.id for file in files.records], with_repository=True)
    if files.cursor is None:
        forget_renames(project, repo_id)
        project.store.write([rows.delete(repo_id)])
    return len(removed), files.cursor is not None


def _ready(repo_id: str, files: Sequence[Any], refused: dict[str, AlmanacError]) -> Iterable[ValidatedFile]:
    for number, raw in enumerate(files):
        try:
            yield validate_file(repo_id, convert(raw, CodeFileInput))
        except AlmanacError as error:
            refused[_name(raw, number)] = error


def _gone(repo_id: str, paths: Sequence[str], refused: dict[str, AlmanacError]) -> Iterable[str]:
    for path in paths:
        try:
            yield file_id(repo_id, checked_path(path))
        except AlmanacError as error:
            refused[path[:80]] = error


def _name(raw: Any, number: int) -> str:
    path = cast("dict[str, Any]", raw).get("path") if isinstance(raw, dict) else None
    return path[:200] if isinstance(path, str) else f"files[{number}]"


def _check_size(files: Sequence[Any]) -> None:
    contents = [cast("dict[str, Any]", raw).get("content") for raw in files if isinstance(raw, dict)]
    size = sum(len(each.encode(errors="replace")) for each in contents if isinstance(each, str))
    if size > TOTAL_BYTES:
        raise InvalidInput(
            f"The files have {size} bytes together, over {TOTAL_BYTES}.", "Send fewer at once.", path="files"
        )
