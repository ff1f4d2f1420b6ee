"""A traversal: from a symbol or a file along edges, with all that could not be followed."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.records import CodeRepository
from almanac.families.code.traversal.edge_supplier import MOST_ASKED, EdgeSupplier
from almanac.families.code.traversal.edges import Edges
from almanac.families.code.traversal.names import Names, plain
from almanac.families.code.traversal.read_cache import ReadCache
from almanac.families.code.traversal.revision_view import RevisionView
from almanac.families.code.traversal.starts import Starts, repository_of, starts_of_path, starts_of_symbol
from almanac.families.code.traversal.unparsed_files import UnparsedFiles
from almanac.kernel.errors import InvalidInput
from codegraph import Edge, EdgeKind, Symbol, WalkResult, Way, walk

ALL: tuple[EdgeKind, ...] = ("imports", "calls", "references")


class TraversalRequest(Struct, frozen=True, kw_only=True):
    """One of `symbol` and `path` is given."""

    repo_id: str | None = None
    symbol: str | None = None
    path: str | None = None
    whole_file: bool = False
    hops: int = 1
    kinds: frozenset[EdgeKind] = frozenset(ALL)
    direction: Way = "both"
    most_nodes: int = 100


class TraversalResult(Struct, frozen=True, kw_only=True):
    """`places`: where the nodes are defined. `possible`: uses that could not be resolved, and may be of the starts.
    `cut`: sentences that say what was not looked at."""

    repository: CodeRepository
    reading: RevisionView
    direction: Way
    kinds: frozenset[EdgeKind]
    starts: Starts
    walked: WalkResult
    places: dict[str, Symbol]
    possible: tuple[Edge, ...]
    cut: tuple[str, ...]


def traverse(project: CodeProject, kept: ReadCache, asked: TraversalRequest) -> TraversalResult:
    """Raises NotFound and InvalidInput for what is not there."""
    if (asked.symbol is None) == (asked.path is None):
        raise InvalidInput("Give either symbol or path.", "symbol: a name; path: a file.", path="symbol")
    repository = repository_of(project, asked.repo_id)
    reading = RevisionView(project, repository, kept)
    names = Names(reading)
    if asked.symbol is not None:
        unparsed = UnparsedFiles(project, repository, plain(asked.symbol).rpartition(".")[2])
        starts = starts_of_symbol(reading, names, asked.symbol, unparsed)
        missing = unparsed.sentence()
    else:
        starts, missing = starts_of_path(reading, asked.path or "", whole_file=asked.whole_file), ""
    edges = Edges(reading)
    supplying = EdgeSupplier(reading, names, edges, both=asked.direction == "both")
    walked = walk(
        supplying, starts.names, hops=asked.hops, kinds=asked.kinds, direction=asked.direction,
        most_nodes=asked.most_nodes, known=supplying.known,
    )  # fmt: skip
    possible = _possible(supplying, starts.names, asked)
    places = {node.name: found[0] for node in walked.nodes if (found := names.locate(node.name))}
    return TraversalResult(
        repository=repository, reading=reading, direction=asked.direction, kinds=asked.kinds,
        starts=starts, walked=walked, places=places, possible=possible,
        cut=(*_cut(asked, starts, walked), *_unseen(supplying, edges), *([missing] if missing else [])),
    )  # fmt: skip


def _possible(supplying: EdgeSupplier, names: Sequence[str], asked: TraversalRequest) -> tuple[Edge, ...]:
    if asked.direction == "out":
        return ()
    found = (edge for name in names for edge in supplying.possible(name) if edge.kind in asked.kinds)
    return tuple(dict.fromkeys(found))


def _cut(asked: TraversalRequest, starts: Starts, walked: WalkResult) -> Iterable[str]:
    if starts.left_out:
        yield f"{starts.left_out} more definitions were not walked from."
    if starts.besides:
        yield f"Not walked from, though called so: {', '.join(starts.besides)}."
    if "hops" in walked.cut:
        yield f"There is more behind {asked.hops} hop{'s' * (asked.hops > 1)}: ask with more hops."
    if "nodes" in walked.cut:
        yield f"There are more than {asked.most_nodes} nodes: ask with a greater limit, fewer hops or fewer edge_kinds."
    if "hubs" in walked.cut:
        yield "Nodes with very many edges were not walked through: see hubs."
    if "steps" in walked.cut:
        yield "The walk took too many steps: ask with fewer hops."


def _unseen(supplying: EdgeSupplier, edges: Edges) -> Iterable[str]:
    for each in list(supplying.common.values())[:5]:
        yield f"{each.files} files may use {each.name}: only some of them were looked at."
    if len(supplying.common) > 5:
        yield f"{len(supplying.common) - 5} more names are used by too many files to look at all of them."
    if supplying.full:
        yield f"Only {MOST_ASKED} files were looked at: ask with fewer hops."
    if edges.unread:
        yield f"There was no time for {len(edges.unread)} files: ask again, what is done is kept."
    if edges.cut:
        yield "Some files were too much to resolve whole: edges of them may be missing."
    if edges.left_out:
        yield f"About {edges.left_out} files that could tell what a name means were left out: names may be unresolved."
