"""Resolve a set of summaries to edges. The result depends on the set alone, and steps are bounded."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from codegraph.budget import Budget
from codegraph.callees import Callees
from codegraph.edges import CONFIDENCE, Edge, EdgeKind, How
from codegraph.evaluation import Evaluation
from codegraph.extraction.compaction import last_of
from codegraph.extraction.summary import (
    CALLABLE,
    NAMED,
    TYPES,
    ImportedName,
    Summary,
    Use,
)
from codegraph.modules.manifests import Manifest
from codegraph.modules.names import SCRIPTS
from codegraph.symbol_index import Entity, File, SymbolIndex
from codegraph.values import HOW, DefinedValue, Module, Rank, Several

STEPS = 2_000_000
"""Steps that take about three seconds of one core."""

MOST_CANDIDATES = 20


class ResolvedEdges(Struct, frozen=True, kw_only=True):
    """`edges` are ordered by path, line and names. `cut`: the budget ended first, and some uses of the files `unread`
    were not resolved."""

    edges: tuple[Edge, ...]
    cut: bool = False
    unread: tuple[str, ...] = ()


def resolve(
    summaries: Iterable[Summary], manifests: Sequence[Manifest] = (), *,
    of: Iterable[str] | None = None, steps: int = STEPS,
) -> ResolvedEdges:  # fmt: skip
    """Return the edges from the files `of` (paths, by default all) to the meanings of their names in the whole set.
    Names defined outside the set stay unresolved."""
    budget = Budget(steps)
    index = SymbolIndex(summaries, manifests)
    wanted = None if of is None else frozenset(of)
    edges, unread = list[Edge](), list[str]()
    resolution = _Resolution(index, budget)
    for file in index.files:
        if wanted is not None and file.summary.path not in wanted:
            continue
        if not budget.is_spent:
            edges += resolution.edges_of(file)
        if budget.is_spent:
            unread.append(file.summary.path)
    ordered = sorted(set(edges), key=lambda edge: (edge.path, edge.line, edge.src, edge.dst, edge.kind, edge.how))
    return ResolvedEdges(edges=tuple(ordered), cut=bool(unread), unread=tuple(unread))


class _Resolution:
    def __init__(self, index: SymbolIndex, budget: Budget) -> None:
        self._index = index
        self._budget = budget
        self._evaluation = Evaluation(index, budget)
        self._callees = Callees(self._evaluation)

    def edges_of(self, file: File) -> Iterator[Edge]:
        for imported in file.summary.imported:
            if not self._budget.take():
                return
            yield from self._import(file, imported)
        for use in file.summary.uses:
            if not self._budget.take():
                return
            yield from self._call(file, use) if use.call else self._reference(file, use)

    def _import(self, file: File, each: ImportedName) -> Iterator[Edge]:
        lookup = self._evaluation.lookup
        found = lookup.resolve_imports(file, (each,)) if each.name != "*" else None
        modules = sorted({self._index.by_path[path].module for path in self._files_of(file, each)})
        if file.group == "rust" and isinstance(found, Module):
            modules = [found.name]
        src = file.source(each.scope)
        if modules:
            yield self._edge(file, src, each.line, "imports", modules, Rank.IMPORT)
        elif isinstance(found, DefinedValue):
            yield self._edge(file, src, each.line, "imports", [self._index.qualified_name(found.entity)], Rank.IMPORT)
        else:
            written = each.module.removeprefix("::")
            whole = file.summary.language in SCRIPTS or each.name in ("", "*", "=")
            yield self._leaf(file, src, each.line, "imports", written if whole else f"{written}.{each.name}")
        if isinstance(found, DefinedValue) and modules and self._index.binding(found.entity).kind in NAMED:
            yield self._edge(
                file, src, each.line, "references", [self._index.qualified_name(found.entity)], Rank.IMPORT
            )

    def _files_of(self, file: File, each: ImportedName) -> tuple[str, ...]:
        found = self._index.import_paths.find(file.summary.language, file.summary.path, each.module)
        return found[:1] if file.group == "go" else found

    def _call(self, file: File, use: Use) -> Iterator[Edge]:
        thing, before = self._evaluation.read(file, use.scope, use.chain, use.line)
        src = file.source(use.scope)
        if isinstance(before, DefinedValue) and self._index.binding(before.entity).kind in TYPES:
            yield self._to(file, use, src, "references", before.entity, before.rank)
        callee = self._callees.of(file, use, thing)
        if callee is None:
            return
        if callee.made is not None:
            yield self._to(file, use, src, "references", callee.made, callee.rank)
        if callee.entities:
            names = sorted({self._index.qualified_name(each) for each in callee.entities})
            yield self._edge(file, src, use.line, "calls", names, callee.rank, use.chain)
        else:
            yield self._leaf(file, src, use.line, "calls", callee.name)

    def _reference(self, file: File, use: Use) -> Iterator[Edge]:
        thing, before = self._evaluation.read(file, use.scope, use.chain, use.line)
        src = file.source(use.scope)
        for each in (thing, before):
            if isinstance(each, DefinedValue) and self._is_named(each.entity):
                yield self._to(file, use, src, "references", each.entity, each.rank)
        if isinstance(thing, Several):
            names = sorted({self._index.qualified_name(each) for each in thing.entities if self._is_named(each)})
            if names:
                yield self._edge(file, src, use.line, "references", names, thing.rank, use.chain)

    def _is_named(self, entity: Entity) -> bool:
        binding = self._index.binding(entity)
        return binding.kind in NAMED or binding.kind in CALLABLE

    def _to(self, file: File, use: Use, src: str, kind: EdgeKind, entity: Entity, rank: Rank) -> Edge:
        return self._edge(file, src, use.line, kind, [self._index.qualified_name(entity)], rank)

    def _edge(
        self, file: File, src: str, line: int, kind: EdgeKind, names: Sequence[str], rank: Rank, written: str = ""
    ) -> Edge:
        """Return an edge to the one name, or an ambiguous edge if there are several."""
        if len(names) == 1:
            how: How = HOW[rank]
            return Edge(
                src=src, dst=names[0], kind=kind, how=how, confidence=CONFIDENCE[how], resolved=True,
                path=file.summary.path, line=line,
            )  # fmt: skip
        dst = last_of(written) or names[0].rpartition(".")[2]
        return Edge(
            src=src, dst=dst, kind=kind, how="ambiguous", confidence=CONFIDENCE["ambiguous"], resolved=False,
            path=file.summary.path, line=line, candidates=tuple(names[:MOST_CANDIDATES]),
        )  # fmt: skip

    def _leaf(self, file: File, src: str, line: int, kind: EdgeKind, name: str) -> Edge:
        return Edge(
            src=src, dst=name, kind=kind, how="unresolved", confidence=CONFIDENCE["unresolved"], resolved=False,
            path=file.summary.path, line=line,
        )  # fmt: skip
