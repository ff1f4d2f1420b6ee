"""Patterns of .gitignore with git's rules: https://git-scm.com/docs/gitignore, and wildmatch.c for its gaps.

A pattern is matched name by name, and each name in linear time, whatever the file contains.
"""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from msgspec import Struct

_ANY_FOLDERS = "**"
_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "!-\\/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_ATOM = re.compile(r"(\*+)|(\?)|(\[)|\\(.)|([^*?\[\\])", re.DOTALL)
_Name = re.Pattern[str] | None


class Pattern(Struct, frozen=True):
    """One pattern. `names` are matched with the names of a path one by one, and None stands for any number of folders.
    A floating pattern is matched with the last name only. `keeps` means that a matching path is not ignored."""

    names: tuple[_Name, ...]
    keeps: bool
    only_folders: bool
    is_floating: bool

    def matches(self, parts: Sequence[str], *, is_folder: bool) -> bool:
        """Return whether the pattern matches. `parts` are the names of a path relative to the pattern's folder."""
        if self.only_folders and not is_folder:
            return False
        if self.is_floating:
            return self.names[0] is not None and self.names[0].fullmatch(parts[-1]) is not None
        return _leads(self.names, parts)


class Rules(Struct, frozen=True):
    """The patterns of one file. `folder` is the path, as names from the root, to which they are relative."""

    folder: tuple[str, ...]
    patterns: tuple[Pattern, ...]

    def decision(self, parts: Sequence[str], *, is_folder: bool) -> bool | None:
        """Return whether a path below the root is ignored, by the last pattern that matches; None if no pattern
        matches."""
        below = parts[len(self.folder) :]
        if not below:
            return None
        for pattern in reversed(self.patterns):
            if pattern.matches(below, is_folder=is_folder):
                return not pattern.keeps
        return None


def is_ignored(rules: Sequence[Rules], parts: Sequence[str], *, is_folder: bool) -> bool:
    """Return whether a path is ignored by the rules of its folders, the nearest last.

    The caller must know that no folder above it is ignored, because nothing below an ignored folder can be kept."""
    for each in reversed(rules):
        decided = each.decision(parts, is_folder=is_folder)
        if decided is not None:
            return decided
    return False


def rules_of(text: str, folder: Iterable[str] = ()) -> Rules:
    """Return the rules in the text of a .gitignore."""
    patterns = (pattern_of(line.removesuffix("\r")) for line in text.removeprefix("\ufeff").split("\n"))
    return Rules(tuple(folder), tuple(pattern for pattern in patterns if pattern is not None))


def pattern_of(line: str) -> Pattern | None:
    """Return the pattern of a line, or None for an empty line, a comment or an invalid pattern."""
    text = _without_blanks(line)
    if not text or text.startswith("#"):
        return None
    keeps = text.startswith("!")
    text = text[keeps:]
    only_folders = text.endswith("/")
    text = text[: len(text) - only_folders]
    try:
        names = _names(text.removeprefix("/"))
        is_floating = "/" not in text
        read = tuple(None if name == _ANY_FOLDERS and not is_floating else _name(name) for name in names)
    except ValueError:
        return None
    if "" in names:
        return None
    # A pattern that ends in two stars matches everything inside the folder, but not the folder itself.
    ended = (*read, _name("*")) if read[-1] is None else read
    return Pattern(ended, keeps, only_folders, is_floating)


def _without_blanks(line: str) -> str:
    """Return the line without trailing blanks, except blanks that follow a backslash."""
    end = len(line.rstrip(" "))
    backslashes = end - len(line[:end].rstrip("\\"))
    return line[: end + (backslashes % 2 if end < len(line) else 0)]


def _names(text: str) -> list[str]:
    """Split a pattern at its slashes, except those inside a class. Raises ValueError for a class without end."""
    names, place = [""], 0
    while place < len(text):
        begin = place
        if text[place] == "[":
            _, place = _class(text, place + 1)
        else:
            place += 2 if text[place] == "\\" and text[place + 1 : place + 2] != "/" else 1
        if text[begin] == "/":
            names.append("")
        elif text[begin:place] != "\\" or place >= len(text):
            names[-1] += text[begin:place]
    return names


def _leads(names: Sequence[_Name], parts: Sequence[str]) -> bool:
    """Return whether the names match. Where any number of folders may be, the first fit is as good as any other."""
    at = place = 0
    again: tuple[int, int] | None = None
    while place < len(parts):
        name = names[at] if at < len(names) else None
        if at < len(names) and name is None:
            again = (at, place)
            at += 1
        elif name is not None and name.fullmatch(parts[place]):
            at, place = at + 1, place + 1
        elif again is not None:
            at, place = again[0] + 1, again[1] + 1
            again = (again[0], place)
        else:
            return False
    return at == len(names)


@lru_cache(maxsize=4096)
def _name(glob: str) -> re.Pattern[str]:
    """Return a regular expression for one name of a path. Raises ValueError for an unfinished class or escape."""
    runs: list[str] = [""]
    place = 0
    while place < len(glob):
        atom = _ATOM.match(glob, place)
        if atom is None:
            raise ValueError(glob)
        stars, question, bracket, escaped, plain = atom.groups()
        place = atom.end()
        if stars:
            runs.append("")
        elif bracket:
            expression, place = _class(glob, place)
            runs[-1] += expression
        else:
            runs[-1] += "." if question else re.escape(escaped or plain)
    first, *rest = runs
    if not rest:
        return re.compile(first, re.DOTALL)
    # Each run between two stars is matched at its first fit. Later fits never help, so they are never tried.
    middle = "".join(f"(?>.*?{run})" for run in rest[:-1] if run)
    return re.compile(f"{first}{middle}.*{rest[-1]}", re.DOTALL)


def _class(glob: str, place: int) -> tuple[str, int]:
    """Return the expression of the class that begins before `place`, and the position of its end."""
    negated = glob[place : place + 1] in ("!", "^")
    place += negated
    ranges: list[str] = []
    first, low = place, ""
    while place < len(glob) and (glob[place] != "]" or place == first):
        if glob.startswith("[:", place) and (end := glob.find(":]", place)) > 0:
            name, place, low = glob[place + 2 : end], end + 2, ""
            if name not in _CLASSES:
                raise ValueError(glob)
            ranges.append(_CLASSES[name])
            continue
        if low and glob[place] == "-" and glob[place + 1 : place + 2] not in ("", "]"):
            high, place = _character(glob, place + 1)
            if low <= high:
                ranges.append(f"{re.escape(low)}-{re.escape(high)}")
            low = ""
            continue
        low, place = _character(glob, place)
        ranges.append(re.escape(low))
    if place >= len(glob):
        raise ValueError(glob)
    inside = "".join(ranges)
    if not inside:
        return ("." if negated else "(?!)"), place + 1
    return f"[{'^' if negated else ''}{inside}]", place + 1


def _character(glob: str, place: int) -> tuple[str, int]:
    if glob[place] != "\\":
        return glob[place], place + 1
    if place + 1 >= len(glob):
        raise ValueError(glob)
    return glob[place + 1], place + 2
