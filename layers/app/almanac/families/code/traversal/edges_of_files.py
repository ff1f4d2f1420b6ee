"""Edges from files, resolved in their neighbourhood, once for each file and revision."""

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from almanac.families.code.traversal.neighbourhood import WHOLE, Neighbourhood, around
from almanac.families.code.traversal.reading import Reading
from almanac.kernel.clock import thread_seconds
from codegraph import (
    CONFIDENCE,
    Edge,
    LeftOut,
    PreciseUse,
    group_of,
    language_of,
    merged,
    resolve,
    resolve_python,
    uncollected,
)

SECONDS = 2.5
"""Of CPU that the edges of one call take, and at most one neighbourhood more."""
AT_ONCE = 30
"""Files that are asked of one neighbourhood."""
PYTHON_STEPS = 500_000
MOST_DEFINED_IN = 200
"""Files whose definitions are read for the names that a precise index gives."""
OTHER_STEPS = 300_000


class FileEdges:
    """The edges from one file, by either end. `cut`: some may be missing, since resolving took too much."""

    def __init__(self, edges: Iterable[Edge], *, cut: bool, left_out: Iterable[LeftOut] = ()) -> None:
        self.all = tuple(edges)
        self.cut = cut
        self.left_out = tuple(left_out)
        self.by_src: dict[str, list[Edge]] = {}
        self.by_dst: dict[str, list[Edge]] = {}
        self.open: dict[str, list[Edge]] = {}
        """Those that could not be resolved, by the last part of what is written."""
        for edge in self.all:
            self.by_src.setdefault(edge.src, []).append(edge)
            if edge.resolved:
                self.by_dst.setdefault(edge.dst, []).append(edge)
            elif edge.how in ("unresolved", "ambiguous"):
                self.open.setdefault(edge.dst.rpartition(".")[2], []).append(edge)


class Edges:
    """For one call. `unread`: files that there was no time for; `left_out`: what picking had no room for."""

    def __init__(self, reading: Reading, cpu: Callable[[], float] = thread_seconds, seconds: float = SECONDS) -> None:
        self._reading = reading
        self._cpu = cpu
        self._until = cpu() + seconds
        self._found: dict[str, FileEdges] = {}
        self.unread: set[str] = set()
        self.left_out: set[LeftOut] = set()
        self.cut = False

    @property
    def found(self) -> Iterable[FileEdges]:
        """All that was resolved in this call."""
        return self._found.values()

    def of(self, paths: Sequence[str]) -> list[FileEdges]:
        """The edges from these files, as far as there is time for them."""
        missing = [path for path in dict.fromkeys(paths) if path not in self._found and not self._kept(path)]
        done = 0
        while done < len(missing):
            if missing[done] in self._found:  # of a small repository all come at once
                done += 1
                continue
            if self._cpu() > self._until:
                self.unread.update(missing[done:])
                break
            with uncollected():
                self._resolve(missing[done : done + AT_ONCE])
            done += AT_ONCE
        found = [self._found[path] for path in dict.fromkeys(paths) if path in self._found]
        for each in found:
            self.left_out.update(each.left_out)
        self.cut = self.cut or any(each.cut for each in found)
        return found

    def _kept(self, path: str) -> bool:
        kept = self._reading.kept_edges(path, FileEdges)
        if kept is not None:
            self._found[path] = kept
        return kept is not None

    def _resolve(self, paths: Sequence[str]) -> None:
        neighbourhood = around(self._reading, paths)
        asked = list(neighbourhood.summaries) if len(self._reading.modules.of_path) <= WHOLE else paths
        edges = {path: list[Edge]() for path in asked}
        cut = self._of_python(neighbourhood, edges) | self._of_others(neighbourhood, edges)
        for path, found in edges.items():
            edges[path] = [edge if edge.how != "unique_name" else self._unique(edge) for edge in found]
        self._make_precise(edges)
        for path, found in edges.items():
            one = FileEdges(found, cut=path in cut, left_out=neighbourhood.left_out)
            self._found[path] = one
            self._reading.keep_edges(path, one, 200 + 450 * len(one.all))

    def _unique(self, edge: Edge) -> Edge:
        """An edge to the only definition of a name that was looked at, unless other files have one, too."""
        last = edge.dst.rpartition(".")[2]
        group = group_of(language_of(edge.path))
        definers = [path for path in self._reading.names.defining(last) if group_of(language_of(path)) == group]
        if len(definers) <= 1:
            return edge
        return replace(edge, dst=last, how="unresolved", confidence=CONFIDENCE["unresolved"], resolved=False)

    def _make_precise(self, edges: dict[str, list[Edge]]) -> None:
        """What a precise index knows of a place wins there, under the names that definitions have here."""
        uses = self._reading.precise(edges)
        if not uses:
            return
        paths = sorted({use.defined_path for use in uses if use.defined_path})[:MOST_DEFINED_IN]
        names = {(path, one.line): one.name for path in paths for one in self._reading.definitions(path)}
        by_path: dict[str, list[PreciseUse]] = {}
        for use in uses:
            by_path.setdefault(use.path, []).append(use)
        for path, some in by_path.items():
            edges[path] = merged(edges[path], some, names)

    def _of_python(self, neighbourhood: Neighbourhood, edges: dict[str, list[Edge]]) -> set[str]:
        summaries = neighbourhood.python
        if not any(each.path in edges for each in summaries):
            return set()
        resolved = resolve_python(summaries, PYTHON_STEPS)
        for edge in resolved.edges:
            if edge.path in edges:
                edges[edge.path].append(edge)
        return {each.path for each in summaries} if resolved.cut else set()

    def _of_others(self, neighbourhood: Neighbourhood, edges: dict[str, list[Edge]]) -> set[str]:
        summaries = neighbourhood.others
        wanted = [each.path for each in summaries if each.path in edges]
        if not wanted:
            return set()
        resolved = resolve(summaries, self._reading.modules.manifests, of=wanted, steps=OTHER_STEPS)
        for edge in resolved.edges:
            edges[edge.path].append(edge)
        return set(resolved.unread)
