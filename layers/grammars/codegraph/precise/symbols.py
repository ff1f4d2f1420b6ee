"""Convert symbols of SCIP, such as `scip-python python app 1 pkg/Class#method().`, to dotted names."""

from typing import Literal, NamedTuple

SymbolKind = Literal["function", "type", "term", "other"]

LONGEST = 2000
_KINDS: dict[str, SymbolKind] = {"#": "type", ".": "term", "/": "other", ":": "other", "!": "function"}
_PACKAGE_PARTS = 4
"""Number of parts: scheme, package manager, name and version."""


class Symbol(NamedTuple):
    name: str
    """`pkg.Class.method`."""
    kind: SymbolKind


def parse_symbol(symbol: str) -> Symbol | None:
    """Return the dotted name of a global symbol, or None for a local or malformed one."""
    if symbol.startswith("local ") or len(symbol) > LONGEST:
        return None
    place = 0
    for _ in range(_PACKAGE_PARTS):
        place = _after_space(symbol, place)
        if place < 0:
            return None
    names: list[str] = []
    kind: SymbolKind = "other"
    while place < len(symbol):
        part, kind, place = _descriptor(symbol, place)
        if place < 0:
            return None
        if part and not (kind == "other" and part == "__init__"):
            names.append(part)
    return Symbol(".".join(names), kind) if names else None


def _after_space(symbol: str, place: int) -> int:
    """Return the place after the next single space. Two spaces stand for one in the text."""
    while True:
        found = symbol.find(" ", place)
        if found < 0:
            return -1
        if symbol[found + 1 : found + 2] != " ":
            return found + 1
        place = found + 2


def _descriptor(symbol: str, place: int) -> tuple[str, SymbolKind, int]:
    """Return a descriptor, its kind, and the place after it, which is -1 if there is no descriptor."""
    first = symbol[place]
    if first in "([":
        end = symbol.find(")" if first == "(" else "]", place)
        return "", "other", end + 1 if end >= 0 else -1
    name, place = _identifier(symbol, place)
    if place < 0 or place >= len(symbol):
        return "", "other", -1
    suffix = symbol[place]
    if suffix == "(":
        end = symbol.find(").", place)
        return name, "function", end + 2 if end >= 0 else -1
    if suffix not in _KINDS:
        return "", "other", -1
    return name, _KINDS[suffix], place + 1


def _identifier(symbol: str, place: int) -> tuple[str, int]:
    if symbol[place] != "`":
        end = place
        while end < len(symbol) and (symbol[end].isalnum() or symbol[end] in "_+-$<>"):
            end += 1
        return symbol[place:end], end if end > place else -1
    end = place + 1
    while True:
        end = symbol.find("`", end)
        if end < 0:
            return "", -1
        if symbol[end + 1 : end + 2] != "`":
            return symbol[place + 1 : end].replace("``", "`"), end + 1
        end += 2
