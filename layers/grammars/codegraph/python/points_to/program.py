"""Combine a set of summaries into one program. Slots of all files have consecutive numbers, as have definitions and
modules."""

from collections.abc import Sequence

from codegraph.python.summary.facts import (
    NOTHING,
    CallFact,
    ClassFact,
    FunctionFact,
    PythonSummary,
)


class File:
    __slots__ = ("base", "names", "summary")

    def __init__(self, summary: PythonSummary, base: int) -> None:
        self.summary = summary
        self.base = base
        module = summary.module
        self.names = [f"{module}.{each}" if each and module else each or module for each in summary.scopes]


class Function:
    __slots__ = ("called", "fact", "file", "name", "number", "owner")

    def __init__(self, number: int, fact: FunctionFact, file: File, owner: int) -> None:
        self.number = number
        self.fact = fact
        self.file = file
        self.name = file.names[fact.scope]
        self.owner = owner
        self.called = False

    def at(self, slot: int) -> int:
        return slot + self.file.base if slot > 0 else NOTHING


class Class:
    __slots__ = ("bases", "fact", "file", "name", "outside")

    def __init__(self, fact: ClassFact, file: File) -> None:
        self.fact = fact
        self.file = file
        self.name = file.names[fact.scope]
        self.bases: list[int] = []
        self.outside: list[str] = []
        """Names of bases that are not in the set."""


class Site:
    """Place of a call, with slots of the program. `implicit`: a loop, a property or an operator makes the call."""

    __slots__ = ("args", "decorates", "doubled", "externals", "file", "function", "implicit", "kwargs", "line", "made",
                 "number", "result", "scope", "spread", "targets", "written")  # fmt: skip

    def __init__(self, number: int, file: File, scope: int, line: int, function: int, result: int) -> None:
        self.number = number
        self.file = file
        self.scope = scope
        self.line = line
        self.function = function
        self.result = result
        self.args: Sequence[int] = ()
        self.kwargs: Sequence[tuple[str, int]] = ()
        self.spread: Sequence[int] = ()
        self.doubled = NOTHING
        self.decorates = NOTHING
        self.written = ""
        self.implicit = True
        self.targets: dict[int, None] = {}
        self.made: dict[int, None] = {}
        self.externals: dict[str, None] = {}


class Program:
    def __init__(self, summaries: list[PythonSummary]) -> None:
        self.files: list[File] = []
        self.modules: dict[str, File] = {}
        self.functions: list[Function] = []
        self.classes: list[Class] = []
        self.sites: list[Site] = []
        self.packages: set[str] = set()
        self.slots = 1
        for summary in summaries:
            self._add(summary)

    def _add(self, summary: PythonSummary) -> None:
        file = File(summary, self.slots)
        self.files.append(file)
        self.modules.setdefault(summary.module, file)
        self.slots += summary.slots + 1
        parts = summary.module.split(".")
        self.packages.update(".".join(parts[:end]) for end in range(1, len(parts)))
        first_class = len(self.classes)
        self.classes += [Class(each, file) for each in summary.classes]
        for each in summary.functions:
            owner = first_class + each.owner if each.owner >= 0 else NOTHING
            self.functions.append(Function(len(self.functions), each, file, owner))

    def site(self, file: File, scope: int, line: int, function: int, result: int) -> Site:
        site = Site(len(self.sites), file, scope, line, function, result)
        self.sites.append(site)
        return site

    def call_site(self, file: File, fact: CallFact) -> Site:
        base = file.base
        function = fact.function + base if fact.function > 0 else NOTHING
        site = self.site(file, fact.scope, fact.line, function, fact.result + base)
        site.args = tuple([each + base if each > 0 else NOTHING for each in fact.args])
        site.kwargs = tuple([(name, each + base if each > 0 else NOTHING) for name, each in fact.kwargs])
        site.spread = tuple(fact.spread)
        site.doubled = fact.doubled + base if fact.doubled > 0 else NOTHING
        site.decorates = fact.decorates + base if fact.decorates > 0 else NOTHING
        site.written = fact.written
        site.implicit = False
        return site

    def has_module(self, module: str) -> bool:
        return module in self.modules or module in self.packages

    def module_slot(self, module: str, name: str, seen: set[str] | None = None) -> int:
        """Return the slot of a name in a module, through star imports, or `NOTHING` if it has none."""
        file = self.modules.get(module)
        seen = set() if seen is None else seen
        if file is None or module in seen:
            return NOTHING
        seen.add(module)
        slot = file.summary.names.get(name)
        if slot is not None:
            return slot + file.base
        for star in file.summary.stars:
            source = self.modules.get(star)
            if source is not None and is_exported(source.summary, name):
                found = self.module_slot(star, name, seen)
                if found >= 0:
                    return found
        return NOTHING


def is_exported(summary: PythonSummary, name: str) -> bool:
    """Return whether `from module import *` imports a name."""
    return not name.startswith("_") if summary.exports is None else name in summary.exports
