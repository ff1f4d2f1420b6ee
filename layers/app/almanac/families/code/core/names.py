"""Names of symbols as people write them: in parts, compared with or without regard to case."""

import re

MAX_NAME = 200

_JOINTS = re.compile(r"::|->|\?\.|[.#/\\:]")
_OF_FOLDERS = frozenset({"__init__.py", "__init__.pyi", "index.ts", "index.tsx", "index.js", "mod.rs"})
"""Files that stand for the folder that they are in."""
_PART = r"[@#~$]{0,2}[^\W\d][\w$]*[!?]?"
_IDENTIFIER = re.compile(rf"(?:::|\.|\\)?{_PART}(?:(?:::|->|\?\.|[.#/\\:]){_PART})*(?:\(\))?")


def identifier_in(query: str) -> str | None:
    """The name that a query consists of, such as `Class.method`, `snake_case`, `a::b` or `#priv`; None where it says
    anything else."""
    bare = query.strip().strip("`'\"")
    if len(bare) > MAX_NAME or not _IDENTIFIER.fullmatch(bare):
        return None
    return bare.removesuffix("()")


def parts_of_name(name: str) -> tuple[str, ...]:
    """`("a", "b")` of `a.b`, `a::b`, `a#b` and the like. What marks a name, as in `#priv` and `@decorated`, is no part
    of it."""
    parts = (part.strip().lstrip("@~") for part in _JOINTS.split(name))
    return tuple(part for part in parts if part)


def last_name(symbol: str) -> str:
    """The last part of a symbol without regard to case: what search looks definitions up by."""
    parts = parts_of_name(symbol)
    return parts[-1].casefold()[:MAX_NAME] if parts else ""


def is_end_of(name: tuple[str, ...], symbol: tuple[str, ...]) -> bool:
    """Return whether `name` is the symbol's name, with or without its outer scopes."""
    return bool(name) and symbol[-len(name) :] == name


def folded(parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.casefold() for part in parts)


def is_called(name: tuple[str, ...], symbol: tuple[str, ...], path: str) -> bool:
    """Return whether `name` means the symbol, where a longer name continues into the folders and modules of its file:
    `pkg.mod.Class.method`."""
    if len(name) <= len(symbol):
        return is_end_of(name, symbol)
    return bool(symbol) and is_end_of(name, (*_modules_of(path), *symbol))


def _modules_of(path: str) -> tuple[str, ...]:
    folders, _, file = path.rpartition("/")
    stem = file.partition(".")[0]
    return (*folders.split("/"), *(() if file in _OF_FOLDERS else (stem,)))
