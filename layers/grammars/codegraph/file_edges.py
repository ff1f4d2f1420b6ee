"""Resolve the edges from files, together with the files that they depend on."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from msgspec.structs import replace

from codegraph.common_names import COMMON
from codegraph.edges import CONFIDENCE, Edge
from codegraph.extraction.summary import Summary
from codegraph.file_selection import LeftOut, SummaryNames, pick_for_files
from codegraph.file_summary import FileSummary
from codegraph.languages.names import language_of
from codegraph.modules.repository_modules import Modules, Symbol
from codegraph.precise.merge import merge_precise
from codegraph.precise.scip import PreciseUse
from codegraph.python.resolver import resolve as resolve_python
from codegraph.python.resolver import without_gc
from codegraph.python.summary.facts import PythonSummary
from codegraph.resolution import resolve
from codegraph.symbol_index import group_of

MOST_FILES = 80
"""Most files that one resolution reads. A repository with no more files is read whole, so no flow of values is
missed."""
MOST_HOLDERS = 8
"""Most files that may define a name. With more, the resolver could not choose one."""
USERS_OF_A_NAME = 5
USERS = 20
PYTHON_STEPS = 500_000
OTHER_STEPS = 300_000
MOST_DEFINED_IN = 200
"""Most files whose definitions are read to find the names that a precise index gives."""


class RepositoryIndex(Protocol):
    """Index of one revision of a repository, as the resolver reads it. Lists of paths are sorted."""

    @property
    def modules(self) -> Modules: ...

    def summaries(self, paths: Iterable[str]) -> Mapping[str, FileSummary]:
        """Return the summaries of those files that have modules and edges, under the module names that others
        import."""
        ...

    def files_defining(self, name: str) -> Sequence[str]:
        """Return the files that define a name, by its last part."""
        ...

    def using(self, name: str) -> Sequence[str]:
        """Return the files that define, use or import a name, by its last part."""
        ...

    def precise(self, paths: Iterable[str]) -> Sequence[PreciseUse]:
        """Return what a precise index knows about these files."""
        ...

    def symbols(self, path: str) -> Sequence[Symbol]:
        """Return the definitions in a file."""
        ...


class FileEdges:
    """Edges from one file, by either end. `cut`: some edges may be missing because resolution took too long. `left_out`
    are files for which the selection had no room. `open` are unresolved edges, by the last part of the written name."""

    def __init__(self, edges: Iterable[Edge], *, cut: bool, left_out: Iterable[LeftOut] = ()) -> None:
        self.all = tuple(edges)
        self.cut = cut
        self.left_out = tuple(left_out)
        self.by_src: dict[str, list[Edge]] = {}
        self.by_dst: dict[str, list[Edge]] = {}
        self.open: dict[str, list[Edge]] = {}
        for edge in self.all:
            self.by_src.setdefault(edge.src, []).append(edge)
            if edge.resolved:
                self.by_dst.setdefault(edge.dst, []).append(edge)
            elif edge.how in ("unresolved", "ambiguous"):
                self.open.setdefault(edge.dst.rpartition(".")[2], []).append(edge)


def edges_of(index: RepositoryIndex, paths: Sequence[str]) -> dict[str, FileEdges]:
    """Resolve the edges from these files. For a small repository the result has the edges from all files."""
    with without_gc():
        return _Resolution(index).edges_of(paths)


class _Resolution:
    def __init__(self, index: RepositoryIndex) -> None:
        self._index = index
        self._is_small = len(index.modules.of_path) <= MOST_FILES

    def edges_of(self, paths: Sequence[str]) -> dict[str, FileEdges]:
        facts, left_out = self._around(paths)
        edges = {path: list[Edge]() for path in (facts if self._is_small else paths)}
        cut = self._of_python(facts, edges) | self._of_others(facts, edges)
        for path, found in edges.items():
            edges[path] = [edge if edge.how != "unique_name" else self._unique(edge) for edge in found]
        self._make_precise(edges)
        return {path: FileEdges(found, cut=path in cut, left_out=left_out) for path, found in edges.items()}

    def _around(self, paths: Sequence[str]) -> "tuple[_Facts, Sequence[LeftOut]]":
        """Return the facts of the files, of what they import, of the files that define the names they use, and of files
        that call their functions and so pass arguments."""
        if self._is_small:
            return self._facts(self._index.modules.of_path), ()
        picked = pick_for_files(_Names(self._index), paths, most=MOST_FILES, holders=MOST_HOLDERS)
        facts = self._facts(picked.paths)
        asked = [each for path in paths if isinstance(each := facts.get(path), PythonSummary)]
        return facts | self._facts(self._users(asked, facts)) if asked else facts, picked.left_out

    def _facts(self, paths: Iterable[str]) -> "_Facts":
        return _facts(self._index.summaries(paths))

    def _users(self, asked: Sequence[PythonSummary], known: "_Facts") -> list[str]:
        """Return files that use definitions of the asked files, for names with few users. These files pass
        arguments."""
        found: dict[str, None] = {}
        for summary in asked:
            for fact in summary.functions:
                name = summary.scopes[fact.scope].rpartition(".")[2]
                users = self._index.using(name) if fact.params and name not in COMMON else ()
                if len(users) <= USERS_OF_A_NAME:
                    users = [path for path in users if path not in known and language_of(path) == "python"]
                    found |= dict.fromkeys(users)
        return list(found)[:USERS]

    def _unique(self, edge: Edge) -> Edge:
        """Resolve an edge to the only definition of a name among the files read, unless other files define the name
        too."""
        last = edge.dst.rpartition(".")[2]
        group = group_of(language_of(edge.path))
        definers = [path for path in self._index.files_defining(last) if group_of(language_of(path)) == group]
        if len(definers) <= 1:
            return edge
        return replace(edge, dst=last, how="unresolved", confidence=CONFIDENCE["unresolved"], resolved=False)

    def _make_precise(self, edges: dict[str, list[Edge]]) -> None:
        """Replace edges with those of a precise index where it has them, under the names that definitions have in the
        graph."""
        uses = self._index.precise(edges)
        if not uses:
            return
        paths = sorted({use.defined_path for use in uses if use.defined_path})[:MOST_DEFINED_IN]
        names = {(path, one.line): one.name for path in paths for one in self._index.symbols(path)}
        by_path: dict[str, list[PreciseUse]] = {}
        for use in uses:
            by_path.setdefault(use.path, []).append(use)
        for path, some in by_path.items():
            edges[path] = merge_precise(edges[path], some, names)

    def _of_python(self, facts: "_Facts", edges: dict[str, list[Edge]]) -> set[str]:
        summaries = [each for each in facts.values() if isinstance(each, PythonSummary)]
        if not any(each.path in edges for each in summaries):
            return set()
        resolved = resolve_python(summaries, PYTHON_STEPS)
        for edge in resolved.edges:
            if edge.path in edges:
                edges[edge.path].append(edge)
        return {each.path for each in summaries} if resolved.cut else set()

    def _of_others(self, facts: "_Facts", edges: dict[str, list[Edge]]) -> set[str]:
        summaries = [each for each in facts.values() if isinstance(each, Summary)]
        wanted = [each.path for each in summaries if each.path in edges]
        if not wanted:
            return set()
        resolved = resolve(summaries, self._index.modules.manifests, of=wanted, steps=OTHER_STEPS)
        for edge in resolved.edges:
            edges[edge.path].append(edge)
        return set(resolved.unread)


_Facts = dict[str, PythonSummary | Summary]


def _facts(summaries: Mapping[str, FileSummary]) -> _Facts:
    return {path: each.facts for path, each in summaries.items() if each.facts is not None}


class _Names:
    """View of the index that the file selection needs."""

    def __init__(self, index: RepositoryIndex) -> None:
        self._index = index

    def summaries(self, paths: Sequence[str]) -> Sequence[SummaryNames]:
        return list(_facts(self._index.summaries(paths)).values())

    def files_defining(self, name: str, limit: int) -> Sequence[str]:
        return self._index.files_defining(name)[:limit]

    def files_imported(self, path: str, modules: Sequence[str], limit: int) -> Sequence[str]:
        summary = self._index.summaries([path]).get(path) if modules else None
        if summary is None:
            return ()
        return sorted(set(self._index.modules.files_imported(path, summary, self._index.files_defining)) - {path})[
            :limit
        ]
