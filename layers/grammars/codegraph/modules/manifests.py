"""Read the names of modules from go.mod, Cargo.toml, package.json and tsconfig.json."""

import json
import re
import tomllib
from typing import Any, Literal, cast

from msgspec import Struct

ManifestKind = Literal["go", "cargo", "npm", "tsconfig"]

MOST_ENTRIES = 500
LARGEST = 300_000
DEEPEST = 6


class Manifest(Struct, frozen=True, kw_only=True):
    """Facts of one manifest. `folder` is where it stands, "" for the root. `name` is that of the module, crate or
    package. `targets` are pairs of an imported name and a path from the folder, each with at most one `*`."""

    kind: ManifestKind
    folder: str
    name: str = ""
    targets: tuple[tuple[str, str], ...] = ()


def read_manifest(path: str, text: str) -> Manifest | None:
    """Return the manifest in a file, or None if the file is no manifest or cannot be read."""
    folder, _, name = path.rpartition("/")
    if len(text) > LARGEST:
        return None
    try:
        if name == "go.mod":
            return _go(folder, text)
        if name == "Cargo.toml":
            return _cargo(folder, text)
        if name == "package.json":
            return _npm(folder, text)
        if re.fullmatch(r"[tj]sconfig[\w.-]*\.json", name):
            return _tsconfig(folder, text)
    except (ValueError, RecursionError):
        return None
    return None


def _go(folder: str, text: str) -> Manifest | None:
    found = re.search(r"^module\s+\"?([^\s\"]+)", text, re.MULTILINE)
    return Manifest(kind="go", folder=folder, name=found[1]) if found else None


def _cargo(folder: str, text: str) -> Manifest | None:
    read = tomllib.loads(text)
    package, library = _table(read.get("package")), _table(read.get("lib"))
    name = library.get("name") or package.get("name")
    if not isinstance(name, str):
        return None
    path = library.get("path")
    targets = (("lib", path),) if isinstance(path, str) else ()
    return Manifest(kind="cargo", folder=folder, name=name.replace("-", "_"), targets=targets)


def _npm(folder: str, text: str) -> Manifest | None:
    read = _table(json.loads(text))
    name = read.get("name")
    if not isinstance(name, str):
        return None
    targets = _exports(read.get("exports"))
    for field in ("source", "module", "main", "types"):
        if isinstance(read.get(field), str):
            targets.append((".", read[field]))
    return Manifest(kind="npm", folder=folder, name=name, targets=tuple(targets[:MOST_ENTRIES]))


def _exports(exports: Any) -> list[tuple[str, str]]:
    """Return every path that a name of `exports` may lead to, under any condition."""
    found: list[tuple[str, str]] = []
    waiting: list[tuple[str, Any, int]] = [(".", exports, 0)]
    while waiting and len(found) < MOST_ENTRIES:
        name, value, depth = waiting.pop(0)
        if isinstance(value, str):
            found.append((name, value))
        elif isinstance(value, dict) and depth < DEEPEST:
            for key, inner in list(_table(value).items())[:MOST_ENTRIES]:
                waiting.append((key if key.startswith(".") else name, inner, depth + 1))
    return found


def _tsconfig(folder: str, text: str) -> Manifest | None:
    options = _table(_table(json.loads(_without_comments(text))).get("compilerOptions"))
    base = options.get("baseUrl")
    prefix = f"{base.removeprefix('./').rstrip('/')}/" if isinstance(base, str) and base not in (".", "./") else ""
    targets: list[tuple[str, str]] = []
    for name, paths in list(_table(options.get("paths")).items())[:MOST_ENTRIES]:
        if isinstance(paths, list):
            listed = cast("list[Any]", paths)
            targets += [(name, prefix + path.removeprefix("./")) for path in listed[:DEEPEST] if isinstance(path, str)]
    if isinstance(base, str):
        targets.append(("*", f"{prefix}*"))
    return Manifest(kind="tsconfig", folder=folder, targets=tuple(targets)) if targets else None


def _without_comments(text: str) -> str:
    """Remove comments and commas before closing brackets from the JSON of a tsconfig."""
    text = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or "", text, flags=re.DOTALL)
    return re.sub(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', lambda found: found[1] or "", text)


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
