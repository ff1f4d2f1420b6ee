"""Names of the modules of Python, as they are imported: by the folders of packages, wherever the root is."""

from collections.abc import Container, Iterable, Sequence

from msgspec.structs import replace

from codegraph.modules.names import dotted, module_name
from codegraph.python.summary.facts import ImportFact, PythonSummary

_ENDINGS = (".py", ".pyi", ".pyw")
INITS = ("__init__.py", "__init__.pyi")


def python_modules(paths: Iterable[str]) -> dict[str, str]:
    """The dotted name of each file of Python by its path: from the folder that holds its outermost package, else from
    the last folder src. Where two would have the same, they have their whole paths."""
    files = [path for path in paths if path.endswith(_ENDINGS)]
    packages = {path.rpartition("/")[0] for path in files if path.rpartition("/")[2] in INITS}
    named = {path: _imported_as(path, packages) for path in files}
    times: dict[str, set[str]] = {}
    for path, module in named.items():
        times.setdefault(module, set()).add(_stem(path))
    return {path: module if len(times[module]) == 1 else module_name(path, "python") for path, module in named.items()}


def _stem(path: str) -> str:
    """A file and its stub are one module."""
    return path.rpartition(".")[0]


def _imported_as(path: str, packages: set[str]) -> str:
    folder = path.rpartition("/")[0]
    if folder not in packages:
        return module_name(path.rpartition("/src/")[2], "python")
    while folder in packages:
        folder = folder.rpartition("/")[0] if folder else "/"
    root = f"{folder}/" if folder not in ("", "/") else ""
    return module_name(path, "python") if root == "" else dotted(_module_path(path.removeprefix(root)))


def _module_path(path: str) -> str:
    return path.rpartition(".")[0].removesuffix("/__init__")


def renamed(summary: PythonSummary, module: str) -> PythonSummary:
    """The summary under another name of its module, with what it imports relative to it."""
    if summary.module == module:
        return summary
    before, after = _package(summary, summary.module), _package(summary, module)
    facts = [_moved(fact, before, after) for fact in summary.modules]
    moved = {old.module: new.module for old, new in zip(summary.modules, facts, strict=True)}
    return replace(summary, module=module, modules=facts, stars=[moved.get(each, each) for each in summary.stars])


def from_own_folder(summary: PythonSummary, known: Container[str]) -> PythonSummary:
    """The summary of a file that is in no package: `python folder/script.py` finds what lies beside the script, by its
    bare name. `known` are the modules of the repository: what is one by its bare name is meant first."""
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


def _moved(fact: ImportFact, before: Sequence[str], after: Sequence[str]) -> ImportFact:
    """A relative import of the module under its new name."""
    if not fact.written.startswith("."):
        return fact
    inner = fact.written.lstrip(".")
    up = len(fact.written) - len(inner) - 1
    if up > len(before) or up > len(after):
        return fact
    base = ".".join(after[: len(after) - up])
    return replace(fact, module=".".join(part for part in (base, inner) if part))
