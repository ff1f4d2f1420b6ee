"""Add files to the index and remove them, several in one write."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing

from msgspec import Struct

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import FILES, PRECISE, REMOVED, TEXTS, CodeFile
from almanac.families.code.indexer.file_validation import ValidatedFile
from almanac.families.code.indexer.plans import (
    Counts,
    FilePlan,
    StoredFile,
    plan_file,
    plan_removal,
    search_changes,
)
from almanac.families.code.indexer.preparation import Preparation, PreparedFile
from almanac.families.code.indexer.repositories import begin, count_change, with_recent
from almanac.kernel.clock import process_seconds
from almanac.search.engine.document_writes import TOGETHER

FILES_AT_ONCE = 20
CHANGES_AT_ONCE = 95
BYTES_AT_ONCE = 2_000_000
"""With the changes of the repository's record, these limits stay within one write."""
SECONDS = 15.0
"""CPU seconds that one call takes. The caller must send the remaining files again."""


class IndexBatch(Struct, frozen=True):
    """The paths that are indexed now, those that were unchanged, and those `left` for lack of time. `new` are files
    among the first that the index did not have."""

    indexed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    new: tuple[ValidatedFile, ...] = ()


class IndexedRepository(Struct, frozen=True):
    """A repository in the index of a project. `commit` is the commit of its files."""

    project: CodeProject
    repo_id: str
    commit: str | None = None


def index_files(
    place: IndexedRepository,
    files: Sequence[ValidatedFile],
    prepare: Preparation,
    cpu: Callable[[], float] = process_seconds,
) -> IndexBatch:
    """Index each of the files once; the last of two with the same path counts. `cpu` returns the CPU seconds of this
    process."""
    files_by_id = {file.id: file for file in files}
    known = place.project.rows(FILES).by_id(files_by_id)
    same = {one for one, file in files_by_id.items() if one in known and known[one].is_analysed(file.digest)}
    changed = [one for one in files_by_id if one not in same]
    done, until = 0, cpu() + SECONDS
    with closing(prepare([(files_by_id[one].path, files_by_id[one].content) for one in changed])) as preparing:
        while done < len(changed) and cpu() <= until:
            prepared: dict[str, PreparedFile] = {}
            for one in changed[done : done + FILES_AT_ONCE]:
                prepared[one] = next(preparing)
                if sum(each.seconds for each in prepared.values()) > SECONDS:
                    break
            _write(place, list(prepared), lambda standing, made=prepared: _plans(place, files_by_id, made, standing))
            until -= sum(each.seconds for each in prepared.values())
            done += len(prepared)
    paths = [files_by_id[one].path for one in changed]
    unchanged = tuple(files_by_id[one].path for one in files_by_id if one in same)
    new = tuple(files_by_id[one] for one in changed[:done] if one not in known)
    return IndexBatch(tuple(paths[:done]), unchanged, tuple(paths[done:]), new)


def _plans(
    place: IndexedRepository,
    files_by_id: Mapping[str, ValidatedFile],
    prepared: Mapping[str, PreparedFile],
    stored: Mapping[str, StoredFile],
) -> Iterator[FilePlan]:
    for one, at in stored.items():
        # The file is there already if an earlier attempt or another caller wrote it.
        if at.file is None or not at.file.is_analysed(files_by_id[one].digest):
            # The precise index of the same text is still valid.
            same = at.file is not None and at.file.digest == files_by_id[one].digest
            precise = place.project.rows(PRECISE).get(one) if same else None
            yield plan_file(place.project, place.repo_id, files_by_id[one], at, place.commit, prepared[one], precise)


def remove_files(
    place: IndexedRepository, file_ids: Sequence[str], *, with_repository: bool = False
) -> Sequence[CodeFile]:
    """Remove files from the index, and return those that were there."""

    def plans(standing: dict[str, StoredFile]) -> Iterator[FilePlan]:
        return (
            plan_removal(place.project, at.file, at, with_repository=with_repository)
            for at in standing.values()
            if at.file is not None
        )

    files = place.project.rows(FILES).by_id(file_ids)
    known = list(files)
    for start in range(0, len(known), FILES_AT_ONCE):
        _write(place, known[start : start + FILES_AT_ONCE], plans)
    return list(files.values())


def _write(
    place: IndexedRepository, ids: Sequence[str], plans: Callable[[dict[str, StoredFile]], Iterator[FilePlan]]
) -> None:
    def attempt() -> None:
        # Another caller may have removed the repository since.
        repository = begin(place.project, place.repo_id)
        for some in _group_plans(plans(_read_stored(place.project, ids))):
            counts = sum((one.counts for one in some), Counts())
            repository = with_recent(repository, [one.file for one in some])
            total = count_change(place.project, repository, counts, place.commit)
            found = search_changes(place.project, some)
            place.project.store.write([*(change for one in some for change in one.changes), *found, total])

    place.project.retry_on_conflict(attempt)


def _read_stored(project: CodeProject, ids: Sequence[str]) -> dict[str, StoredFile]:
    files = project.rows(FILES).by_id(ids)
    texts = project.rows(TEXTS).by_id(files)
    removed = project.rows(REMOVED).by_id([id_ for id_ in ids if id_ not in files])
    return {id_: StoredFile(files.get(id_), texts.get(id_), removed.get(id_)) for id_ in ids}


def _group_plans(plans: Iterator[FilePlan]) -> Iterator[list[FilePlan]]:
    """Group plans into writes within the limits."""
    some: list[FilePlan] = []
    changes = documents = weight = 0
    for plan in plans:
        told = len(plan.documents) + len(plan.gone)
        changes, documents, weight = changes + len(plan.changes), documents + told, weight + plan.weight
        if some and (changes + documents // TOGETHER + 1 > CHANGES_AT_ONCE or weight > BYTES_AT_ONCE):
            yield some
            some, changes, documents, weight = [], len(plan.changes), told, plan.weight
        some.append(plan)
    if some:
        yield some
