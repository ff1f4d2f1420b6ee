"""Names of Python modules as imports write them, from the folders of packages, wherever the root is."""

from collections.abc import Container, Iterable, Sequence

from msgspec.structs import replace

from codegraph.modules.names import dotted_name, module_name
from codegraph.python.summary.facts import ImportFact, PythonSummary

_ENDINGS = (".py", ".pyi", ".pyw")
INITS = ("__init__.py", "__init__.pyi")


def python_modules(paths: Iterable[str]) -> dict[str, str]:
    """Return the dotted name of each Python file by its path.

    The name starts at the folder of its outermost package, or else below the last folder src. Files whose names would
    be the same keep their whole paths as names.
    """
    files = [path for path in paths if path.endswith(_ENDINGS)]
    packages = {path.rpartition("/")[0] for path in files if path.rpartition("/")[2] in INITS}
    named = {path: _import_name(path, packages) for path in files}
    times: dict[str, set[str]] = {}
    for path, module in named.items():
        times.setdefault(module, set()).add(_stem(path))
    return {path: module if len(times[module]) == 1 else module_name(path, "python") for path, module in named.items()}


def _stem(path: str) -> str:
    """Return a path without its extension, because a file and its stub are one module."""
    return path.rpartition(".")[0]


def _import_name(path: str, packages: set[str]) -> str:
    folder = path.rpartition("/")[0]
    if folder not in packages:
        return module_name(path.rpartition("/src/")[2], "python")
    while folder in packages:
        folder = folder.rpartition("/")[0] if folder else "/"
    root = f"{folder}/" if folder not in ("", "/") else ""
    return module_name(path, "python") if root == "" else dotted_name(_module_path(path.removeprefix(root)))


def _module_path(path: str) -> str:
    return path.rpartition(".")[0].removesuffix("/__init__")


def rename_module(summary: PythonSummary, module: str) -> PythonSummary:
    """Return the summary under another module name, with relative imports changed to match."""
    if summary.module == module:
        return summary
    before, after = _package(summary, summary.module), _package(summary, module)
    facts = [_move_import(fact, before, after) for fact in summary.modules]
    moved = {old.module: new.module for old, new in zip(summary.modules, facts, strict=True)}
    return replace(summary, module=module, modules=facts, stars=[moved.get(each, each) for each in summary.stars])


def from_own_folder(summary: PythonSummary, known: Container[str]) -> PythonSummary:
    """Return the summary of a file outside all packages, with imports of its neighbours resolved.

    `python folder/script.py` finds the files beside the script by their bare names. `known` are the modules of the
    repository. A module that has the bare name itself comes first.
    """
    folder = summary.module.rpartition(".")[0]
    if not folder:
        return summary
    facts = [_beside(fact, folder, known) for fact in summary.modules]
    moved = {old.module: new.module for old, new in zip(summary.modules, facts, strict=True) if old is not new}
    if not moved:
        return summary
    return replace(summary, modules=facts, stars=[moved.get(each, each) for each in summary.stars])


def _beside(fact: ImportFact, folder: str, known: Container[str]) -> ImportFact:
    first = fact.module.partition(".")[0]
    if fact.written.startswith(".") or first in known or f"{folder}.{first}" not in known:
        return fact
    return replace(fact, module=f"{folder}.{fact.module}")


def _package(summary: PythonSummary, module: str) -> Sequence[str]:
    parts = module.split(".")
    return parts if summary.is_package else parts[:-1]


def _move_import(fact: ImportFact, before: Sequence[str], after: Sequence[str]) -> ImportFact:
    """Return a relative import as seen from the module's new name."""
    if not fact.written.startswith("."):
        return fact
    inner = fact.written.lstrip(".")
    up = len(fact.written) - len(inner) - 1
    if up > len(before) or up > len(after):
        return fact
    base = ".".join(after[: len(after) - up])
    return replace(fact, module=".".join(part for part in (base, inner) if part))
