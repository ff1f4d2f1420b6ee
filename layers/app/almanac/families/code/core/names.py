"""Names of symbols as people write them, split into parts and compared with or without regard to case."""

import re

MAX_NAME = 200

_JOINTS = re.compile(r"::|->|\?\.|[.#/\\:]")
_OF_FOLDERS = frozenset({"__init__.py", "__init__.pyi", "index.ts", "index.tsx", "index.js", "mod.rs"})
"""Files that represent the folder that they are in."""
_PART = r"[@#~$]{0,2}[^\W\d][\w$]*[!?]?"
_IDENTIFIER = re.compile(rf"(?:::|\.|\\)?{_PART}(?:(?:::|->|\?\.|[.#/\\:]){_PART})*(?:\(\))?")


def identifier_in(query: str) -> str | None:
    """Return the name if the whole query is one, such as `Class.method`, `snake_case`, `a::b` or `#priv`, else None."""
    bare = query.strip().strip("`'\"")
    if len(bare) > MAX_NAME or not _IDENTIFIER.fullmatch(bare):
        return None
    return bare.removesuffix("()")


def parts_of_name(name: str) -> tuple[str, ...]:
    """Return `("a", "b")` for `a.b`, `a::b`, `a#b` and the like. Markers as in `#priv` and `@decorated` are dropped."""
    parts = (part.strip().lstrip("@~") for part in _JOINTS.split(name))
    return tuple(part for part in parts if part)


def last_name(symbol: str) -> str:
    """Return the last part of a symbol without regard to case, by which search looks up definitions."""
    parts = parts_of_name(symbol)
    return parts[-1].casefold()[:MAX_NAME] if parts else ""


def is_end_of(name: tuple[str, ...], symbol: tuple[str, ...]) -> bool:
    """Return whether `name` is the symbol's name, with or without its outer scopes."""
    return bool(name) and symbol[-len(name) :] == name


def fold_parts(parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.casefold() for part in parts)


def is_name_of(name: tuple[str, ...], symbol: tuple[str, ...], path: str) -> bool:
    """Return whether `name` means the symbol. A longer name continues into the folders and modules of its file:
    `pkg.mod.Class.method`."""
    if len(name) <= len(symbol):
        return is_end_of(name, symbol)
    return bool(symbol) and is_end_of(name, (*_modules_of(path), *symbol))


def _modules_of(path: str) -> tuple[str, ...]:
    folders, _, file = path.rpartition("/")
    stem = file.partition(".")[0]
    return (*folders.split("/"), *(() if file in _OF_FOLDERS else (stem,)))
