"""Normalised paths: one spelling for each file of a project, whichever agent names it from whichever folder."""

import re
import unicodedata

from msgspec import Struct

from almanac.kernel.errors import InvalidInput

_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")
_MAGIC = re.compile(r"[*?\[{]")


class PathRules(Struct, frozen=True):
    """Rules for normalising paths. `root` is the project's absolute folder as `read_root` returns it; paths inside it
    become relative to it. With `ignore_case`, names that differ only in capitals are one file."""

    root: str | None = None
    ignore_case: bool = False


def read_root(text: str, *, ignore_case: bool) -> str:
    """Normalise the root of a project. Raises InvalidInput if it is not the absolute path of a folder."""
    spelled = unicodedata.normalize("NFC", text.strip())
    root = _fold_spelling(spelled, ignore_case=ignore_case)
    if not is_absolute(root) or _MAGIC.search(root):
        raise InvalidInput(
            f'"{text[:80]}" is not the absolute path of a folder.',
            "Write it like /home/ann/project or C:\\work\\project.",
            path="root",
        )
    return normalize(root)


def is_absolute(path: str) -> bool:
    """Return whether a path with forward slashes is absolute."""
    return _ABSOLUTE.match(path) is not None


def within_root(path: str, rules: PathRules) -> str:
    """Return the path with forward slashes, relative to the root if it lies inside it."""
    path = _fold_spelling(path, ignore_case=rules.ignore_case)
    if rules.root is None:
        return path
    if not is_absolute(path):
        return _resolve_outside_root(path, rules.root)
    folder = rules.root.rstrip("/")
    spelled = _collapse(path)
    if spelled.rstrip("/") == folder:
        return "."
    return spelled[len(folder) + 1 :] if spelled.startswith(folder + "/") else path


def normalize(path: str, *, any_name: bool = False) -> str:
    """Return the path without parts that do not change its meaning, such as a trailing `/`.

    A folder given by wildcards, and the outermost folder, become the glob of their contents. With `any_name` no
    character is a wildcard. Raises InvalidInput for a `..` after a wildcard.
    """
    parts: list[str] = []
    has_magic = False
    for part in path.split("/"):
        if part == ".." and has_magic:
            raise InvalidInput(f'"{path[:80]}" has .. after a wildcard.', "Write the path without ..", path="key")
        if part == ".." and (is_absolute(path) or (parts and parts[-1] != "..")):
            parts = parts[:-1] if len(parts) > _drive_parts(path) else parts
        elif part not in {"", "."}:
            parts.append(part)
            has_magic = has_magic or (not any_name and _MAGIC.search(part) is not None)
    ends_as_folder = path.endswith(("/", "/."))
    if not any_name and (len(parts) <= _drive_parts(path) or (ends_as_folder and has_magic)):
        parts.append("**")
    return "/" * path.startswith("/") + "/".join(parts)


def _drive_parts(path: str) -> int:
    return int(not path.startswith("/") and is_absolute(path))


def _fold_spelling(path: str, *, ignore_case: bool) -> str:
    path = path.replace("\\", "/")
    if ignore_case:
        return unicodedata.normalize("NFC", path.casefold())
    drive = re.match(r"[a-z]:/", path)
    return path[0].upper() + path[1:] if drive else path


def _resolve_outside_root(path: str, root: str) -> str:
    """Make a relative path that leads out of the root absolute."""
    stripped = path
    while stripped.startswith("./"):
        stripped = stripped[2:].lstrip("/")
    if stripped != ".." and not stripped.startswith("../"):
        return path
    return within_root(f"{root}/{stripped}", PathRules(root))


def _collapse(path: str) -> str:
    """Resolve `//`, `.` and `..` in an absolute path, up to its first wildcard."""
    magic = _MAGIC.search(path)
    cut = path.rfind("/", 0, magic.start()) + 1 if magic else len(path)
    fixed, rest = path[:cut], path[cut:]
    whole = normalize(fixed, any_name=True) if fixed.strip("/") else "/"
    if not rest:
        return whole
    return whole.rstrip("/") + "/" + rest
