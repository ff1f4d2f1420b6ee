"""Correct the edges of names with what a precise index knows about the same places."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from codegraph.edges import CONFIDENCE, Edge
from codegraph.precise.scip import PreciseUse

_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "<init>"})
_PYTHON = (".py", ".pyi")

Place = tuple[str, int, str]
"""Path, line, and the name used there."""


def merge_precise(
    edges: Iterable[Edge],
    precise: Sequence[PreciseUse],
    names: Mapping[tuple[str, int], str] | None = None,
) -> list[Edge]:
    """Return the edges, with those of the index at each place that it knows: a name that is called or referenced on a
    line.

    `names` maps path and line of a definition to its qualified name, for an index with names of its own. Imports stay
    unchanged. So do calls under a name that the index lacks, such as that of a parameter.
    """
    uses = _by_place(precise, names or {})
    result: dict[Edge, None] = {}
    for edge in edges:
        found = uses.get((edge.path, edge.line, _name(edge))) if edge.kind != "imports" else None
        result.update(dict.fromkeys(_correct_edge(edge, found) if found else [edge]))
    return list(result)


def _by_place(
    precise: Sequence[PreciseUse], names: Mapping[tuple[str, int], str]
) -> dict[Place, dict[str, PreciseUse]]:
    """Return the uses by place, then by name. Each definition gets the longest name that the index has for it."""
    longest = dict(names)
    for use in precise:
        defined = (use.defined_path, use.defined_line)
        if use.defined_line and defined not in names and len(use.name) > len(longest.get(defined, "")):
            longest[defined] = use.name
    uses: dict[Place, dict[str, PreciseUse]] = {}
    for use in precise:
        if _may_be_called(use):
            last = use.name.rpartition(".")[2]
            name = longest.get((use.defined_path, use.defined_line), use.name)
            uses.setdefault((use.path, use.line, last), {}).setdefault(name, use)
    return uses


def _may_be_called(use: PreciseUse) -> bool:
    """Tell whether a use may be a call. Terms are functions in languages that assign functions to constants. In Python
    terms are variables."""
    return use.kind in {"function", "type"} or (use.kind == "term" and not use.path.endswith(_PYTHON))


def _name(edge: Edge) -> str:
    """Return the identifier that an edge comes from. For a constructor it is the class."""
    rest, _, last = edge.dst.rpartition(".")
    return rest.rpartition(".")[2] if last in _CONSTRUCTORS and edge.resolved else last


def _correct_edge(edge: Edge, uses: dict[str, PreciseUse]) -> list[Edge]:
    owner, _, last = edge.dst.rpartition(".")
    if edge.resolved and last in _CONSTRUCTORS and owner in uses:
        return [replace(edge, how="precise", confidence=CONFIDENCE["precise"])]
    return [_precise(edge, name, use) for name, use in uses.items()]


def _precise(edge: Edge, name: str, use: PreciseUse) -> Edge:
    kind = "references" if use.kind == "type" and edge.kind == "calls" else edge.kind
    return replace(
        edge,
        dst=name,
        kind=kind,
        how="precise",
        confidence=CONFIDENCE["precise"],
        resolved=bool(use.defined_path),
        candidates=(),
    )
