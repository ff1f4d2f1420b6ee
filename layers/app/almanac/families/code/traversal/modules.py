"""Which files of a repository an import leads to, and the modules that its files are."""

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy

from almanac.families.code.traversal.name_table import NameTable
from almanac.families.code.traversal.python_modules import python_modules
from codegraph import (
    BY_PACKAGE,
    OUTLINED,
    Imported,
    ImportFact,
    ImportPaths,
    Manifest,
    language_of,
    module_name,
    rust_module,
)


class Modules:
    """Of one revision of a repository. `python`: the names of modules by path."""

    def __init__(self, names: NameTable, manifests: Sequence[Manifest]) -> None:
        self._names = names
        self.manifests = manifests
        self.python = python_modules(names.files)
        self.of_path = {path: self._module_of(path, language) for path, language in _languages(names.files)}
        self.paths: dict[str, list[str]] = {}
        for path, module in self.of_path.items():
            self.paths.setdefault(module, []).append(path)
        self._imports = ImportPaths(names.files, manifests)

    def over(self, names: NameTable) -> "Modules":
        """The same modules, where the same files have other names in them."""
        modules = copy(self)
        modules._names = names  # noqa: SLF001 - modules, too
        return modules

    def _module_of(self, path: str, language: str) -> str:
        return self.python[path] if path in self.python else module_name(path, language, "", self.manifests)

    def of_python(self, facts: Iterable[ImportFact]) -> Iterator[str]:
        """Files that imports of Python lead to: modules, their packages, and modules that are taken of packages."""
        for fact in facts:
            parts = fact.module.split(".")
            for end in range(len(parts), 0, -1):
                yield from self.paths.get(".".join(parts[:end]), ())
            if fact.name not in ("", "*"):
                yield from self.paths.get(f"{fact.module}.{fact.name}", ())

    def of_others(self, language: str, path: str, imports: Iterable[Imported]) -> Iterator[str]:
        """Files that imports of another language lead to."""
        for each in imports:
            if language == "rust":
                yield from self._of_rust(path, each)
            elif language in BY_PACKAGE:
                yield from self._of_package(each)
            else:
                yield from self._imports.find(language, path, each.module)

    def _of_rust(self, path: str, each: Imported) -> Iterator[str]:
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

    def _of_package(self, each: Imported) -> Iterator[str]:
        """Of Java and C#: files that define the name, in a folder that ends as the package does."""
        folder = each.module.replace(".", "/")
        if each.name not in ("", "*"):
            found = self._names.defining(each.name)
            yield from (path for path in found if posixpath.dirname(path).endswith(folder))


def _languages(files: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for path in files:
        language = language_of(path)
        if language in OUTLINED:
            yield path, language
