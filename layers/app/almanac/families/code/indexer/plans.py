"""Plans of the changes that index one file or remove it."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.documents import document_of, parts_of
from almanac.families.code.core.records import (
    ANALYSIS,
    FILES,
    PRECISE,
    REMOVED,
    SIGNATURES,
    SUMMARIES,
    TEXTS,
    CodeFile,
    CodePrecise,
    CodeSignature,
    CodeSummary,
    CodeText,
    RemovedFile,
)
from almanac.families.code.indexer.file_validation import ValidatedFile
from almanac.families.code.indexer.preparation import PreparedFile
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.conditions import Absent, Condition, Equals
from almanac.platform.store.port import Change
from almanac.search.engine.document_writes import batch_changes
from almanac.search.port import Document

KEPT_MS = 30 * 86_400_000
"""Time for which a removal is remembered, longer than any clock is set back."""


class Counts(Struct, frozen=True):
    """Changes of the file, failure and byte counts of a repository."""

    files: int = 0
    failed: int = 0
    bytes: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.files + other.files, self.failed + other.failed, self.bytes + other.bytes)


class StoredFile(Struct, frozen=True):
    """The stored state of a file. `file` and `text` are None if they are not stored. `removed` is the last removal of a
    file that is gone."""

    file: CodeFile | None = None
    text: CodeText | None = None
    removed: RemovedFile | None = None

    @property
    def documents(self) -> list[Document]:
        if self.file is None or self.text is None:
            return []
        return [document_of(self.file, part) for part in parts_of(self.text)]

    @property
    def condition(self) -> Condition:
        return Absent() if self.file is None else Equals("version", self.file.version)

    def next_version(self, now: int) -> int:
        """Return `now`, or one more than the last version if that is later."""
        last = self.file or self.removed
        return max(now, last.version + 1) if last is not None else now

    @property
    def counts(self) -> Counts:
        file = self.file
        return Counts() if file is None else Counts(-1, -int(not file.parsed), -file.bytes)


class FilePlan(Struct, frozen=True):
    """The changes of one file. `weight` is their approximate size in bytes. `documents` enter search and `gone` leave
    it; one event tells search about all files of a write (`found_changes`)."""

    file: str
    changes: tuple[Change, ...]
    counts: Counts
    weight: int
    documents: Sequence[Document] = ()
    gone: Sequence[Document] = ()


def plan_file(
    project: CodeProject,
    repo_id: str,
    valid_file: ValidatedFile,
    stored: StoredFile,
    commit: str | None,
    prepared: PreparedFile,
    precise: CodePrecise | None = None,
) -> FilePlan:
    """Plan to store the file as sent, in place of its stored state. `precise` is the still valid precise index of the
    same text."""
    now = project.now()
    version = stored.next_version(now)
    file = CodeFile(
        id=valid_file.id,
        repo_id=repo_id,
        path=valid_file.path,
        language=prepared.language,
        digest=valid_file.digest,
        bytes=valid_file.bytes,
        lines=_lines_of(valid_file.content),
        parsed=prepared.parsed,
        symbols=prepared.symbols,
        reason=prepared.reason,
        changed_at=now,
        commit=commit,
        redacted=tuple(dict.fromkeys(each.kind for each in prepared.findings)),
        version=version,
        analysis=ANALYSIS,
    )
    text = CodeText(id=valid_file.id, version=version, content=prepared.content, parts=prepared.parts)
    summary = CodeSummary(id=valid_file.id, repo_id=repo_id, version=version, summary=prepared.summary)
    names = CodeSignature(
        repo_id=repo_id, id=valid_file.id, version=version, names=prepared.names, path=valid_file.path
    )
    documents = [document_of(file, part) for part in parts_of(text)]
    changes: list[Change] = [
        project.rows(FILES).put(file, stored.condition),
        project.rows(TEXTS).put(text),
        project.rows(SUMMARIES).put(summary),
        project.rows(SIGNATURES).put(names),
        *_precise_changes(project, file, stored, precise),
        *([project.rows(REMOVED).delete(file.id)] if stored.removed else []),
        *redaction_changes(project, f"{repo_id}/{valid_file.path}", "code", prepared.findings, now),
    ]
    counts = stored.counts + Counts(1, int(not file.parsed), file.bytes)
    kept = len(precise.uses) if precise is not None else 0
    weight = kept + len(text.content) + len(text.parts) + len(summary.summary) + len(names.names)
    return FilePlan(file.id, tuple(changes), counts, weight, documents, _missing_documents(stored.documents, documents))


def _precise_changes(
    project: CodeProject, file: CodeFile, stored: StoredFile, precise: CodePrecise | None
) -> list[Change]:
    rows = project.rows(PRECISE)
    if stored.file is None:
        return []
    if precise is None or precise.version != stored.file.version:
        return [rows.delete(file.id)]
    return [rows.put(replace(precise, version=file.version))]


def plan_removal(project: CodeProject, file: CodeFile, stored: StoredFile, *, with_repository: bool) -> FilePlan:
    """Plan to remove the stored file from the index and search. A file that goes with its repository does not count as
    renamed."""
    removed = RemovedFile(id=file.id, version=file.version + 1, expires_at=project.now() + KEPT_MS)
    if not with_repository:
        removed = replace(removed, repo_id=file.repo_id, path=file.path, digest=file.digest)
    changes: list[Change] = [
        project.rows(FILES).delete(file.id, condition=stored.condition),
        project.rows(TEXTS).delete(file.id),
        project.rows(SUMMARIES).delete(file.id),
        project.rows(SIGNATURES).delete(file.repo_id, file.id),
        project.rows(PRECISE).delete(file.id),
        project.rows(REMOVED).put(removed),
    ]
    return FilePlan(file.id, tuple(changes), stored.counts, 0, gone=stored.documents)


def search_changes(project: CodeProject, planned: Sequence[FilePlan]) -> list[Change]:
    """Return the change that updates search for all files of one write, since one event per file would take longer than
    the update. The order among other events does not matter, because versions decide."""
    return batch_changes(
        [document for one in planned for document in one.documents],
        [document for one in planned for document in one.gone],
        project.scope,
        key=planned[0].file,
        actor=project.actor,
        at=project.now(),
        random_bytes=project.random_bytes,
    )


def _missing_documents(before: Sequence[Document], now: Sequence[Document]) -> list[Document]:
    left = {each.id for each in now}
    return [each for each in before if each.id not in left]


def _lines_of(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n")) if text else 0
