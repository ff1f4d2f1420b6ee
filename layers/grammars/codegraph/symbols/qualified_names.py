"""Nest definitions in one another, which gives qualified names, and kinds that depend on the outer definition."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from codegraph.symbols.finder import DefinitionNode
from codegraph.symbols.outlines import Kind

MAX_DEPTH = 32
QUALIFIED_CHARACTERS = 500
_HOLDERS = frozenset({"class", "interface", "enum", "type", None})
_AS_MEMBERS: Final[Mapping[Kind, Kind]] = {"function": "method", "variable": "field"}
_FUNCTIONS = frozenset({"function", "method"})


class PlacedDefinition(Struct, frozen=True):
    """Definition in its place. `above` is the one that contains it, None at the top."""

    found: DefinitionNode
    kind: Kind | None
    qualified: str
    parent: str
    above: "PlacedDefinition | None"


def place_definitions(found: Iterable[DefinitionNode]) -> Iterator[PlacedDefinition | None]:
    """Yield definitions in the order of their places, outer ones first, and None for each that is nested too deeply.
    Local ones are dropped silently. Names that one statement declares are siblings, though each has the range of the
    statement."""
    open_now: list[PlacedDefinition] = []
    for one in sorted(found, key=lambda each: (each.start, -each.end)):
        while open_now and open_now[-1].found.end < one.end:
            open_now.pop()
        beside = bool(open_now) and _range(open_now[-1].found) == _range(one)
        above = open_now[-1] if open_now else None
        if beside and above is not None:
            above = above.above
        if above is not None and above.kind in _FUNCTIONS and one.declares:
            continue
        if len(open_now) - beside >= MAX_DEPTH:
            yield None
            continue
        place = _place(one, above)
        if not beside:
            open_now.append(place)
        yield place


def _range(found: DefinitionNode) -> tuple[int, int]:
    return found.start, found.end


def _place(one: DefinitionNode, above: PlacedDefinition | None) -> PlacedDefinition:
    outer = [above.qualified] if above is not None and above.qualified else []
    parent = ".".join([*outer, *one.owner])
    kind = one.kind
    if kind in _AS_MEMBERS and (one.owner or (above is not None and above.kind in _HOLDERS)):
        kind = _AS_MEMBERS[kind]
    qualified = f"{parent}.{one.name}" if parent else one.name
    return PlacedDefinition(one, kind, qualified[:QUALIFIED_CHARACTERS], parent[:QUALIFIED_CHARACTERS], above)
