"""Edges from and to a name, for the walk."""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from almanac.families.code.traversal.edges import Edges
from almanac.families.code.traversal.names import Names
from almanac.families.code.traversal.revision_view import RevisionView
from codegraph import Edge

MOST_USERS = 80
MOST_ASKED = 800
"""Files whose edges one call resolves."""
MOST_ALIASES = 8


class CommonName(Struct, frozen=True):
    """A name that occurs in more files than are examined."""

    name: str
    files: int


class EdgeSupplier:
    """The supplier of one walk, with a record of what it could not examine. `asked` has the files whose edges were
    read."""

    def __init__(self, reading: RevisionView, names: Names, edges: Edges, *, both: bool) -> None:
        self._reading = reading
        self._names = names
        self._edges = edges
        self._both = both
        self.read_files: set[str] = set()
        self.common: dict[str, CommonName] = {}
        self.full = False

    def __call__(self, name: str, direction: Literal["out", "in"]) -> Sequence[Edge]:
        """Return resolved edges to the name, or all edges from it."""
        if direction == "out":
            if self._both:
                self._edges.of(self.users(name))  # its own file among them: one neighbourhood in place of two
            paths = [each.path for each in self._names.locate(name)]
            return [edge for each in self._edges.of(self._within_limit(paths)) for edge in each.by_src.get(name, ())]
        return [edge for each in self._edges.of(self.users(name)) for edge in each.by_dst.get(name, ())]

    def known_edges(self, name: str, direction: Literal["out", "in"]) -> Sequence[Edge]:
        """Return the edges of a name that were already resolved."""
        ends = (each.by_src if direction == "out" else each.by_dst for each in self._edges.resolved_edges)
        return [edge for each in ends for edge in each.get(name, ())]

    def possible_edges(self, name: str) -> list[Edge]:
        """Return unresolved edges that may lead to the name: it is a candidate, or only the edge's last part is
        known."""
        last = _last(name)
        found = [edge for each in self._edges.of(self.users(name)) for edge in each.open.get(last, ())]
        return [edge for edge in found if name in edge.candidates or not edge.candidates]

    def users(self, name: str) -> list[str]:
        """Return files that may use the name, its own first. If there are too many, files that also contain the
        qualifier come next."""
        before, _, last = name.rpartition(".")
        owner = _last(before)
        own = {each.path for each in self._names.locate(name)}
        using = self._using(owner if last in _CONSTRUCTORS and owner else last)
        if len(using) > MOST_USERS:
            self.common[name] = CommonName(name, len(using))
            beside = set(self._reading.using(owner))
            using = sorted(using, key=lambda path: (path not in beside, path))
        return self._within_limit(dict.fromkeys([*sorted(own), *using[:MOST_USERS]]))

    def _using(self, name: str) -> list[str]:
        """Return files that contain a name, or an alias under which another file re-exports it."""
        using = self._reading.using
        found = dict.fromkeys(using(name))
        waiting, seen = [name], {name}
        while waiting and len(seen) <= MOST_ALIASES and len(found) <= MOST_USERS:
            one = waiting.pop()
            for path, summary in self._reading.summaries(using(one)[:MOST_USERS]).items():
                for alias in summary.aliases(one) - seen:
                    # Any name may be exported as default, so the file's name is searched instead.
                    import_name = self._reading.modules.of_path.get(path, "") if alias == "default" else alias
                    seen.add(alias)
                    waiting += [alias] if alias != "default" else []
                    found |= dict.fromkeys(using(_last(import_name)))
        return sorted(found)

    def _within_limit(self, paths: Iterable[str]) -> list[str]:
        allowed: list[str] = []
        for path in paths:
            if path not in self.read_files and len(self.read_files) >= MOST_ASKED:
                self.full = True
                continue
            self.read_files.add(path)
            allowed.append(path)
        return allowed


_CONSTRUCTORS = frozenset({"__init__", "__new__", "constructor", "initialize"})


def _last(name: str) -> str:
    return name.rpartition(".")[2]
