"""The tool for the graph of imports, calls and references."""

from typing import Annotated

from msgspec import Meta

from almanac.families.code.core.code import CodeProject
from almanac.families.code.traversal.read_cache import ReadCache
from almanac.families.code.traversal.results import Traversal
from almanac.families.code.traversal.views import traversal_view
from almanac.families.code.traversal.walker import ALL, Direction, TraversalRequest, traverse
from almanac.protocol.tool import Effect, tool
from codegraph import Edge

_SYMBOL = Meta(
    description="Function, class or module: pkg.mod.Class.method, or its end.",
    min_length=1,
    max_length=500,
    examples=["auth.login"],
)


@tool(title="Follow calls, imports and references", effect=Effect.READS, aliases=["code_graph", "traverse_code_graph"])
def traverse_code(
    symbol: Annotated[str, _SYMBOL] | None = None,
    path: Annotated[
        str, Meta(description="Instead of symbol: a file.", min_length=1, max_length=500, examples=["src/auth.py"])
    ]
    | None = None,
    repo_id: Annotated[
        str, Meta(description="Which repository, if several are indexed.", max_length=100, examples=["acme/web"])
    ]
    | None = None,
    hops: Annotated[int, Meta(description="How far to go.", ge=1, le=6)] = 1,
    edge_kinds: Annotated[list[Edge.Kind], Meta(description="Only these.", max_length=3)] | None = None,
    direction: Annotated[Direction, Meta(description="in: who uses it; out: what it uses.")] = "both",
    whole_file: Annotated[bool, Meta(description="With path: from every definition of the file.")] = False,
    limit: Annotated[int, Meta(description="Maximum number.", ge=1, le=500)] = 100,
    *,
    code: CodeProject,
    read_cache: ReadCache,
) -> Traversal:
    """Follow the call graph: which callers and callees a function has, who calls it, where a class is used or
    referenced, which files import a module, everything that depends on it, and what a change breaks. To find the symbol
    use search_code.
    """
    request = TraversalRequest(
        repo_id=repo_id,
        symbol=symbol,
        path=path,
        whole_file=whole_file,
        hops=hops,
        kinds=frozenset(edge_kinds or ALL),
        direction=direction,
        most_nodes=limit,
    )
    return traversal_view(code, traverse(code, read_cache, request))
