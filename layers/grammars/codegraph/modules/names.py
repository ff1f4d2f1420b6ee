"""Dotted names of modules, from the path of a file and the manifests."""

import posixpath
from collections.abc import Iterable, Sequence

from codegraph.extraction.summary import Summary
from codegraph.modules.manifests import Manifest

SCRIPTS = frozenset(("javascript", "typescript", "tsx"))
BY_PACKAGE = frozenset(("java", "csharp"))
_SCRIPT_ENDS = (".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
_RUST_ROOTS = frozenset(("lib", "main", "mod"))


def module_name(path: str, language: str, package: str = "", manifests: Sequence[Manifest] = ()) -> str:
    """Return the dotted name of a file's module.

    Python: its path, without src/ and `__init__`. JavaScript and TypeScript: its path, without index. Go: the import
    path of its folder. Rust: its crate and the modules to it. Java and C#: the package or namespace that it declares,
    and its name. Ruby, C, C++: its path. Two languages give the same name to the same file.
    """
    folder, _, file = path.rpartition("/")
    if language in SCRIPTS:
        return dotted_name(script_stem(path))
    if language == "go":
        return dotted_name(_go_path(folder, manifests)) or package
    if language == "rust":
        return rust_module(path, manifests)
    if language == "python":
        stem = path.removesuffix(".py").removesuffix(".pyi").removesuffix("/__init__")
        return dotted_name(stem.removeprefix("src/"))
    stem = file.rpartition(".")[0] or file
    if language in BY_PACKAGE and package:
        return f"{package}.{stem}"
    return dotted_name(f"{folder}/{stem}" if folder else stem)


def prefix_of(summary: Summary, manifests: Sequence[Manifest]) -> str:
    """Return the prefix of the names that a file defines. Java names classes by their package, C# by their namespaces,
    which are scopes of the file."""
    if summary.language == "csharp":
        return "" if summary.package else module_name(summary.path, "csharp")
    if summary.language == "java" and summary.package:
        return summary.package
    return module_name(summary.path, summary.language, summary.package, manifests)


def dotted_name(path: str) -> str:
    return ".".join(part for part in path.split("/") if part not in ("", "."))


def script_stem(path: str) -> str:
    """Return the path of a script without its extension and /index."""
    end = next((end for end in _SCRIPT_ENDS if path.endswith(end)), "")
    stem = path.removesuffix(end)
    return stem.removesuffix("/index") if stem != "index" else stem


def nearest(folder: str, manifests: Iterable[Manifest], kind: str) -> Manifest | None:
    """Return the manifest of a kind in the folder or the nearest folder above it."""
    above = [each for each in manifests if each.kind == kind and within(folder, each.folder)]
    return max(above, key=lambda each: len(each.folder), default=None)


def within(folder: str, outer: str) -> bool:
    return not outer or folder == outer or folder.startswith(f"{outer}/")


def _go_path(folder: str, manifests: Sequence[Manifest]) -> str:
    manifest = nearest(folder, manifests, "go")
    if manifest is None:
        return folder
    rest = folder[len(manifest.folder) :].strip("/")
    return f"{manifest.name}/{rest}" if rest else manifest.name


def rust_module(path: str, manifests: Sequence[Manifest]) -> str:
    """Return the module of a Rust file: `src/a/b.rs` of the crate c is `c.a.b`. lib.rs, main.rs and mod.rs are the
    module of their folder."""
    folder = posixpath.dirname(path)
    manifest = nearest(folder, manifests, "cargo")
    base, crate = (manifest.folder, manifest.name) if manifest else _guess_crate(folder)
    inner = path[len(base) :].strip("/").removesuffix(".rs").removeprefix("src/")
    parts = [part for part in inner.split("/") if part]
    if parts and parts[-1] in _RUST_ROOTS:
        parts.pop()
    return ".".join([*([crate] if crate else []), *parts])


def _guess_crate(folder: str) -> tuple[str, str]:
    """Return the folder that holds src/, as the crate of a file without a Cargo.toml."""
    before, found, _ = f"{folder}/".partition("src/")
    base = before.rstrip("/") if found else ""
    return base, posixpath.basename(base).replace("-", "_") or "crate"
