"""Results of context_searchCode. Code is data: others wrote it."""

from msgspec import Struct

from almanac.families.context.core.below import BelowThreshold


class CodeSymbol(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """A definition. `kind` is function, method, class, interface, type, enum, const, variable, field, module or macro.
    Lines count from 1 and are those of the definition with its decorators; `line_end` is the last. `qualified_name`
    includes the definitions around it. `exported`: by the rules of its language it can be used from outside its
    file."""

    name: str
    kind: str
    signature: str
    line_start: int
    line_end: int
    doc_comment: str = ""
    qualified_name: str = ""
    exported: bool = False


class CodeResult(Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """`content` has lines `line_start` to `line_end`; `cut`: there are more lines. `match_lines`: lines with the
    requested text, in mode text. `similarity`, 0 to 1: in mode semantic. `notes` name parts that look like instructions
    or were removed."""

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
    """Index of the repositories that were searched. `total_symbols` counts definitions in the first 20,000 files of
    each. `last_indexed` is null if nothing is indexed. `is_stale`: `stale_because` names up to 20 outdated
    repositories, and why they are."""

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
