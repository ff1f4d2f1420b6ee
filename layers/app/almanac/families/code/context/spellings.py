"""Spellings of paths by people and agents: quoted, with a line number, or from the root of their machine."""

import re

from msgspec import Struct

from almanac.content.entities.files import file_in
from almanac.families.team.claims.key_syntax import file_key
from almanac.families.team.claims.paths import PathRules, is_absolute
from codegraph import TEXT, language_of

_PLACE = re.compile(r"(?::(\d{1,7})(?:[:-]\d{1,7})*:?|#L(\d{1,7})(?:-L?\d{1,7})?|\((\d{1,7})(?:,\d{1,7})?\))$")
_NO_PATH = re.compile(r"[*?<>|\x00-\x1f]")
_MOST_ENDS = 8


class PathText(Struct, frozen=True):
    """A path as text. `path` has forward slashes and is relative to the project's root if that is known. `line` is the
    line number in the text."""

    path: str
    line: int | None = None

    @property
    def is_absolute(self) -> bool:
        return is_absolute(self.path)

    @property
    def ends(self) -> tuple[str, ...]:
        """The path without its first folders, longest first. An absolute path may be any of these in a repository."""
        parts = [part for part in self.path.split("/") if part]
        return tuple("/".join(parts[at:]) for at in range(1 if parts else 0, len(parts)))[-_MOST_ENDS:]

    def folder_before(self, end: str) -> str:
        """Return the name of the folder directly above an end of the path."""
        return self.path[: -len(end)].rstrip("/").rpartition("/")[2].casefold()


def path_text(text: str, root: str | None) -> PathText:
    """Parse a path with an optional line number: `src/auth.py:12`, `src/auth.py#L12`, `C:\\web\\auth.py(12,3)`."""
    bare = text.strip().strip("`'\"").removeprefix("file:").strip()
    found = _PLACE.search(bare)
    if found is None or not bare[: found.start()].strip("/\\"):
        return PathText(_normal(bare, root))
    line = next(int(each) for each in found.groups() if each)
    return PathText(_normal(bare[: found.start()], root), line)


def is_path(path: str) -> bool:
    """Return whether a text is certainly meant as a path, even if no such file exists. Its folders, name or extension
    decide."""
    if _NO_PATH.search(path) or not path.strip("/.") or "::" in path:
        return False
    known = language_of(path) != TEXT or file_in(path) is not None
    return known or ("/" in path.strip("/") and not any(each.isspace() for each in path))


def folder_name_of(repo_id: str) -> str:
    """Return the usual folder name of a repository."""
    return re.split(r"[/:]", repo_id.partition("@")[0])[-1].casefold()


def _normal(path: str, root: str | None) -> str:
    return file_key(re.sub(r"^/{2,}", "/", path.replace("\\", "/")), PathRules(root)).name
