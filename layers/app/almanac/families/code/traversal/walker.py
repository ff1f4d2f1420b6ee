"""Traverse the graph from a symbol or a file, and report what could not be followed."""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import CodeRepository
from almanac.families.code.traversal.edge_supplier import MOST_ASKED, EdgeSupplier
from almanac.families.code.traversal.edges import Edges
from almanac.families.code.traversal.names import Names, dotted_name
from almanac.families.code.traversal.read_cache import ReadCache
from almanac.families.code.traversal.revision_view import RevisionView
from almanac.families.code.traversal.starts import Starts, repository_of, starts_of_path, starts_of_symbol
from almanac.families.code.traversal.unparsed_files import UnparsedFiles
from almanac.kernel.errors import InvalidInput
from codegraph import Edge, Symbol, WalkResult, walk

Direction = Literal["out", "in", "both"]
ALL: tuple[Edge.Kind, ...] = ("imports", "calls", "references")


class TraversalRequest(Struct, frozen=True, kw_only=True):
    """A request for a traversal, with either `symbol` or `path`."""

    repo_id: str | None = None
    symbol: str | None = None
    path: str | None = None
    whole_file: bool = False
    hops: int = 1
    kinds: frozenset[Edge.Kind] = frozenset(ALL)
    direction: Direction = "both"
    most_nodes: int = 100


class TraversalResult(Struct, frozen=True, kw_only=True):
    """The result of a traversal. `places` has the definitions of the nodes. `possible` are unresolved uses that may be
    of the starts. `cut` has sentences about what was not examined."""

    repository: CodeRepository
    reading: RevisionView
    direction: Direction
    kinds: frozenset[Edge.Kind]
    starts: Starts
    walked: WalkResult
    places: dict[str, Symbol]
    possible: tuple[Edge, ...]
    cut: tuple[str, ...]


def traverse(project: CodeProject, cache: ReadCache, request: TraversalRequest) -> TraversalResult:
    """Traverse the graph. Raises NotFound and InvalidInput for a start that does not exist."""
    if (request.symbol is None) == (request.path is None):
        raise InvalidInput("Give either symbol or path.", "symbol: a name; path: a file.", path="symbol")
    repository = repository_of(project, request.repo_id)
    reading = RevisionView(project, repository, cache)
    names = Names(reading)
    if request.symbol is not None:
        unparsed = UnparsedFiles(project, repository, dotted_name(request.symbol).rpartition(".")[2])
        starts = starts_of_symbol(reading, names, request.symbol, unparsed)
        missing = unparsed.sentence()
    else:
        starts, missing = starts_of_path(reading, request.path or "", whole_file=request.whole_file), ""
    edges = Edges(reading)
    supplier = EdgeSupplier(reading, names, edges, both=request.direction == "both")
    walked = walk(
        supplier, starts.names, hops=request.hops, kinds=request.kinds, direction=request.direction,
        most_nodes=request.most_nodes, known=supplier.known_edges,
    )  # fmt: skip
    possible = _possible(supplier, starts.names, request)
    places = {node.name: found[0] for node in walked.nodes if (found := names.locate(node.name))}
    return TraversalResult(
        repository=repository, reading=reading, direction=request.direction, kinds=request.kinds,
        starts=starts, walked=walked, places=places, possible=possible,
        cut=(
            *_limit_sentences(request, starts, walked), *_unread_sentences(supplier, edges),
            *([missing] if missing else []),
        ),
    )  # fmt: skip


def _possible(supplier: EdgeSupplier, names: Sequence[str], request: TraversalRequest) -> tuple[Edge, ...]:
    if request.direction == "out":
        return ()
    found = (edge for name in names for edge in supplier.possible_edges(name) if edge.kind in request.kinds)
    return tuple(dict.fromkeys(found))


def _limit_sentences(request: TraversalRequest, starts: Starts, walked: WalkResult) -> Iterable[str]:
    if starts.left_out:
        yield f"{starts.left_out} more definitions were not walked from."
    if starts.besides:
        yield f"Not walked from, though called so: {', '.join(starts.besides)}."
    if "hops" in walked.cut:
        yield f"There is more behind {request.hops} hop{'s' * (request.hops > 1)}: ask with more hops."
    if "nodes" in walked.cut:
        limit = request.most_nodes
        yield f"There are more than {limit} nodes: ask with a greater limit, fewer hops or fewer edge_kinds."
    if "hubs" in walked.cut:
        yield "Nodes with very many edges were not walked through: see hubs."
    if "steps" in walked.cut:
        yield "The walk took too many steps: ask with fewer hops."


def _unread_sentences(supplier: EdgeSupplier, edges: Edges) -> Iterable[str]:
    for each in list(supplier.common.values())[:5]:
        yield f"{each.files} files may use {each.name}: only some of them were looked at."
    if len(supplier.common) > 5:
        yield f"{len(supplier.common) - 5} more names are used by too many files to look at all of them."
    if supplier.full:
        yield f"Only {MOST_ASKED} files were looked at: ask with fewer hops."
    if edges.unread:
        yield f"There was no time for {len(edges.unread)} files: ask again, what is done is kept."
    if edges.cut:
        yield "Some files were too much to resolve whole: edges of them may be missing."
    if edges.left_out:
        yield f"About {edges.left_out} files that could tell what a name means were left out: names may be unresolved."
