"""The operations of the indexing tools: index files, and remove files or repositories."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from msgspec import Struct

from almanac.families.code.core.code import CodeProject, file_id
from almanac.families.code.core.records import FILES, REPOSITORIES
from almanac.families.code.indexer.batch import IndexBatch, IndexedRepository, index_files, remove_files
from almanac.families.code.indexer.file_validation import (
    TOTAL_BYTES,
    CodeFileInput,
    ValidatedFile,
    check_path,
    validate_file,
)
from almanac.families.code.indexer.precise import PreciseIndex, keep_precise, read_uses
from almanac.families.code.indexer.preparation import Preparation
from almanac.families.code.indexer.renames import follow_renames, forget_renames
from almanac.families.code.indexer.repositories import begin, completion_change
from almanac.kernel.clock import process_seconds
from almanac.kernel.errors import AlmanacError, InvalidInput, NotFound
from almanac.protocol.arguments.conversion import convert

REMOVED_AT_ONCE = 1000


class IndexRequest(Struct, frozen=True, kw_only=True):
    """The contents of one indexing call. `files` are as the caller sent them; each succeeds or fails on its own."""

    repo_id: str
    files: Sequence[Any] = ()
    removed: Sequence[str] = ()
    commit: str | None = None
    url: str | None = None
    complete: bool = False
    precise: PreciseIndex | None = None


class Outcome(Struct, frozen=True):
    """The result of an indexing call. `removed` counts removed files. `refused` has the errors of rejected files, by
    path or by position in the list. `precise` counts files for which a precise index was stored."""

    indexed: IndexBatch
    removed: int
    refused: Mapping[str, AlmanacError]
    precise: int = 0


def index(
    project: CodeProject, request: IndexRequest, prepare: Preparation, cpu: Callable[[], float] = process_seconds
) -> Outcome:
    """Index and remove files. `cpu` returns the CPU seconds of this process.

    Raises InvalidInput only if all files together are too large, or a precise index cannot be read.
    """
    _check_size(request.files)
    uses = read_uses(request.precise) if request.precise is not None else []
    refused: dict[str, AlmanacError] = {}
    valid_files = list(_validate_files(request.repo_id, request.files, refused))
    removed_ids = list(_validate_removals(request.repo_id, request.removed, refused))
    begin(project, request.repo_id)
    place = IndexedRepository(project, request.repo_id, request.commit)
    brought = index_files(place, valid_files, prepare, cpu)
    sent = {file.id for file in valid_files}
    removed = remove_files(place, [removed_id for removed_id in removed_ids if removed_id not in sent])
    follow_renames(project, request.repo_id, brought.new, removed)
    precise = keep_precise(project, request.repo_id, uses) if uses else 0
    if request.complete and not brought.left and not refused:
        project.store.write([completion_change(project, request.repo_id, request.commit, request.url)])
    return Outcome(brought, len(removed), refused, precise)


def remove(project: CodeProject, repo_id: str) -> tuple[int, bool]:
    """Remove a whole repository, up to 1,000 files at a time. Returns how many were removed, and whether more remain.
    Raises NotFound if it is not indexed."""
    rows = project.rows(REPOSITORIES)
    if rows.get(repo_id) is None:
        known = ", ".join(each.repo_id for each in rows.query(limit=10).records)
        raise NotFound(
            f"The repository {repo_id!r} is not indexed.",
            f"Indexed are: {known}." if known else "None is indexed.",
            untrusted=bool(known),
        )
    files = project.rows(FILES).query(repo_id, index="gsi1", limit=REMOVED_AT_ONCE)
    removed = remove_files(
        IndexedRepository(project, repo_id), [file.id for file in files.records], with_repository=True
    )
    if files.cursor is None:
        forget_renames(project, repo_id)
        project.store.write([rows.delete(repo_id)])
    return len(removed), files.cursor is not None


def _validate_files(repo_id: str, files: Sequence[Any], refused: dict[str, AlmanacError]) -> Iterable[ValidatedFile]:
    for number, raw in enumerate(files):
        try:
            yield validate_file(repo_id, convert(raw, CodeFileInput))
        except AlmanacError as error:
            refused[_name(raw, number)] = error


def _validate_removals(repo_id: str, paths: Sequence[str], refused: dict[str, AlmanacError]) -> Iterable[str]:
    for path in paths:
        try:
            yield file_id(repo_id, check_path(path))
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
