"""Search over the code of a project's repositories."""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from almanac.content import clean
from almanac.families.code.core.code import CodeProject
from almanac.families.code.search.code_search import CodeQuery, CodeSearch
from almanac.families.code.search.kinds import kind_of
from almanac.families.code.tools.search_results import CodeHits, hits_view
from almanac.families.memory.core.times import Moment, optional_instant
from almanac.kernel.caller import Caller
from almanac.kernel.errors import InvalidInput
from almanac.kernel.owners import left_out_by_key
from almanac.protocol.tool import Effect, tool
from almanac.search.questions.port import Search


@tool(title="Search code", effect=Effect.READS)
def search_code(
    query: Annotated[
        str,
        Meta(
            description="Words, or an identifier: Class.method.",
            examples=["where are expired sessions deleted"],
            min_length=1,
            max_length=4000,
        ),
    ],
    k: Annotated[int, Meta(description="Maximum number.", ge=1, le=100)] = 10,
    repo_id: Annotated[str, Meta(description="Only this repository.", max_length=100)] | None = None,
    path_glob: Annotated[str, Meta(description="Only paths like src/**/*.ts.", min_length=1, max_length=400)]
    | None = None,
    lang: Annotated[str, Meta(description="Only this language, e.g. python.", max_length=40)] | None = None,
    kind: Annotated[
        str,
        Meta(
            description="Only this kind; settings: constants, configuration, defaults.",
            max_length=40,
        ),
    ]
    | None = None,
    since: Annotated[Moment, Meta(description='Indexed since: ms since 1970, or "yesterday".')] | None = None,
    *,
    code: CodeProject,
    search: Search,
    caller: Caller,
) -> CodeHits:
    """Find where something happens in the source code of all indexed repositories, by words or meaning: where is a
    function or setting defined, where are expired sessions deleted, what parses payments? For exact text like grep use
    context_searchCode; for callers traverse_code.
    """
    text = clean(query).text.strip()
    if not text:
        raise InvalidInput("query is blank.", "Write the words or the question to search for.", path="query")
    wanted = CodeQuery(
        text=text,
        limit=k,
        repo_id=repo_id,
        glob=path_glob,
        language=lang,
        kind=kind_of(kind) if kind is not None else None,
        since=optional_instant(code.memory, since, "since"),
    )
    found = hits_view(code, wanted, CodeSearch(code, search, caller).find(wanted))
    return replace(found, notes=(*found.notes, *left_out_by_key(caller.families, ("turns", "teamwork"))))
