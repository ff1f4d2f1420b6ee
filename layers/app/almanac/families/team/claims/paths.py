"""Paths as a project spells them: one spelling for each file, whoever names it from wherever."""

import re
import unicodedata

from msgspec import Struct

from almanac.kernel.errors import InvalidInput

_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")
_MAGIC = re.compile(r"[*?\[{]")


class PathRules(Struct, frozen=True):
    """`root` is the absolute path of the project's folder, as `read_root` answers it: what lies in it is named by its
    path from there. `ignore_case`: names that differ in capitals only are one file."""

    root: str | None = None
    ignore_case: bool = False


def read_root(text: str, *, ignore_case: bool) -> str:
    """Raises InvalidInput for what is not the absolute path of a folder."""
    spelled = unicodedata.normalize("NFC", text.strip())
    root = _folded(spelled, ignore_case=ignore_case)
    if not is_absolute(root) or _MAGIC.search(root):
        raise InvalidInput(
            f'"{text[:80]}" is not the absolute path of a folder.',
            "Write it like /home/ann/project or C:\\work\\project.",
            path="root",
        )
    return normal(root)


def is_absolute(path: str) -> bool:
    """With slashes forward."""
    return _ABSOLUTE.match(path) is not None


def within_root(path: str, rules: PathRules) -> str:
    """The path with slashes forward, and from the root on where it lies there."""
    path = _folded(path, ignore_case=rules.ignore_case)
    if rules.root is None:
        return path
    if not is_absolute(path):
        return _climbed(path, rules.root)
    folder = rules.root.rstrip("/")
    spelled = _collapsed(path)
    if spelled.rstrip("/") == folder:
        return "."
    return spelled[len(folder) + 1 :] if spelled.startswith(folder + "/") else path


def normal(path: str, *, any_name: bool = False) -> str:
    """The path without what does not change its meaning, a `/` at its end included. What is a folder by wildcards, and
    the folder that everything lies in, becomes the glob of its inside. `any_name`: nothing in it is a wildcard.

    Raises InvalidInput for a `..` that a wildcard comes before.
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


def _folded(path: str, *, ignore_case: bool) -> str:
    path = path.replace("\\", "/")
    if ignore_case:
        return unicodedata.normalize("NFC", path.casefold())
    drive = re.match(r"[a-z]:/", path)
    return path[0].upper() + path[1:] if drive else path


def _climbed(path: str, root: str) -> str:
    """A path that leads out of the root is told from the top."""
    stripped = path
    while stripped.startswith("./"):
        stripped = stripped[2:].lstrip("/")
    if stripped != ".." and not stripped.startswith("../"):
        return path
    return within_root(f"{root}/{stripped}", PathRules(root))


def _collapsed(path: str) -> str:
    """An absolute path without `//`, `.` and `..` up to its first wildcard."""
    magic = _MAGIC.search(path)
    cut = path.rfind("/", 0, magic.start()) + 1 if magic else len(path)
    fixed, rest = path[:cut], path[cut:]
    whole = normal(fixed, any_name=True) if fixed.strip("/") else "/"
    if not rest:
        return whole
    return whole.rstrip("/") + "/" + rest
