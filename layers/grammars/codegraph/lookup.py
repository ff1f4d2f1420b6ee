"""Look up a name at its place: in scopes, imports, the rest of its package, and names that are valid everywhere."""

from collections.abc import Iterable, Iterator, Sequence

from codegraph.budget import Budget
from codegraph.extraction.summary import TYPES, ImportedName
from codegraph.modules.names import SCRIPTS
from codegraph.symbol_index import Entity, File, SymbolIndex
from codegraph.values import DefinedValue, Module, Outside, Rank, Several, Thing

IMPLICIT_THIS = frozenset(("java", "csharp", "c", "ruby"))
LOCAL = frozenset(("variable", "parameter", "constant"))
MOST_CANDIDATES = 200
MOST_INCLUDED = 400


class Lookup:
    def __init__(self, index: SymbolIndex, budget: Budget) -> None:
        self.index = index
        self.budget = budget
        self._included: dict[int, frozenset[int]] = {}
        self._exports: dict[tuple[int, str], Thing | None] = {}

    def in_scopes(self, file: File, scope: int, name: str, line: int) -> tuple[Thing | None, int]:
        """Return the value bound to the name in a scope or one around it, and that scope; None and -1 if there is
        none."""
        while scope >= 0 and self.budget.take():
            kind = file.scope(scope).kind
            hidden = kind in ("class", "object", "extension") and file.group not in IMPLICIT_THIS
            places = file.names[scope].get(name)
            if places and not hidden:
                return DefinedValue(Entity(file.at, self._of_these(file, places, line)), Rank.SCOPE), scope
            imported = file.aliases.get((scope, name))
            if imported:
                return self.resolve_imports(file, imported), scope
            scope = file.scope(scope).parent
        return None, -1

    def _of_these(self, file: File, places: Sequence[int], line: int) -> int:
        """Return the last of the variables that stands before the line, or for other definitions the one with a
        body."""
        if len(places) == 1:
            return places[0]
        if all(file.binding(place).kind in LOCAL for place in places):
            before = [place for place in places if file.binding(place).line <= line]
            return before[-1] if before else places[0]
        return next((place for place in places if file.binding(place).opens >= 0), places[0])

    def resolve_imports(self, file: File, imports: Iterable[ImportedName]) -> Thing | None:
        found = [thing for each in imports if (thing := self._resolve_import(file, each)) is not None]
        return next((each for each in found if not isinstance(each, Outside)), found[0] if found else None)

    def _resolve_import(self, file: File, each: ImportedName) -> Thing | None:
        outside = Outside(f"{each.module}.{each.name}" if each.name not in ("", "=", "*") else each.module)
        if file.summary.language in SCRIPTS:
            return self._from_script(file, each) or outside
        if file.group == "go":
            found = self.index.import_paths.find("go", file.summary.path, each.module)
            package = self.index.by_path[found[0]].prefix if found else ""
            return Module(package, "go", Rank.IMPORT) if found else outside
        if file.group == "rust":
            return self.rust_path(file, each) or outside
        path = f"{each.module.removeprefix('::')}.{each.name}".strip(".")
        return self.find_named(file, path, Rank.IMPORT) or self._static(file, each) or outside

    def _static(self, file: File, each: ImportedName) -> Thing | None:
        """Return what a static import of Java means: a member of a class of the set."""
        return self.find_named(file, f"{each.module}.{each.name}", Rank.IMPORT)

    def _from_script(self, file: File, each: ImportedName) -> Thing | None:
        target = self.script(file, each.module)
        if target is None:
            return None
        whole = Module(target.module, "scripts", Rank.IMPORT, target)
        if each.name == "":
            return whole
        if each.name == "=":
            return self.find_export(target, "default") or whole
        return self.find_export(target, each.name) or Outside(f"{target.module}.{each.name}")

    def script(self, file: File, module: str) -> File | None:
        found = self.index.import_paths.find(file.summary.language, file.summary.path, module)
        return self.index.by_path[found[0]] if found else None

    def find_export(self, file: File, name: str) -> Thing | None:
        """Return the value that a script exports under a name, through any files that re-export it."""
        key = (file.at, name)
        if key not in self._exports:
            self._exports[key] = None
            self._exports[key] = self._exported_value(file, name) if self.budget.take() else None
        return self._exports[key]

    def _exported_value(self, file: File, name: str) -> Thing | None:
        stated = file.exports.get(name)
        if stated is not None and stated.module:
            target = self.script(file, stated.module)
            if target is None:
                return Outside(f"{stated.module}.{stated.local}".strip("."))
            return (
                self.find_export(target, stated.local)
                if stated.local
                else Module(target.module, "scripts", Rank.IMPORT, target)
            )
        local = stated.local.partition(".")[0] if stated is not None else name
        found, _ = self.in_scopes(file, 0, local or name, 1 << 30)
        if found is not None:
            return DefinedValue(found.entity, Rank.IMPORT) if isinstance(found, DefinedValue) else found
        through = (self.script(file, each.module) for each in file.summary.exported if each.name == "*" and each.module)
        return _one([self.find_export(target, name) for target in through if target is not None])

    def rust_path(self, file: File, each: ImportedName) -> Thing | None:
        path = f"{each.module}.{each.name}".strip(".")
        return self.rust(file, path, each.scope)

    def rust(self, file: File, path: str, scope: int) -> Thing | None:
        """Return what a path of `use` means. It starts at crate, self, super, a crate of the set, or the module that
        contains it."""
        here = file.source(scope) if file.paths[scope] else file.prefix
        parts = path.split(".")
        if parts[0] == "crate":
            base, rest = file.prefix.partition(".")[0], parts[1:]
        elif parts[0] in ("self", "super"):
            base, rest = here, parts[1:] if parts[0] == "self" else parts
            while rest and rest[0] == "super":
                base, rest = base.rpartition(".")[0], rest[1:]
        elif ("rust", parts[0]) in self.index.by_module:
            base, rest = parts[0], parts[1:]
        else:
            base, rest = here, parts
        thing: Thing | None = Module(base, "rust", Rank.IMPORT)
        for name in rest:
            thing = self.in_module(thing, name) if isinstance(thing, Module) else self._inner(thing, name)
        return thing

    def _inner(self, thing: Thing | None, name: str) -> Thing | None:
        if not isinstance(thing, DefinedValue):
            return None
        found = self.index.named.get(("rust", f"{self.index.qualified_name(thing.entity)}.{name}"))
        return self.choose(found, Rank.IMPORT) if found else None

    def in_module(self, module: Module, name: str) -> Thing | None:
        """Return what a name means in a module of the set."""
        if module.file is not None:
            return self.find_export(module.file, name) or Outside(f"{module.name}.{name}")
        path = f"{module.name}.{name}"
        found = self.index.named.get((module.group, path))
        if found:
            return self.choose(found, Rank.IMPORT)
        if (module.group, path) in self.index.by_module:
            return Module(path, module.group, Rank.IMPORT)
        return self._reexported_value(module, name) if module.group == "rust" else None

    def _reexported_value(self, module: Module, name: str) -> Thing | None:
        """Return the value that a `pub use` of a Rust module re-exports under a name."""
        found: list[Thing | None] = []
        for file in self.index.by_module.get(("rust", module.name), ()):
            key = (file.at, name)
            if key not in self._exports:
                self._exports[key] = None
                self._exports[key] = self._used(file, name) if self.budget.take() else None
            found.append(self._exports[key])
        return _one(found)

    def _used(self, file: File, name: str) -> Thing | None:
        stated = file.exports.get(name)
        if stated is not None:
            return self.rust(file, f"{stated.module}.{stated.local}".strip("."), 0)
        paths = [f"{each.module}.{name}" for each in file.summary.exported if each.name == "*"]
        return _one([self.rust(file, path, 0) for path in paths])

    def find_named(self, file: File, path: str, rank: Rank) -> Thing | None:
        """Return the entity of a dotted path that is valid in every file of the language's group."""
        found = self.index.named.get((file.group, path))
        if found and file.group == "c":
            return self._prefer_included(file, found)
        return self.choose(found, rank) if found else None

    def _prefer_included(self, file: File, found: Sequence[Entity]) -> Thing | None:
        """Prefer entities from included files in C and C++. A name with one definition elsewhere also counts, but is
        less sure."""
        seen = [each for each in found if each.file == file.at or not self.index.binding(each).hidden]
        bodies = [each for each in seen if self.index.binding(each).kind != "prototype"] or seen
        here = self.included_files(file)
        declared = any(each.file in here for each in seen)
        near = [each for each in bodies if each.file in here]
        return self.choose(near or bodies, Rank.IMPORT if declared else Rank.UNIQUE) if bodies else None

    def included_files(self, file: File) -> frozenset[int]:
        """Return the files that a file includes, directly or through others."""
        if file.at not in self._included:
            reached, waiting = {file.at}, [file]
            while waiting and len(reached) < MOST_INCLUDED:
                each = waiting.pop()
                for module in each.summary.imports:
                    for path in self.index.import_paths.find("c", each.summary.path, module):
                        target = self.index.by_path[path]
                        if target.at not in reached:
                            reached.add(target.at)
                            waiting.append(target)
            self._included[file.at] = frozenset(reached)
        return self._included[file.at]

    def around(self, file: File, scope: int, name: str) -> Thing | None:
        """Return what a name means in the rest of the package, the namespaces around it, and star imports."""
        for path in self._paths_around(file, scope, name):
            found = self.find_named(file, path, Rank.SCOPE if file.group in ("go", "rust") else Rank.IMPORT)
            if found is not None:
                return found
        whole = [self._whole(file, each, name) for each in file.summary.imported if each.name == "*"]
        return _one(whole)

    def _paths_around(self, file: File, scope: int, name: str) -> Iterator[str]:
        """Yield the dotted paths that a name may have here. Go, Java and Rust see their package, and a dotted name may
        begin at the top. Other languages see all namespaces around."""
        if file.group in ("go", "java", "rust"):
            yield f"{file.prefix}.{name}".strip(".")
            if "." in name:
                yield name
        elif file.group != "scripts":
            before = file.paths[scope]
            while before:
                yield f"{before}.{name}"
                before = before.rpartition(".")[0]
            yield name

    def _whole(self, file: File, each: ImportedName, name: str) -> Thing | None:
        if file.group == "rust":
            return self.rust(file, f"{each.module}.{name}", each.scope)
        if file.group == "go":
            package = self._resolve_import(file, each)
            return self.in_module(package, name) if isinstance(package, Module) else None
        if (file.group == "c" and not each.module.startswith("::")) or file.group == "ruby":
            return None
        return self.find_named(file, f"{each.module.removeprefix('::')}.{name}", Rank.IMPORT)

    def choose(self, entities: Sequence[Entity], rank: Rank) -> Thing:
        """Return the entity that is meant, or several if their names differ. A definition with a body is preferred to a
        declaration."""
        bodies = [each for each in entities if self.index.binding(each).opens >= 0] or list(entities)
        types = [each for each in bodies if self.index.binding(each).kind in TYPES]
        names = {self.index.qualified_name(each): each for each in reversed(types or bodies)}
        if len(names) == 1:
            return DefinedValue(next(iter(names.values())), rank)
        return Several(tuple(sorted(names.values()))[:MOST_CANDIDATES], rank)


def _one(things: Iterable[Thing | None]) -> Thing | None:
    """Return the one thing that was found, or several if they differ."""
    found = list(dict.fromkeys(each for each in things if each is not None and not isinstance(each, Outside)))
    if len(found) <= 1:
        return found[0] if found else None
    entities = [each.entity for each in found if isinstance(each, DefinedValue)]
    return Several(tuple(sorted(set(entities))), Rank.IMPORT) if len(set(entities)) > 1 else found[0]
