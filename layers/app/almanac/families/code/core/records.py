"""Stored records of code: the files of repositories, their contents, and the state of each repository's index.

Instants are milliseconds since 1970. Texts are stored without their secrets, and with unchanged line numbers.
"""

from almanac.platform.store.records import Place, Record, Table, VersionedRecord


class CodeRepository(Record, frozen=True, kw_only=True):
    """An indexed repository. `commit` and `complete_at` describe the index when a caller last declared it complete,
    None before that. `seen_commit` and `seen_at` belong to the last call. `files` counts indexed files; `failed` counts
    those that their language's parser could not parse. `revision` grows with every write of files. `precise` counts
    files that came with a precise index. `recent` lists the last writes: the resulting revision and the ids of the
    changed files. A concurrent write may be missing from it."""

    repo_id: str
    first_at: int
    seen_at: int
    seen_commit: str | None = None
    commit: str | None = None
    complete_at: int | None = None
    url: str | None = None
    files: int = 0
    failed: int = 0
    bytes: int = 0
    revision: int = 0
    precise: int = 0
    recent: tuple[tuple[int, tuple[str, ...]], ...] = ()

    def changed_since(self, revision: int) -> set[str] | None:
        """Return the ids of files that changed or were removed after a revision, None if that is not known."""
        recent = dict(self.recent)
        # One of two concurrent writes replaced the other's entry, so a revision may be missing.
        known = [recent.get(each) for each in range(revision + 1, self.revision + 1)]
        if revision > self.revision or None in known:
            return None
        return {id_ for ids in known if ids for id_ in ids}


ANALYSIS = 1
"""Version of the analysis. It grows whenever the stored analysis of the same text changes, so that older files are
analysed again."""


class CodeFile(VersionedRecord, frozen=True, kw_only=True):
    """An indexed file. `digest` is the SHA-256 of the text as it was sent; `bytes` and `lines` measure that text.
    `language` is "text" if the file has no symbols. With `parsed` false its parser failed for the `reason`. `version`
    is the instant of the write, and always grows. `redacted` names the kinds of secrets that were removed. `analysis`
    is the version of the analysis, 0 in early records."""

    id: str
    repo_id: str
    path: str
    language: str
    digest: str
    bytes: int
    lines: int
    parsed: bool
    symbols: int
    changed_at: int
    commit: str | None = None
    redacted: tuple[str, ...] = ()
    reason: str | None = None
    analysis: int = 0

    def is_analysed(self, digest: str) -> bool:
        """Return whether the stored analysis belongs to this text and to the current version of the analysis."""
        return (self.digest, self.analysis) == (digest, ANALYSIS)


class CodeText(Record, frozen=True, kw_only=True):
    """The compressed text and searchable parts (`codec.py`) of a file."""

    id: str
    version: int
    content: bytes
    parts: bytes


class CodeSummary(Record, frozen=True, kw_only=True):
    """The compressed summary of a file for the call graph."""

    id: str
    repo_id: str
    version: int
    summary: bytes


class CodeSignature(Record, frozen=True, kw_only=True):
    """The names that a file defines or uses, as numbers (`signatures.py`). The signatures of all files together tell
    which files need to be read."""

    repo_id: str
    id: str
    version: int
    names: bytes
    path: str = ""


class CodePrecise(Record, frozen=True, kw_only=True):
    """The compressed uses that a precise index reports for one version of a file."""

    id: str
    repo_id: str
    version: int
    uses: bytes


class RemovedFile(Record, frozen=True, kw_only=True):
    """The version at which a file was removed from search. If the path returns, it gets a later version, even if the
    clock was set back. `digest` recognises a renamed file."""

    id: str
    version: int
    expires_at: int
    repo_id: str | None = None
    path: str | None = None
    digest: str | None = None


class FormerPath(Record, frozen=True, kw_only=True):
    """A file that was renamed at `at`. `id` and `path` are the old ones, and `now` is the new id, which may have been
    renamed since."""

    id: str
    repo_id: str
    path: str
    now: str
    at: int
    expires_at: int


REPOSITORIES = Table(CodeRepository, "code_repositories", sort=("repo_id",))
FILES = Table(
    CodeFile,
    "code_files",
    sort=("id",),
    indexes={
        "gsi1": Place("code_files_by_path", partition=("repo_id",), sort=("path",)),
        "gsi2": Place("code_files_by_change", partition=("repo_id",), sort=("changed_at", "id")),
    },
)
TEXTS = Table(CodeText, "code_texts", sort=("id",))
SUMMARIES = Table(CodeSummary, "code_summaries", sort=("id",))
PRECISE = Table(CodePrecise, "code_precise", sort=("id",))
SIGNATURES = Table(CodeSignature, "code_signatures", partition=("repo_id",), sort=("id",))
REMOVED = Table(
    RemovedFile,
    "code_removed",
    sort=("id",),
    indexes={"gsi1": Place("code_removed_by_digest", partition=("repo_id",), sort=("digest", "id"))},
    expires="expires_at",
)
FORMER_PATHS = Table(
    FormerPath,
    "code_former_paths",
    sort=("id",),
    indexes={"gsi1": Place("code_former_paths_by_file", partition=("repo_id",), sort=("now", "id"))},
    expires="expires_at",
)
