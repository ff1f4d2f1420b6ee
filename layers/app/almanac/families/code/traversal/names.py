"""Definitions by their qualified names, or by the caller's spelling of one."""

import re
from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct

from almanac.families.code.traversal.revision_view import RevisionView
from codegraph import Symbol

MODULE = "module"
"""The kind of a symbol that is a module."""
MOST_LOOKED_INTO = 150
MOST_LOCATED = 40
MOST_CANDIDATES = 20
_SEPARATORS = re.compile(r"::|->|[#/\\]")
_CALL = re.compile(r"\(.*\)$")


class Matches(Struct, frozen=True):
    """Symbols that a name may mean, each name once. `unread` counts files that define the last part of the name and
    were not examined."""

    found: tuple[Symbol, ...]
    unread: int = 0


class Names:
    """Looks up definitions for one call."""

    def __init__(self, reading: RevisionView) -> None:
        self._reading = reading
        self._located: dict[str, list[Symbol]] = {}

    @property
    def files(self) -> Collection[str]:
        """The paths of all files."""
        return self._reading.names.files

    def locate(self, name: str) -> list[Symbol]:
        """Return the places that define a qualified name. A module of several files has several."""
        if name not in self._located:
            self._located[name] = self._locate(name)
        return self._located[name]

    def find_matches(self, written: str) -> Matches:
        """Return the symbols that a name may mean: the exact one, else all that end with it."""
        name = dotted_name(written)
        modules = self._modules(name)
        paths = self._nearest(name, self._reading.files_defining(_last(name)))
        # If a definition and a file have the same name, the definition is meant. A class of C# is named like its file.
        found = [*self._among(name, paths[:MOST_LOOKED_INTO]), *modules]
        exact = [each for each in found if each.name == name]
        different = {each.name: each for each in reversed(exact or found)}
        return Matches(
            tuple(sorted(different.values(), key=lambda each: (len(each.name), each.name))),
            0 if exact else max(0, len(paths) - MOST_LOOKED_INTO),
        )

    def near(self, written: str) -> list[str]:
        """Return names that end with the last part of the caller's text."""
        last = _last(dotted_name(written))
        paths = self._reading.files_defining(last)[:MOST_LOCATED]
        return sorted({each.name for each in self._among(last, paths)})[:MOST_CANDIDATES]

    def members(self, name: str, path: str) -> list[str]:
        """Return the members defined directly in a class or another definition."""
        found = (each.name for each in self._reading.symbols(path) if each.kind != "lambda")
        return [each for each in found if each.rpartition(".")[0] == name]

    def _locate(self, name: str) -> list[Symbol]:
        if found := self._modules(name, ends=False):
            return found
        for module in _prefixes(name):
            paths = self._reading.modules.paths.get(module, ())
            if here := self._exactly(name, paths[:MOST_LOCATED]):
                return here
        paths = self._nearest(name, self._reading.files_defining(_last(name)))
        return self._exactly(name, paths[:MOST_LOCATED])

    def _modules(self, name: str, *, ends: bool = True) -> list[Symbol]:
        modules = self._reading.modules.paths
        if name in modules or not ends:
            return [Symbol(name, MODULE, path, 1) for path in modules.get(name, ())]
        return [Symbol(each, MODULE, paths[0], 1) for each, paths in modules.items() if _ends(each, name)]

    def _among(self, name: str, paths: Sequence[str]) -> list[Symbol]:
        self._reading.summaries(paths)  # in few reads
        return [each for path in paths for each in self._reading.symbols(path) if _ends(each.name, name)]

    def _exactly(self, name: str, paths: Iterable[str]) -> list[Symbol]:
        return [each for path in paths for each in self._reading.symbols(path) if each.name == name]

    def _nearest(self, name: str, paths: Iterable[str]) -> list[str]:
        """Sort paths by how many parts of the name they contain, most first."""
        parts = set(re.split(r"[./]", name))
        return sorted(paths, key=lambda path: (-len(parts.intersection(re.split(r"[./]", path))), path))


def dotted_name(written: str) -> str:
    """Convert a name of any language to dotted form: `A::b()` becomes `A.b`."""
    return _SEPARATORS.sub(".", _CALL.sub("", written.strip())).strip(".")


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _prefixes(name: str) -> Iterable[str]:
    """Yield the part before each dot, longest first."""
    at = name.rfind(".")
    while at > 0:
        yield name[:at]
        at = name.rfind(".", 0, at)


def _ends(name: str, end: str) -> bool:
    return f".{name}".endswith(f".{end}")
