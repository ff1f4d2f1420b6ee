"""Index the names of a set of summaries by scope, by dotted path, and by last name."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from codegraph.extraction.summary import CALLABLE, NAMED, Binding, ImportedName, Scope, Summary
from codegraph.modules.import_paths import ImportPaths
from codegraph.modules.manifests import Manifest
from codegraph.modules.names import SCRIPTS, module_name, prefix_of

GLOBAL = frozenset(("c", "ruby"))
"""Languages in which a name means the same in every file."""

MOST_SAME = 100
"""Most bindings of one name in one scope that are told apart, because every use of the name looks through them."""


class Entity(NamedTuple):
    """Place of a file in the set, and of a binding in that file."""

    file: int
    binding: int


def group_of(language: str) -> str:
    """Return the group of languages that may name each other's definitions."""
    if language in SCRIPTS:
        return "scripts"
    return "c" if language == "cpp" else language


class File:
    """One summary with its lookup tables. `paths` are the dotted paths of all scopes from the top of the file."""

    def __init__(self, at: int, summary: Summary, manifests: Sequence[Manifest]) -> None:
        self.at = at
        self.summary = summary
        self.group = group_of(summary.language)
        self.prefix = prefix_of(summary, manifests)
        self.module = module_name(summary.path, summary.language, summary.package, manifests)
        self.names: list[dict[str, list[int]]] = [{} for _ in summary.scopes]
        self.opened: dict[int, int] = {}
        for place, binding in enumerate(summary.bindings):
            same = self.names[binding.scope].setdefault(binding.name, [])
            if len(same) < MOST_SAME:
                same.append(place)
            if binding.opens >= 0:
                self.opened.setdefault(binding.opens, place)
        self.aliases: dict[tuple[int, str], list[ImportedName]] = {}
        for each in summary.imported:
            self.aliases.setdefault((each.scope, each.alias or each.name), []).append(each)
        self.exports = {each.name: each for each in summary.exported if each.name != "*"}
        self.paths: list[str] = []
        for scope in summary.scopes:
            before = self.paths[scope.parent] if scope.parent >= 0 else ""
            named = scope.name if scope.kind != "block" else ""
            self.paths.append(_under(before, named))

    def binding(self, place: int) -> Binding:
        return self.summary.bindings[place]

    def scope(self, place: int) -> Scope:
        return self.summary.scopes[place]

    def path_of(self, binding: Binding) -> str:
        """Return the dotted path of a name from the top of the file."""
        return _under(self.paths[binding.scope], binding.name)

    def qualified_name(self, binding: Binding) -> str:
        return _under(self.prefix, self.path_of(binding))

    def source(self, scope: int) -> str:
        """Return the qualified name of the definition that contains the text of a scope."""
        return _under(self.prefix, self.paths[scope]) if self.paths[scope] else self.module


class SymbolIndex:
    def __init__(self, summaries: Iterable[Summary], manifests: Sequence[Manifest]) -> None:
        ordered = sorted(summaries, key=lambda each: each.path)
        self.files = [File(at, each, manifests) for at, each in enumerate(ordered)]
        self.by_path = {file.summary.path: file for file in self.files}
        self.by_module: dict[tuple[str, str], list[File]] = {}
        self.named: dict[tuple[str, str], list[Entity]] = {}
        self.by_name: dict[tuple[str, str], list[Entity]] = {}
        self.extensions: dict[tuple[str, str], list[tuple[File, int]]] = {}
        self.import_paths = ImportPaths(self.by_path, manifests)
        for file in self.files:
            self.by_module.setdefault((file.group, file.prefix), []).append(file)
            self._add_names(file)
            for place, scope in enumerate(file.summary.scopes):
                if scope.kind == "extension":
                    last = scope.owner.rpartition(".")[2]
                    self.extensions.setdefault((file.group, last), []).append((file, place))

    def _add_names(self, file: File) -> None:
        for place, binding in enumerate(file.summary.bindings):
            if binding.kind not in NAMED and binding.kind not in ("prototype", "field"):
                continue
            entity = Entity(file.at, place)
            path = file.path_of(binding) if file.group in GLOBAL else file.qualified_name(binding)
            self.named.setdefault((file.group, path), []).append(entity)
            if binding.kind in CALLABLE and binding.kind != "lambda":
                self.by_name.setdefault((file.group, binding.name), []).append(entity)

    def binding(self, entity: Entity) -> Binding:
        return self.files[entity.file].summary.bindings[entity.binding]

    def qualified_name(self, entity: Entity) -> str:
        return self.files[entity.file].qualified_name(self.binding(entity))


def _under(before: str, name: str) -> str:
    return f"{before}.{name}" if before and name else before or name
