"""Count lines, files, folders, functions and importers of the app at revisions of the repository.

python -m tools.code_size 8ad8f86 HEAD
"""

import ast
import subprocess
import sys
import tarfile
from collections import Counter
from io import BytesIO
from pathlib import PurePosixPath
from statistics import median

_PACKAGES = ("layers/app/almanac", "layers/grammars/codegraph")
_CRUMB = 60
"""A module with fewer lines and one importer belongs inside its importer, unless it is a handler or has records."""
_FEW = 4


def counts(revision: str) -> dict[str, float]:
    """Return the figures of one revision. Packages that it lacks count as empty."""
    texts = _texts(revision)
    trees = {path: ast.parse(text) for path, text in texts.items()}
    modules = {_name(path): path for path in texts}
    lines = {name: texts[path].count("\n") for name, path in modules.items()}
    importers = Counter(name for own, path in modules.items() for name in _imports(trees[path], modules) - {own})
    filled = {name: count for name, count in lines.items() if modules[name].name != "__init__.py"}
    folders = Counter(modules[name].parent for name in filled)
    functions = [node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {
        "lines": sum(lines.values()),
        "files": len(filled),
        "lines of a file (median)": median(filled.values()),
        "files under 40 lines": sum(count < 40 for count in filled.values()),
        "files with one importer": sum(importers[name] == 1 for name in filled),
        f"of these under {_CRUMB} lines": sum(importers[name] == 1 and filled[name] < _CRUMB for name in filled),
        "folders": len(folders),
        f"folders with under {_FEW} modules": sum(count < _FEW for count in folders.values()),
        "functions": len(functions),
    }


def _texts(revision: str) -> dict[PurePosixPath, str]:
    there = _git("ls-tree", "-d", "--name-only", revision, *_PACKAGES).decode().split()
    with tarfile.open(fileobj=BytesIO(_git("archive", "--format=tar", revision, *there))) as archive:
        files = [(PurePosixPath(one.name), archive.extractfile(one)) for one in archive if one.name.endswith(".py")]
        return {path: file.read().decode() for path, file in files if file is not None}


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], capture_output=True, check=True).stdout  # noqa: S603, S607


def _name(path: PurePosixPath) -> str:
    return ".".join(path.relative_to(*path.parts[:2]).with_suffix("").parts).removesuffix(".__init__")


def _imports(tree: ast.Module, modules: dict[str, PurePosixPath]) -> set[str]:
    """Return the modules that are imported, or named in a string, such as the parts of a family."""
    named: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            named |= {node.module, *(f"{node.module}.{one.name}" for one in node.names)}
        elif isinstance(node, ast.Import):
            named |= {one.name for one in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            named.add(node.value)
    return named & modules.keys()


def main(revisions: list[str]) -> None:
    columns = [counts(one) for one in revisions]
    sys.stdout.write("| | " + " | ".join(revisions) + " |\n|---|" + "--:|" * len(revisions) + "\n")
    for name in columns[0]:
        sys.stdout.write(f"| {name} | " + " | ".join(f"{one[name]:,.0f}" for one in columns) + " |\n")


if __name__ == "__main__":
    main(sys.argv[1:] or ["HEAD"])
