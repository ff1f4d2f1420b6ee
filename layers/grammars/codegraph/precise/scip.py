"""Read a SCIP index, which says where each symbol is used. Field numbers are those of scip.proto, the schema of the
format."""

from collections.abc import Iterator

from msgspec import Struct

from codegraph.precise.symbols import Symbol, SymbolKind, parse_symbol
from codegraph.precise.wire import NotAnIndex, fields, numbers, text

LARGEST = 64 << 20
MOST_USES = 2_000_000
_INDEX_DOCUMENTS = 2
_DOCUMENT_PATH, _DOCUMENT_OCCURRENCES = 1, 2
_OCCURRENCE_RANGE, _OCCURRENCE_SYMBOL, _OCCURRENCE_ROLES = 1, 2, 3
_DEFINITION = 1
"""Bit in the roles of an occurrence that defines its symbol."""


class PreciseUse(Struct, frozen=True):
    """Use of a symbol in `path` at `line` (from 1) and `column` (from 0, in the units of the index).

    `defined_path` and `defined_line` tell where the index defines the symbol: "" and 0 for an external one.
    """

    path: str
    line: int
    column: int
    name: str
    kind: SymbolKind
    defined_path: str = ""
    defined_line: int = 0


class _Occurrence(Struct):
    path: str
    line: int
    column: int
    symbol: str
    defines: bool


def read_scip(data: bytes) -> list[PreciseUse]:
    """Return the uses of functions, types and terms in an index, in its order. Raises `NotAnIndex`."""
    if len(data) > LARGEST:
        raise NotAnIndex(f"larger than {LARGEST} bytes: index fewer folders")
    symbols: dict[str, Symbol | None] = {}
    defined: dict[str, tuple[str, int]] = {}
    used: list[_Occurrence] = []
    for occurrence in _occurrences(memoryview(data)):
        if occurrence.symbol not in symbols:
            symbols[occurrence.symbol] = parse_symbol(occurrence.symbol)
        if occurrence.defines:
            defined.setdefault(occurrence.symbol, (occurrence.path, occurrence.line))
        elif symbols[occurrence.symbol] is not None:
            used.append(occurrence)
        if len(used) > MOST_USES:
            raise NotAnIndex(f"more than {MOST_USES} uses: index fewer folders")
    return [_use(each, symbols[each.symbol], defined.get(each.symbol, ("", 0))) for each in used]


def _use(occurrence: _Occurrence, symbol: Symbol | None, defined: tuple[str, int]) -> PreciseUse:
    name, kind = symbol or Symbol(occurrence.symbol, "other")
    return PreciseUse(occurrence.path, occurrence.line, occurrence.column, name, kind, *defined)


def _occurrences(data: memoryview) -> Iterator[_Occurrence]:
    for number, value in fields(data):
        if number == _INDEX_DOCUMENTS and not isinstance(value, int):
            yield from _of_document(value)


def _of_document(data: memoryview) -> Iterator[_Occurrence]:
    path = ""
    parts: list[memoryview] = []
    for number, value in fields(data):
        if number == _DOCUMENT_PATH:
            path = text(value)
        elif number == _DOCUMENT_OCCURRENCES and not isinstance(value, int):
            parts.append(value)
    for part in parts:
        yield _occurrence(path, part)


def _occurrence(path: str, data: memoryview) -> _Occurrence:
    place: list[int] = []
    symbol, roles = "", 0
    for number, value in fields(data):
        if number == _OCCURRENCE_RANGE:
            place += numbers(value)
        elif number == _OCCURRENCE_SYMBOL:
            symbol = text(value)
        elif number == _OCCURRENCE_ROLES and isinstance(value, int):
            roles = value
    line, column = (place[0], place[1]) if len(place) >= 2 else (0, 0)
    return _Occurrence(path, line + 1, column, symbol, bool(roles & _DEFINITION))
