"""Modules of a repository's files, and the files that an import leads to."""

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from msgspec import Struct

from codegraph.extraction.summary import NAMED, ImportedName, Summary
from codegraph.file_summary import FileSummary
from codegraph.languages.names import OUTLINED, language_of
from codegraph.modules.import_paths import ImportPaths
from codegraph.modules.names import BY_PACKAGE, module_name, rust_module
from codegraph.python.module_names import INITS, from_own_folder, python_modules, rename_module
from codegraph.python.summary.facts import NOTHING, ImportFact, PythonSummary
from codegraph.symbol_index import File


class Symbol(Struct, frozen=True):
    """Definition in the graph. `name` is dotted and qualified, `line` counts from 1."""

    name: str
    kind: str
    path: str
    line: int


class Modules:
    """Modules of one set of files and their manifests. `of_path` maps paths to module names, `paths` module names to
    paths. `python` maps paths to the names of Python modules."""

    def __init__(self, paths: Collection[str], summaries: Iterable[FileSummary]) -> None:
        """Name the modules of all `paths`. `summaries` are those of the manifests among them."""
        manifests = [each.manifest for each in summaries if each.manifest is not None]
        self.manifests = sorted(manifests, key=lambda each: (each.folder, each.kind, each.name))
        self.python = python_modules(paths)
        self.of_path = {path: self._module_of(path, language) for path, language in _languages(paths)}
        self.paths: dict[str, list[str]] = {}
        for path, module in self.of_path.items():
            self.paths.setdefault(module, []).append(path)
        self._files = frozenset(paths)
        self._imports = ImportPaths(self._files, self.manifests)

    def _module_of(self, path: str, language: str) -> str:
        return self.python[path] if path in self.python else module_name(path, language, "", self.manifests)

    def as_imported(self, summary: FileSummary) -> FileSummary:
        """Return the summary under the module name that others import."""
        python = summary.python
        if python is None:
            return summary
        named = rename_module(python, self.python.get(python.path, python.module))
        folder = posixpath.dirname(python.path)
        is_packaged = any(posixpath.join(folder, name) in self._files for name in INITS)
        return FileSummary(python=named if is_packaged else from_own_folder(named, self.paths))

    def symbols(self, summary: FileSummary) -> list[Symbol]:
        """Return the definitions of a file in the order of lines, only the first of each name."""
        facts = summary.facts
        if facts is None:
            return []
        found = _of_python(facts) if isinstance(facts, PythonSummary) else self._of_other(facts)
        named: dict[str, Symbol] = {}
        for each in sorted(found, key=lambda one: (one.line, one.name)):
            named.setdefault(each.name, each)
        return list(named.values())

    def _of_other(self, summary: Summary) -> Iterator[Symbol]:
        file = File(0, summary, self.manifests)
        for each in summary.bindings:
            if each.kind in NAMED:
                yield Symbol(file.qualified_name(each), each.kind, summary.path, each.line)

    def files_imported(
        self, path: str, summary: FileSummary, defining: Callable[[str], Sequence[str]]
    ) -> Iterator[str]:
        """Yield the files that the imports of a file lead to. `defining` returns the files that define a name."""
        if summary.python is not None:
            yield from self._of_python(summary.python.modules)
        elif summary.other is not None:
            yield from self._of_others(summary.other.language, path, summary.other.imported, defining)

    def _of_python(self, facts: Iterable[ImportFact]) -> Iterator[str]:
        """Yield the files of Python imports: modules, their packages, and modules imported from packages."""
        for fact in facts:
            parts = fact.module.split(".")
            for end in range(len(parts), 0, -1):
                yield from self.paths.get(".".join(parts[:end]), ())
            if fact.name not in ("", "*"):
                yield from self.paths.get(f"{fact.module}.{fact.name}", ())

    def _of_others(
        self, language: str, path: str, imports: Iterable[ImportedName], defining: Callable[[str], Sequence[str]]
    ) -> Iterator[str]:
        for each in imports:
            if language == "rust":
                yield from self._of_rust(path, each)
            elif language in BY_PACKAGE:
                yield from _of_package(each, defining)
            else:
                yield from self._imports.find(language, path, each.module)

    def _of_rust(self, path: str, each: ImportedName) -> Iterator[str]:
        base: list[str] = []
        parts = [part for part in (*each.module.removeprefix("::").split("."), each.name) if part not in ("", "*")]
        here = rust_module(path, self.manifests).split(".")
        if parts[:1] == ["crate"]:
            base, parts = here[:1], parts[1:]
        elif parts[:1] in (["self"], ["super"]):
            base = here
            while parts[:1] in (["self"], ["super"]):
                base = base[:-1] if parts.pop(0) == "super" else base
        parts = [*base, *parts]
        for end in range(len(parts), 0, -1):
            found = self.paths.get(".".join(parts[:end]))
            if found:
                yield from found
                return


def _of_package(each: ImportedName, defining: Callable[[str], Sequence[str]]) -> Iterator[str]:
    """Yield files for Java and C# that define the name, in a folder whose path ends as the package does."""
    folder = each.module.replace(".", "/")
    if each.name not in ("", "*"):
        yield from (path for path in defining(each.name) if posixpath.dirname(path).endswith(folder))


def _of_python(summary: PythonSummary) -> Iterator[Symbol]:
    def name_of(scope: int) -> str:
        return f"{summary.module}.{summary.scopes[scope]}"

    for each in summary.classes:
        yield Symbol(name_of(each.scope), "class", summary.path, each.line)
    for each in summary.functions:
        kind = "lambda" if each.kind == "lambda" else "method" if each.owner != NOTHING else "function"
        yield Symbol(name_of(each.scope), kind, summary.path, each.line)


def _languages(files: Iterable[str]) -> Iterator[tuple[str, str]]:
    for path in files:
        language = language_of(path)
        if language in OUTLINED:
            yield path, language
