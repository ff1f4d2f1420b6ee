"""Stored records of code: the files of repositories, what they hold, and how far each repository is indexed.

Instants are milliseconds since 1970. Texts are stored without their secrets, with their lines where they were.

    P#<tenant>#<project>#code_repositories        <repository>       CodeRepository
    P#<tenant>#<project>#code_files               <id>               CodeFile
    P#<tenant>#<project>#code_texts               <id>               CodeText
    P#<tenant>#<project>#code_summaries           <id>               CodeSummary
    P#<tenant>#<project>#code_signatures#<repository>  <id>          CodeSignature
    P#<tenant>#<project>#code_precise             <id>               CodePrecise
    P#<tenant>#<project>#code_removed             <id>               RemovedFile
    P#<tenant>#<project>#code_former_paths        <id>               FormerPath
"""

from almanac.platform.store.records import Place, Record, Table, VersionedRecord


class CodeRepository(Record, frozen=True, kw_only=True):
    """`commit` and `complete_at`: what the index had, and when, when a caller last said that it was complete; None
    before the first time. `seen_commit` and `seen_at` are of the last call. `files` counts those that are indexed,
    `failed` those of them whose language could not parse them. `revision` grows with every write of files. `precise`:
    so often a file came with a precise index. `recent` says of the last writes which files changed: the revision that
    each led to, unless somebody wrote at the same time, and the ids of its files."""

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
        """The ids of the files that changed after a revision, also those that are gone; None where it is not known."""
        recent = dict(self.recent)
        # Of writes at the same time one has taken the other's place in the list, and the last revision is missing.
        known = [recent.get(each) for each in range(revision + 1, self.revision + 1)]
        if revision > self.revision or None in known:
            return None
        return {one for ids in known if ids for one in ids}


ANALYSIS = 1
"""Raised whenever another analysis of the same text is stored, so that files of before are read again."""


class CodeFile(VersionedRecord, frozen=True, kw_only=True):
    """`digest` is the SHA-256 of the text as it was sent, `bytes` and `lines` are of it. `language` is "text" where it
    has no symbols. `parsed` false: its language could not read it whole, for the `reason`. `version` is the instant of
    the write, or the one after the last version. `redacted` names the kinds of secrets that were taken out. `analysis`
    is the version of what made symbols, parts and summary; 0 before versions were counted."""

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
        """Tell whether it holds what this version makes of a text."""
        return (self.digest, self.analysis) == (digest, ANALYSIS)


class CodeText(Record, frozen=True, kw_only=True):
    """`content` is the text, `parts` what search finds of it (`codec.py`), both compressed."""

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
    """The names that a file defines or uses, as numbers (`signatures.py`): those of all files together tell which
    files to look into."""

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
    """The version that told search of a removal. The same path comes back with a later one, even where the clock stood
    still or was set back meanwhile. By `digest` a file that comes later is known as the one that was removed."""

    id: str
    version: int
    expires_at: int
    repo_id: str | None = None
    path: str | None = None
    digest: str | None = None


class FormerPath(Record, frozen=True, kw_only=True):
    """A file that was renamed at `at`: `id` and `path` are those that it had, `now` is the id that it got. That one may
    have been renamed since."""

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
