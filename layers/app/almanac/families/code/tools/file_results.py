"""Results of the tools for files. Instants are milliseconds since 1970."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import CodeFile
from almanac.families.code.indexer.operations import Outcome
from almanac.families.code.indexer.states import IndexState, states

MOST_TOLD = 50


class RefusedFile(Struct, frozen=True):
    """A file that cannot be indexed, and what to do."""

    path: str
    code: str
    message: str
    hint: str


class IndexReply(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`indexed` files are in the index now, `unchanged` ones already were, `removed` ones were deleted. `refused`: the
    first 50 files that cannot be indexed. `left`: paths for which no time was left; send them again. `ok`: nothing was
    refused or left. `precise`: number of files whose precise index was stored. `complete`: the index has all of the
    commit."""

    ok: bool
    indexed: int
    unchanged: int
    removed: int
    repository: IndexState
    refused: tuple[RefusedFile, ...] = ()
    left: tuple[str, ...] = ()
    precise: int = 0
    complete: bool = False


class RemovalReply(Struct, frozen=True):
    """`removed` counts the files removed from the index. `more`: there are more of them; call again."""

    ok: bool
    repo_id: str
    removed: int
    more: bool


class FileRow(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`sha256`, `bytes` and `lines` are of the text as it was sent. `parsed` false: parts of it could not be parsed,
    for the `reason`, and are searched as plain text. `redacted`: kinds of removed secrets. `outdated`: an earlier
    version of Almanac analysed it, and it is analysed again when it is sent again."""

    file_id: str
    repo_id: str
    path: str
    lang: str
    sha256: str
    bytes: int
    lines: int
    symbols: int
    parsed: bool
    changed_at: int
    commit: str | None = None
    redacted: tuple[str, ...] = ()
    reason: str | None = None
    outdated: bool = False


class Files(Struct, frozen=True, kw_only=True):
    """A page of indexed files; if `truncated`, continue with `next_cursor`. `repositories` has the state of each, at
    most 100. `untrusted`: others named the files."""

    files: tuple[FileRow, ...]
    truncated: bool
    next_cursor: str | None
    repositories: Sequence[IndexState]
    untrusted: bool = True


def index_view(project: CodeProject, repo_id: str, outcome: Outcome, *, complete: bool) -> IndexReply:
    refused, brought = outcome.refused, outcome.indexed
    whole = not refused and not brought.left
    return IndexReply(
        ok=whole,
        indexed=len(brought.indexed),
        unchanged=len(brought.unchanged),
        removed=outcome.removed,
        repository=states(project, repo_id)[0],
        refused=tuple(
            RefusedFile(path, error.code, error.message, error.hint)
            for path, error in list(refused.items())[:MOST_TOLD]
        ),
        left=brought.left,
        precise=outcome.precise,
        complete=complete and whole,
    )


def file_row(file: CodeFile) -> FileRow:
    return FileRow(
        file_id=file.id,
        repo_id=file.repo_id,
        path=file.path,
        lang=file.language,
        sha256=file.digest,
        bytes=file.bytes,
        lines=file.lines,
        symbols=file.symbols,
        parsed=file.parsed,
        changed_at=file.changed_at,
        commit=file.commit,
        redacted=file.redacted,
        reason=file.reason,
        outdated=not file.is_analysed(file.digest),
    )
