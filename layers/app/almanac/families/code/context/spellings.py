"""Paths as people and agents write them: quoted, with a line, from the root of their machine."""

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
    """`path` has slashes forward and begins at the root of the project, where that is known; `line` as it was said."""

    path: str
    line: int | None = None

    @property
    def is_absolute(self) -> bool:
        return is_absolute(self.path)

    @property
    def ends(self) -> tuple[str, ...]:
        """The path without its first folders, the longest first: what an absolute path may be in a repository."""
        parts = [part for part in self.path.split("/") if part]
        return tuple("/".join(parts[at:]) for at in range(1 if parts else 0, len(parts)))[-_MOST_ENDS:]

    def folder_before(self, end: str) -> str:
        """The name of the folder that an end lies in."""
        return self.path[: -len(end)].rstrip("/").rpartition("/")[2].casefold()


def path_text(text: str, root: str | None) -> PathText:
    """Read a path that may carry a line: `src/auth.py:12`, `src/auth.py#L12`, `C:\\web\\auth.py(12,3)`."""
    bare = text.strip().strip("`'\"").removeprefix("file:").strip()
    found = _PLACE.search(bare)
    if found is None or not bare[: found.start()].strip("/\\"):
        return PathText(_normal(bare, root))
    line = next(int(each) for each in found.groups() if each)
    return PathText(_normal(bare[: found.start()], root), line)


def is_path(path: str) -> bool:
    """Tell whether a text is meant as a path for certain, also where nothing has it: by its folders, name or ending."""
    if _NO_PATH.search(path) or not path.strip("/.") or "::" in path:
        return False
    known = language_of(path) != TEXT or file_in(path) is not None
    return known or ("/" in path.strip("/") and not any(each.isspace() for each in path))


def folder_named(repo_id: str) -> str:
    """The name of the folder that a repository is mostly in."""
    return re.split(r"[/:]", repo_id.partition("@")[0])[-1].casefold()


def _normal(path: str, root: str | None) -> str:
    return file_key(re.sub(r"^/{2,}", "/", path.replace("\\", "/")), PathRules(root)).name
