"""Files brought into the index and taken out of it, several in one write."""

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
    found_changes,
    plan_file,
    plan_removal,
)
from almanac.families.code.indexer.preparation import Preparation, PreparedFile
from almanac.families.code.indexer.repositories import begin, counted, with_recent
from almanac.kernel.clock import process_seconds
from almanac.search.engine.document_writes import TOGETHER

FILES_AT_ONCE = 20
CHANGES_AT_ONCE = 95
BYTES_AT_ONCE = 2_000_000
"""With what is added for the repository these stay within one write."""
SECONDS = 15.0
"""Of CPU that one call takes; what is left then is to be sent again."""


class IndexBatch(Struct, frozen=True):
    """The paths that are in the index now, those that were so already, and those that there was no time for. `new` are
    the files among the first that the index did not have."""

    indexed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    new: tuple[ValidatedFile, ...] = ()


class Place(Struct, frozen=True):
    """A repository in the index of a project. `commit` is what its files are of."""

    project: CodeProject
    repo_id: str
    commit: str | None = None


def bring(
    place: Place, files: Sequence[ValidatedFile], prepare: Preparation, cpu: Callable[[], float] = process_seconds
) -> IndexBatch:
    """Each of the files, once; of two with the same path the last. `cpu` counts the seconds of this process."""
    wanted = {file.id: file for file in files}
    known = place.project.rows(FILES).by_id(wanted)
    same = {one for one, file in wanted.items() if one in known and known[one].is_analysed(file.digest)}
    changed = [one for one in wanted if one not in same]
    done, until = 0, cpu() + SECONDS
    with closing(prepare([(wanted[one].path, wanted[one].content) for one in changed])) as preparing:
        while done < len(changed) and cpu() <= until:
            made: dict[str, PreparedFile] = {}
            for one in changed[done : done + FILES_AT_ONCE]:
                made[one] = next(preparing)
                if sum(each.seconds for each in made.values()) > SECONDS:
                    break
            _write(place, list(made), lambda standing, made=made: _plans(place, wanted, made, standing))
            until -= sum(each.seconds for each in made.values())
            done += len(made)
    paths = [wanted[one].path for one in changed]
    unchanged = tuple(wanted[one].path for one in wanted if one in same)
    new = tuple(wanted[one] for one in changed[:done] if one not in known)
    return IndexBatch(tuple(paths[:done]), unchanged, tuple(paths[done:]), new)


def _plans(
    place: Place,
    wanted: Mapping[str, ValidatedFile],
    made: Mapping[str, PreparedFile],
    standing: Mapping[str, StoredFile],
) -> Iterator[FilePlan]:
    for one, at in standing.items():
        # It stands there: written by an attempt before this one, or by somebody else meanwhile.
        if at.file is None or not at.file.is_analysed(wanted[one].digest):
            # What a compiler said of the same text still holds.
            same = at.file is not None and at.file.digest == wanted[one].digest
            precise = place.project.rows(PRECISE).get(one) if same else None
            yield plan_file(place.project, place.repo_id, wanted[one], at, place.commit, made[one], precise)


def take_out(place: Place, file_ids: Sequence[str], *, with_repository: bool = False) -> Sequence[CodeFile]:
    """Return those that were there."""

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


def _write(place: Place, ids: Sequence[str], plans: Callable[[dict[str, StoredFile]], Iterator[FilePlan]]) -> None:
    def attempt() -> None:
        # Somebody may have removed the repository since.
        repository = begin(place.project, place.repo_id)
        for some in _fitting(plans(_standing(place.project, ids))):
            counts = sum((one.counts for one in some), Counts())
            repository = with_recent(repository, [one.file for one in some])
            total = counted(place.project, repository, counts, place.commit)
            found = found_changes(place.project, some)
            place.project.store.write([*(change for one in some for change in one.changes), *found, total])

    place.project.retrying(attempt)


def _standing(project: CodeProject, ids: Sequence[str]) -> dict[str, StoredFile]:
    files = project.rows(FILES).by_id(ids)
    texts = project.rows(TEXTS).by_id(files)
    removed = project.rows(REMOVED).by_id([one for one in ids if one not in files])
    return {one: StoredFile(files.get(one), texts.get(one), removed.get(one)) for one in ids}


def _fitting(plans: Iterator[FilePlan]) -> Iterator[list[FilePlan]]:
    """As many at once as one write takes."""
    some: list[FilePlan] = []
    changes = documents = weight = 0
    for one in plans:
        told = len(one.documents) + len(one.gone)
        changes, documents, weight = changes + len(one.changes), documents + told, weight + one.weight
        if some and (changes + documents // TOGETHER + 1 > CHANGES_AT_ONCE or weight > BYTES_AT_ONCE):
            yield some
            some, changes, documents, weight = [], len(one.changes), told, one.weight
        some.append(one)
    if some:
        yield some
