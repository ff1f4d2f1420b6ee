"""The tool that searches the code of the project's repositories."""

from typing import Annotated

from msgspec import Meta

from almanac.content import clean
from almanac.families.code.core.code import CodeProject
from almanac.families.code.traversal.read_cache import ReadCache
from almanac.families.context.codesearch.emptiness import explain_empty
from almanac.families.context.codesearch.kinds import SymbolKind
from almanac.families.context.codesearch.modes import CodeAsk, CodeSearchModes, Mode
from almanac.families.context.codesearch.repositories import select_repositories, status
from almanac.families.context.codesearch.results import CodeResults
from almanac.kernel.caller import Caller
from almanac.kernel.errors import Forbidden, InvalidInput
from almanac.protocol.tool import Effect, tool
from almanac.search.questions.port import Search


@tool(
    title="Search code by text, symbol or meaning",
    effect=Effect.READS,
    aliases=["context.searchCode", "context_search_code"],
    naming="camel",
)
def context_searchCode(  # noqa: N802 - the contract's name
    query: Annotated[
        str, Meta(description="Text, name or question.", examples=["AuthService"], min_length=1, max_length=1000)
    ],
    mode: Annotated[Mode, Meta(description="text: exact substring. symbol: by name.")] = "semantic",
    language: Annotated[str, Meta(description="Only typescript, python ...", min_length=1, max_length=40)]
    | None = None,
    file_pattern: Annotated[str, Meta(description="Only paths like src/**/*.ts.", min_length=1, max_length=400)]
    | None = None,
    symbol_kind: Annotated[SymbolKind | None, Meta(description="Only symbols of this kind.")] = None,
    limit: Annotated[int, Meta(description="Maximum number.", ge=1, le=100)] = 10,
    threshold: Annotated[float, Meta(description="Lowest similarity in mode semantic.", ge=0, le=1)] = 0.5,
    include_content: Annotated[bool, Meta(description="Show the source lines.")] = True,
    project_path: Annotated[str, Meta(description="Repository id, or a path that ends in one.", max_length=1024)]
    | None = None,
    *,
    code: CodeProject,
    search: Search,
    caller: Caller,
    kept: ReadCache,
) -> CodeResults:
    """Find code by exact text (grep, full text search of the codebase), by symbol (a class, function, interface or
    enum) or by meaning, filtered by language and file pattern. For questions in words use search_code.
    """
    if not caller.may_use("code"):
        raise Forbidden(
            "This key may not use the family code, whose index is searched.",
            "Ask for a key that may: almanac keys edit KEY --families context,code.",
        )
    text = clean(query).text.strip()
    if not text or "\n" in text:
        raise InvalidInput(
            "query must be one line that is not blank.", "Write the words or the question to search for.", path="query"
        )
    repositories, repo_id = select_repositories(code, project_path)
    ask = CodeAsk(
        text=text,
        mode=mode,
        language=language,
        glob=file_pattern,
        kind=symbol_kind,
        limit=limit,
        threshold=threshold,
        content=include_content,
        repo_id=repo_id,
    )
    outcome = CodeSearchModes(code, search, caller, kept, ask).find()
    return CodeResults(
        results=tuple(outcome.results),
        untrusted=bool(outcome.results),
        index_status=status(code, repositories, kept),
        total=len(outcome.results),
        truncated=outcome.more,
        below_threshold=outcome.below,
        empty_because=None if outcome.results else explain_empty(code, ask, outcome),
        notes=outcome.notes,
    )
