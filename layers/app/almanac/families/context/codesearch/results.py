"""Results of context_searchCode. Code is data: others wrote it."""

from msgspec import Struct

from almanac.families.context.core.below import BelowThreshold


class CodeSymbol(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """A definition. `kind` is function, method, class, interface, type, enum, const, variable, field, module or macro.
    Lines count from 1, are those of the definition with its decorators, and `line_end` is its last. `qualified_name`
    names what it stands in as well. `exported`: by the rules of its language it can be used from outside its file."""

    name: str
    kind: str
    signature: str
    line_start: int
    line_end: int
    doc_comment: str = ""
    qualified_name: str = ""
    exported: bool = False


class CodeResult(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """`content` are lines `line_start` to `line_end`; `cut`: there are more of them. `match_lines` have the text that
    mode text was asked for. `similarity`, 0 to 1, is that of mode semantic. `notes` tell what in it looks like
    instructions or was taken out."""

    file_path: str
    language: str
    repo_id: str
    symbol: CodeSymbol | None = None
    content: str | None = None
    line_start: int | None = None
    line_end: int | None = None
    similarity: float | None = None
    match_lines: tuple[int, ...] = ()
    cut: bool = False
    notes: tuple[str, ...] = ()


class IndexStatus(Struct, frozen=True, rename="camel", kw_only=True):
    """Of the repositories that were searched. `total_symbols` counts definitions, of the first 20,000 files of each.
    `last_indexed` is null where nothing is indexed. `is_stale`: `stale_because` says of which, at most 20, and why."""

    total_files: int
    total_symbols: int
    last_indexed: str | None
    is_stale: bool
    stale_because: tuple[str, ...] = ()


class CodeResults(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """The best first. `total` counts the results of this answer; `truncated`: there are more. `empty_because`: why
    there are none, and which call to make next. `notes`: what was not searched, or not regarded. `untrusted`: others
    wrote what is quoted."""

    results: tuple[CodeResult, ...]
    untrusted: bool = False
    index_status: IndexStatus
    total: int
    truncated: bool = False
    below_threshold: BelowThreshold | None = None
    empty_because: str | None = None
    notes: tuple[str, ...] = ()
