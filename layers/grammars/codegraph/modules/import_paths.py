"""Resolve imports, as written, to files of a set."""

import posixpath
from collections.abc import Iterable, Iterator, Sequence

from codegraph.modules.manifests import Manifest
from codegraph.modules.names import SCRIPTS, nearest

_SCRIPT_FILES = ("", ".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
_SCRIPT_INDEX = tuple(f"/index{end}" for end in _SCRIPT_FILES[1:])
_WRITTEN_ENDS = {".js": (".ts", ".tsx", ".d.ts"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
MOST_FILES = 200


class ImportPaths:
    """Finds the files of an import. An import that no rule of its language resolves is outside the set."""

    def __init__(self, paths: Iterable[str], manifests: Sequence[Manifest]) -> None:
        self._manifests = manifests
        self._paths = frozenset(paths)
        self._folders: dict[str, list[str]] = {}
        self._by_name: dict[str, list[str]] = {}
        for path in sorted(self._paths):
            folder, _, name = path.rpartition("/")
            self._folders.setdefault(folder, []).append(path)
            self._by_name.setdefault(name, []).append(path)

    def find(self, language: str, path: str, module: str) -> tuple[str, ...]:
        """Return the files that `module`, as written in the file `path`, means. There are several for a Go package, or
        if several include folders have such a file. None means outside the set."""
        if language in SCRIPTS:
            return self._script(path, module)
        if language == "go":
            return self._go(module)
        if language == "ruby":
            return self._ruby(path, module)
        if language in ("c", "cpp"):
            return self._include(path, module)
        return ()

    def _first(self, candidates: Iterable[str]) -> tuple[str, ...]:
        return next(((each,) for each in candidates if each in self._paths), ())

    def _script(self, path: str, module: str) -> tuple[str, ...]:
        folder = posixpath.dirname(path)
        if module.startswith("."):
            return self._first(script_files(join_path(folder, module)))
        for target in (*self._paths_of_tsconfig(folder, module), *self._in_monorepo(module)):
            found = self._first(script_files(target))
            if found:
                return found
        return ()

    def _paths_of_tsconfig(self, folder: str, module: str) -> Iterator[str]:
        """Yield the paths to which `paths` of the nearest tsconfig map a module."""
        manifest = nearest(folder, self._manifests, "tsconfig")
        for pattern, target in manifest.targets if manifest else ():
            middle = match_pattern(pattern, module)
            if middle is not None and manifest:
                yield join_path(manifest.folder, target.replace("*", middle))

    def _in_monorepo(self, module: str) -> Iterator[str]:
        """Yield the files of a package of the set by its name, or of a path in it by its exports."""
        for manifest in self._manifests:
            if manifest.kind != "npm" or not (module == manifest.name or module.startswith(f"{manifest.name}/")):
                continue
            inner = f".{module[len(manifest.name) :]}"
            for pattern, target in manifest.targets:
                middle = match_pattern(pattern, inner)
                if middle is not None:
                    yield from build_sources(join_path(manifest.folder, target.replace("*", middle)))
            yield join_path(manifest.folder, inner)
            yield join_path(manifest.folder, f"src/{inner}")

    def _go(self, module: str) -> tuple[str, ...]:
        for manifest in self._manifests:
            if manifest.kind == "go" and (module == manifest.name or module.startswith(f"{manifest.name}/")):
                folder = join_path(manifest.folder, module[len(manifest.name) :].strip("/"))
                return self._go_files(folder)
        parts = module.split("/")
        tails = ("/".join(parts[at:]) for at in range(len(parts)))
        return next((found for tail in tails if (found := self._go_files(tail))), ()) if "." in parts[0] else ()

    def _go_files(self, folder: str) -> tuple[str, ...]:
        files = [each for each in self._folders.get(folder, ()) if each.endswith(".go")]
        return tuple(each for each in files if not each.endswith("_test.go"))[:MOST_FILES]

    def _ruby(self, path: str, module: str) -> tuple[str, ...]:
        file = module if module.endswith(".rb") else f"{module}.rb"
        if module.startswith("."):
            return self._first((join_path(posixpath.dirname(path), file),))
        direct = self._first((file, f"lib/{file}", f"app/{file}"))
        return direct or self._files_ending_with(file)

    def _include(self, path: str, module: str) -> tuple[str, ...]:
        file = module.removeprefix("./")
        beside = self._first((join_path(posixpath.dirname(path), file),)) if module.startswith("./") else ()
        return beside or self._first((file, f"include/{file}", f"src/{file}")) or self._files_ending_with(file)

    def _files_ending_with(self, file: str) -> tuple[str, ...]:
        """Return files of any folder whose paths end with this one."""
        named = self._by_name.get(posixpath.basename(file), ())
        return tuple(each for each in named if each == file or each.endswith(f"/{file}"))[:MOST_FILES]


def join_path(folder: str, path: str) -> str:
    """Return a path relative to a folder as a path from the root. The result is empty if it is the root or leads out of
    it."""
    found = posixpath.normpath(posixpath.join(folder, path))
    return "" if found == "." or found.startswith("..") else found.lstrip("/")


def script_files(path: str) -> Iterator[str]:
    """Yield the files that a path with a missing or different extension may mean, in the order of the language."""
    stem, end = posixpath.splitext(path)
    yield from (f"{path}{each}" for each in _SCRIPT_FILES)
    yield from (f"{stem}{each}" for each in _WRITTEN_ENDS.get(end, ()))
    yield from (f"{path}{each}".lstrip("/") for each in _SCRIPT_INDEX)


def build_sources(path: str) -> Iterator[str]:
    """Yield a path from package.json, and the sources it may be built from."""
    yield path
    for folder in ("dist/", "lib/", "build/"):
        if folder in path:
            before, _, after = path.partition(folder)
            stem = after.removesuffix(".d.ts").rpartition(".")[0] or after
            yield f"{before}src/{stem}"


def match_pattern(pattern: str, name: str) -> str | None:
    """Return the text that the `*` of a pattern stands for in `name`, or None if the name does not match."""
    before, star, after = pattern.partition("*")
    if not star:
        return "" if pattern == name else None
    if name.startswith(before) and name.endswith(after) and len(name) >= len(before) + len(after):
        return name[len(before) : len(name) - len(after)]
    return None
