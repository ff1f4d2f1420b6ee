"""Edges of the graph of code, and how each is known."""

from typing import Literal

from msgspec import Struct

EdgeKind = Literal["imports", "calls", "references"]
How = Literal["precise", "scope", "import", "flow", "unique_name", "ambiguous", "unresolved"]

CONFIDENCE: dict[How, float] = {
    "precise": 1.0,
    "scope": 0.98,
    "import": 0.97,
    "flow": 0.9,
    "unique_name": 0.6,
    "ambiguous": 0.3,
    "unresolved": 0.0,
}


class Edge(Struct, frozen=True, kw_only=True):
    """`src` uses `dst` in `path` at `line`, counted from 1. Names are dotted and qualified. `resolved` false: `dst`
    is a name as written, of something outside or unknown. `candidates`: where several could be meant, and none was
    chosen."""

    Kind = EdgeKind
    How = How

    src: str
    dst: str
    kind: EdgeKind
    how: How
    confidence: float
    resolved: bool
    path: str
    line: int
    candidates: tuple[str, ...] = ()
