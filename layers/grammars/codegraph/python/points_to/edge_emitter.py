"""Emit the edges of a solved program."""

from collections.abc import Iterator

from codegraph.edges import CONFIDENCE, Edge, EdgeKind, How
from codegraph.python.points_to.flow import Flow
from codegraph.python.points_to.program import File, Program, Site
from codegraph.python.points_to.solver import Solver
from codegraph.python.points_to.values import Values

_FARTHEST = 30
_SEVERAL = -2


class Origins:
    """Says how the name in a slot leads to its definition: by scope, through imports, or by flow of values."""

    def __init__(self, program: Program, flow: Flow, values: Values) -> None:
        self._flow = flow
        self._values = values
        self._defined: set[int] = set()
        self._imported: set[int] = set()
        self._sources: dict[int, int] = {}
        self.loaded_of: dict[int, int] = {}
        """Result of each attribute: the slot of its object."""
        for file in program.files:
            summary, base = file.summary, file.base
            self._defined.update(each.slot + base for each in (*summary.functions, *summary.classes))
            self._imported.update(each.slot + base for each in summary.modules)
            self.loaded_of.update((each[2] + base, each[0] + base) for each in summary.loads)
            copies = iter(summary.copies)
            for source, target in zip(copies, copies, strict=True):
                slot = target + base
                self._sources[slot] = _SEVERAL if slot in self._sources else source + base

    def how(self, slot: int) -> How:
        for _ in range(_FARTHEST):
            if slot in self._defined:
                return "scope"
            if slot in self._imported:
                return "import"
            if slot in self.loaded_of:
                return "import" if self._is_module(self.loaded_of[slot]) else "flow"
            slot = self._sources.get(slot, _SEVERAL)
            if slot == _SEVERAL:
                return "flow"
        return "flow"

    def _is_module(self, slot: int) -> bool:
        held = self._flow.values[slot] or ()
        return bool(held) and all(self._values.all[each].kind in {"module", "external"} for each in held)

    def is_unknown_attribute(self, slot: int) -> bool:
        """Return whether a slot is an attribute of an object about which nothing is known."""
        base = self.loaded_of.get(slot)
        return base is not None and not self._flow.values[base]


MOST_TARGETS = 8
"""Most definitions that one call may reach by flow. With more the edge is ambiguous."""
MOST_CANDIDATES = 20
_COMMON = frozenset(
    name for each in (str, bytes, list, dict, set, int, float, tuple, BaseException) for name in dir(each)
) | frozenset(
    {"close", "open", "read", "readline", "readlines", "write", "writelines", "flush", "seek", "tell", "send", "throw",
     "run", "start", "stop", "join", "group", "groups", "match", "search", "sub", "put", "wait", "cancel", "result",
     "acquire", "release", "execute", "commit", "rollback", "fetchone", "fetchall", "info", "debug", "warning",
     "error", "exception", "exists", "mkdir", "unlink", "name", "path", "next", "parse", "load", "dump", "loads",
     "dumps", "encode", "decode", "connect", "popleft", "appendleft", "set", "save", "call", "main", "test"}
)  # fmt: skip


class Emitter:
    def __init__(self, solver: Solver) -> None:
        self._solver = solver
        self._program = solver.program
        self._values = solver.values
        self._origins = Origins(solver.program, solver.flow, solver.values)
        named: dict[str, set[str]] = {}
        for each in (*self._program.functions, *self._program.classes):
            named.setdefault(each.name.rpartition(".")[2], set()).add(each.name)
        self._named = {name: sorted(found)[:MOST_CANDIDATES] for name, found in named.items()}

    def edges(self) -> list[Edge]:
        """Return every edge once, in the order of files, then of lines."""
        by_file: dict[str, dict[Edge, None]] = {file.summary.path: {} for file in self._program.files}
        for file in self._program.files:
            mine = by_file[file.summary.path]
            mine.update(dict.fromkeys(self._imports(file)))
            mine.update(dict.fromkeys(self._references(file)))
        for site in self._program.sites:
            by_file[site.file.summary.path].update(dict.fromkeys(self._of_site(site)))
        return [edge for found in by_file.values() for edge in sorted(found, key=lambda each: each.line)]

    def _edge(
        self,
        file: File,
        scope: int,
        line: int,
        dst: str,
        kind: EdgeKind,
        how: How,
        *,
        resolved: bool = True,
        candidates: tuple[str, ...] = (),
    ) -> Edge:
        return Edge(
            src=file.names[scope],
            dst=dst,
            kind=kind,
            how=how,
            confidence=CONFIDENCE[how],
            resolved=resolved,
            path=file.summary.path,
            line=line,
            candidates=candidates,
        )

    def _imports(self, file: File) -> Iterator[Edge]:
        for fact in file.summary.modules:
            place = (file, fact.scope, fact.line)
            module = fact.module if fact.name else fact.written
            known = self._program.has_module(module)
            yield self._edge(*place, module or fact.written, "imports", "import", resolved=known)
            if fact.name not in {"", "*"}:
                inner = f"{module}.{fact.name}" if module else fact.name
                found = self._definitions(fact.slot + file.base)
                if len(found) == 1:
                    yield self._edge(*place, found[0], "imports", "import")
                elif known:
                    there = self._program.has_module(inner) or self._program.module_slot(module, fact.name) > 0
                    yield self._edge(*place, inner, "imports", "import" if there else "unresolved", resolved=there)

    def _definitions(self, slot: int) -> list[str]:
        """Return the names of functions and classes that a slot holds."""
        found: list[str] = []
        for number in self._solver.flow.of(slot):
            value = self._values.all[number]
            if value.kind in {"function", "bound"}:
                found.append(self._program.functions[int(value.first)].name)
            elif value.kind == "class":
                found.append(self._program.classes[int(value.first)].name)
        return list(dict.fromkeys(found))

    def _references(self, file: File) -> Iterator[Edge]:
        base = file.base
        for fact in file.summary.classes:
            for each in fact.bases:
                for name in self._definitions(each + base) if each > 0 else ():
                    how = self._origins.how(each + base)
                    yield self._edge(file, fact.scope, fact.line, name, "references", how)
        for slot, line, scope in file.summary.uses:
            how = self._origins.how(slot + base)
            if how == "flow" and slot + base not in self._origins.loaded_of:
                continue
            found = self._definitions(slot + base)
            if len(found) == 1 or (found and how == "flow" and len(found) <= MOST_TARGETS):
                for name in found:
                    yield self._edge(file, scope, line, name, "references", how)

    def _of_site(self, site: Site) -> Iterator[Edge]:
        place = (site.file, site.scope, site.line)
        targets = [self._program.functions[each].name for each in site.targets]
        made = [self._program.classes[each].name for each in site.made]
        how: How = "flow" if site.implicit or len(targets) + len(made) > 1 else self._origins.how(site.function)
        if len(made) == 1 and not site.implicit:
            how = self._origins.how(site.function)
        if len(targets) > MOST_TARGETS:
            yield self._several(place, site.written or "<implicit>", targets)
        else:
            for name in dict.fromkeys(targets):
                yield self._edge(*place, name, "calls", how)
        for name in made[:MOST_TARGETS]:
            yield self._edge(*place, name, "references", how)
        if site.implicit:
            return
        for name in list(site.externals)[:MOST_TARGETS]:
            outside: How = "scope" if name.startswith("builtins.") else "import"
            yield self._edge(*place, name, "calls", outside, resolved=False)
        if not targets and not made and not site.externals:
            yield self._unresolved_edge(place, site)

    def _several(self, place: tuple[File, int, int], written: str, names: list[str]) -> Edge:
        candidates = tuple(sorted(set(names)))[:MOST_CANDIDATES]
        return self._edge(*place, written, "calls", "ambiguous", resolved=False, candidates=candidates)

    def _unresolved_edge(self, place: tuple[File, int, int], site: Site) -> Edge:
        name = site.written.rpartition(".")[2]
        if self._origins.is_unknown_attribute(site.function) and name not in _COMMON:
            found = self._named.get(name, [])
            if len(found) == 1:
                return self._edge(*place, found[0], "calls", "unique_name")
            if found:
                return self._several(place, site.written, found)
        return self._edge(*place, site.written, "calls", "unresolved", resolved=False)
