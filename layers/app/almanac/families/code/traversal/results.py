"""Results of traverse_code. Names are dotted and qualified, lines count from 1."""

from typing import Literal

from msgspec import Struct

from almanac.families.code.indexer.states import IndexState
from codegraph import Edge


class GraphNode(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`distance` in hops from the start; `confidence` of the surest way there. `kind`, `path` and `line` are of its
    definition, and `snippet` is that line; all are left out if it is not found."""

    name: str
    distance: int
    confidence: float
    kind: str | None = None
    path: str | None = None
    line: int | None = None
    snippet: str | None = None


class GraphEdge(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`src` uses `dst` in `path` at `line`. `how` says how that is known, and `confidence` how certain it is: precise
    1.0, scope 0.98, import 0.97, flow 0.9, unique_name 0.6, ambiguous 0.3, unresolved 0. `resolved` false: `dst` is a
    name as written, outside the repository or unknown. `candidates`: any of them may be meant; none was chosen."""

    src: str
    dst: str
    kind: Edge.Kind
    how: Edge.How
    confidence: float
    resolved: bool
    path: str
    line: int
    candidates: tuple[str, ...] = ()


class UnresolvedName(Struct, frozen=True):
    """A name as written, found `count` times, without a definition in the repository. `outside`: it is known to be
    defined elsewhere, such as in a package; otherwise nothing is known of it."""

    name: str
    kind: Edge.Kind
    count: int
    outside: bool


class Ambiguity(Struct, frozen=True):
    name: str
    kind: Edge.Kind
    src: str
    path: str
    line: int
    candidates: tuple[str, ...]


class HubRow(Struct, frozen=True):
    """A node with so many edges that the walk did not continue through it."""

    name: str
    direction: Literal["out", "in"]
    edges: int


class Use(Struct, frozen=True):
    """`src` uses something that it calls `written`, of which nothing is known."""

    src: str
    written: str
    kind: Edge.Kind
    path: str
    line: int


class Candidate(Struct, frozen=True):
    name: str
    kind: str
    path: str
    line: int


class Traversal(Struct, frozen=True, kw_only=True):
    """`answer` puts the result into words. The walk began at `start`, which is empty if `candidates` lists several
    possible starts. `unresolved` and `ambiguous`: edges that lead to no definition, or to one of several, at most 50
    each. `possible` uses could not be resolved and may be of the start; `possible_users` are the first 50. `cut` says
    what was not examined or listed."""

    repo_id: str
    answer: str
    start: tuple[str, ...]
    nodes: tuple[GraphNode, ...]
    edges: tuple[GraphEdge, ...]
    unresolved: tuple[UnresolvedName, ...]
    ambiguous: tuple[Ambiguity, ...]
    hubs: tuple[HubRow, ...]
    possible: int
    possible_users: tuple[Use, ...]
    candidates: tuple[Candidate, ...]
    cut: tuple[str, ...]
    repositories: tuple[IndexState, ...]
    notes: tuple[str, ...] = ()
    untrusted: bool = True
