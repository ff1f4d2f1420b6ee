"""The router: in which layer a memory belongs, why, and how sure that is."""

from collections.abc import Sequence

from msgspec import Struct

from almanac.families.context.core.types import Layer

TAGGED: tuple[tuple[Layer, tuple[str, ...]], ...] = (
    (1, ("temp", "temporary")),
    (3, ("global", "universal")),
    (2, ("project", "local")),
)
"""Tags that name a layer. If several match, the first here decides."""

_OF_TYPE: dict[str, tuple[Layer, float]] = {
    "scratchpad": (1, 0.95),
    "code_pattern": (3, 0.9),
    "convention": (3, 0.9),
    "relationship": (3, 0.85),
    "decision": (2, 0.85),
    "bug_fix": (2, 0.85),
}
_DEFAULT: tuple[Layer, float] = (2, 0.6)


class Route(Struct, frozen=True):
    """A chosen layer, the `reason` in plain words, and the `confidence` from 0 to 1."""

    layer: Layer
    reason: str
    confidence: float


def route(*, type_: str, tags: Sequence[str], layer: Layer | None, has_ttl: bool, pinned: bool, shares: bool) -> Route:
    """Choose a layer. An explicit `layer` wins, then tags, then a ttl, then the type. Pinned memories never go to layer
    1. If the project does not share, layer 2 replaces layer 3."""
    if layer is not None:
        return Route(layer, f"layer {layer} was asked for", 1.0)
    found = _by_words(type_, tags, has_ttl)
    if found.layer == 1 and pinned:
        return Route(2, f"{found.reason}, but what is pinned stays", found.confidence)
    if found.layer == 3 and not shares:
        return Route(2, f"{found.reason}, but this project does not take part in layer 3", found.confidence)
    return found


def _by_words(type_: str, tags: Sequence[str], has_ttl: bool) -> Route:
    folded_tags = [tag.strip().casefold() for tag in tags]
    for layer, names in TAGGED:
        tag = next((name for name in names if name in folded_tags), None)
        if tag is not None:
            return Route(layer, f"tags say {tag}", 0.95)
    if has_ttl:
        return Route(1, "a ttl is set", 0.9)
    if type_ in _OF_TYPE:
        layer, confidence = _OF_TYPE[type_]
        return Route(layer, f"type {type_} belongs in layer {layer}", confidence)
    layer, confidence = _DEFAULT
    return Route(layer, f"nothing says where {type_} belongs", confidence)
