"""Walk of a working tree that finds the files for the index, and the reasons for which others are left out."""

import os
import stat
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct, field

from almanac.composition.commands.code_index import MAX_BYTES, check_path, left_out_by_path
from almanac.kernel.errors import InvalidInput
from almanac.local.code_index.git import GIT, GitUser, checkout_of, is_linked
from almanac.local.code_index.gitignore import Rules, is_ignored, rules_of

IGNORE_FILES = (".gitignore", ".almanacignore")
_MOST_DEPTH = 100
_RULES_BYTES = 1024 * 1024

Stamp = tuple[int, int, int]
"""A file's modification time in nanoseconds, its size in bytes and its inode. An edit changes at least one."""
Names = tuple[str, ...]


class FileInventory(Struct):
    """The result of a walk. `files` are keyed by their paths from the root, with slashes. `left_out` counts the other
    files by reason, and an ignored folder as one. `unreadable` are the paths of unreadable files and folders."""

    files: dict[str, Stamp] = field(default_factory=dict[str, Stamp])
    left_out: Counter[str] = field(default_factory=Counter[str])
    unreadable: list[str] = field(default_factory=list[str])

    def is_hidden(self, path: str) -> bool:
        """Return whether a file that was not found may still exist, because it or its folder could not be read."""
        return any(path == each or path.startswith(f"{each}/") or not each for each in self.unreadable)


class _Kept(Struct):
    """Cached rules of a folder, read from its pattern files at `stamps`, below the rules of the folders `above`.
    `known` has the reasons for which names in the folder are left out."""

    stamps: tuple[Stamp | None, ...]
    above: tuple[Rules, ...]
    rules: tuple[Rules, ...]
    known: dict[tuple[str, bool], str | None]


class Tree:
    """A folder that may be walked repeatedly. Pattern files are read again only when they have changed. In a checkout
    the patterns that `user` has for all repositories apply too."""

    def __init__(self, root: Path, user: GitUser | None = None) -> None:
        self.root = root
        self._user = user
        self._root = str(root)
        self._kept: dict[Names, _Kept] = {}

    def walk(self) -> FileInventory:
        """Walk the tree. Raises OSError if the root cannot be read."""
        found, seen = FileInventory(), set[Names]()
        os.scandir(self.root).close()
        self._folder((), (), found, seen)
        for missing_folder in self._kept.keys() - seen:
            del self._kept[missing_folder]
        return found

    def _folder(self, names: Names, above: tuple[Rules, ...], found: FileInventory, seen: set[Names]) -> None:
        path = "/".join(names)
        try:
            with os.scandir(os.path.join(self._root, path)) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            found.unreadable.append(path)
            found.left_out["unreadable"] += 1
            return
        present = {entry.name for entry in listed}
        if names and GIT in present and is_linked(self.root.joinpath(*names)):
            found.left_out["other_repository"] += 1
            return
        seen.add(names)
        kept = self._rules(names, above, present)
        for entry in listed:
            if entry.name != GIT:
                self._entry(entry, names, kept, found, seen)

    def _entry(
        self, entry: "os.DirEntry[str]", names: Names, kept: _Kept, found: FileInventory, seen: set[Names]
    ) -> None:
        here = (*names, entry.name)
        path = "/".join(here)
        try:
            about = entry.stat(follow_symlinks=False)
        except OSError:
            found.unreadable.append(path)
            found.left_out["unreadable"] += 1
            return
        is_folder = stat.S_ISDIR(about.st_mode)
        if reason := _by_name(here, kept, is_folder=is_folder) or _by_kind(about):
            found.left_out[reason] += 1
        elif is_folder:
            self._folder(here, kept.rules, found, seen)
        else:
            found.files[path] = (about.st_mtime_ns, about.st_size, about.st_ino)

    def _rules(self, names: Names, above: tuple[Rules, ...], present: set[str]) -> _Kept:
        files = list(self._rule_files(names, present))
        stamps = tuple(_stamp(file) for file in files)
        kept = self._kept.get(names)
        if kept is None or kept.stamps != stamps or kept.above != above:
            own = tuple(rules_of(_text(file), names) for file in files)
            kept = self._kept[names] = _Kept(stamps, above, (*above, *(each for each in own if each.patterns)), {})
        return kept

    def _rule_files(self, names: Names, present: set[str]) -> Iterator[Path]:
        """Yield the pattern files that apply to a folder, the weakest first."""
        if not names and (checkout := checkout_of(self.root)) is not None:
            if self._user is not None:
                yield self.root / checkout.global_exclude_file(self._user)
            yield checkout.exclude_file
        for name in IGNORE_FILES:
            if name in present:
                yield self.root.joinpath(*names, name)


def _by_name(here: Names, kept: _Kept, *, is_folder: bool) -> str | None:
    """Return the reason why a name is left out whatever its contents are, or None. Names that were judged before under
    the same rules of a folder come from a cache."""
    key = (here[-1], is_folder)
    if key not in kept.known:
        kept.known[key] = _reason(here, kept.rules, is_folder=is_folder)
    return kept.known[key]


def _by_kind(about: os.stat_result) -> str | None:
    if stat.S_ISLNK(about.st_mode):
        return "link"
    if not stat.S_ISREG(about.st_mode) and not stat.S_ISDIR(about.st_mode):
        return "no_file"
    return "too_large" if stat.S_ISREG(about.st_mode) and about.st_size > MAX_BYTES else None


def _reason(here: Names, rules: tuple[Rules, ...], *, is_folder: bool) -> str | None:
    if not _is_utf8(here[-1]):
        return "name_not_utf8"
    if is_ignored(rules, here, is_folder=is_folder):
        return "ignored"
    if is_folder:
        if len(here) >= _MOST_DEPTH:
            return "too_deep"
        return "vendored" if left_out_by_path("/".join((*here, "x"))) == "vendored" else None
    path = "/".join(here)
    return left_out_by_path(path) or (None if _is_usual(path) else "path_not_allowed")


def _is_usual(path: str) -> bool:
    """Return whether the server knows a file by exactly this path."""
    try:
        return check_path(path) == path
    except InvalidInput:
        return False


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _stamp(file: Path) -> Stamp | None:
    try:
        about = file.lstat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size, about.st_ino


def _text(file: Path) -> str:
    """Return the file's text, or "" if it cannot be read. Like git, this does not follow a link."""
    try:
        if not stat.S_ISREG(file.lstat().st_mode):
            return ""
        with file.open("rb") as source:
            return source.read(_RULES_BYTES).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
