"""Comparison of file paths as memories and calls write them, absolute or relative."""

from functools import lru_cache
from posixpath import dirname, isabs, normpath

from almanac.content import clean
from almanac.families.team.claims.key_syntax import ClaimKey, file_key, parse_given_key
from almanac.families.team.globs.overlap import Allowance, Literal, Matcher
from almanac.families.team.globs.syntax import has_wildcards, parse_steps
from almanac.kernel.errors import InvalidInput

_SHORT = 300
"""Maximum length of cached paths."""
_STEPS = 400_000
"""Budget of comparisons with a glob per call, some tens of milliseconds."""


def file_path(text: str | None, place: str | None) -> str | None:
    """Return the normal form of a path, relative to `place` if it lies inside; None if it is empty."""
    return None if text is None else (_path if len(text) <= _SHORT else _path.__wrapped__)(text, place)


@lru_cache(maxsize=1024)
def _path(text: str, place: str | None) -> str | None:
    """Normalise a path. Results are cached, because each call compares the same hundred files."""
    if not (said := clean(text).text.strip()):
        return None
    path = normpath(said.removeprefix("file://").replace("\\", "/"))
    if path[1:2] == ":":
        path = path[0].lower() + path[1:]
    inside = path.removeprefix(f"{place}/") if place else path
    return None if inside == "." else inside


def is_same_file(one: str, other: str) -> bool:
    """Return whether two normal paths are the same file: equal, or one ends with the other, with at least one
    folder."""
    if one == other:
        return True
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return not isabs(shorter) and "/" in shorter and longer.endswith(f"/{shorter}")


class FileFilter:
    """The files that a path selects, for one call: the file itself and its siblings in the folder, or the matches of a
    glob."""

    def __init__(self, text: str, place: str | None) -> None:
        """Parse the path or glob. Raises InvalidInput for a malformed glob."""
        self._place = place
        self._path = file_path(text, place) or "."
        self._glob = _glob(self._path) if has_wildcards(parse_steps(self._path[:1024])) else None
        self._matcher = Matcher(self._glob.pattern) if self._glob is not None else None
        self._allowance = Allowance(_STEPS)

    def means(self, path: str) -> bool:
        """Return whether the filter selects the path. Also false once the budget of this call is used up."""
        found = file_path(path, self._place)
        if found is None:
            return False
        if self._glob is None or self._matcher is None:
            return is_same_file(found, self._path) or _is_beside(found, self._path)
        file = file_key(found)
        if file.space != self._glob.space or not isinstance(file.pattern, Literal):
            return False
        return self._matcher.matches(file.pattern, self._allowance) and not self._allowance.is_spent


def _is_beside(one: str, other: str) -> bool:
    folder, its = dirname(one), dirname(other)
    return folder == its or (bool(folder) and bool(its) and is_same_file(folder, its))


def _glob(path: str) -> ClaimKey:
    try:
        return parse_given_key(f"file:{path}")
    except InvalidInput as unreadable:
        raise InvalidInput(unreadable.message, "Write it like src/**/*.ts or src/auth.ts.", path="filePath") from None
