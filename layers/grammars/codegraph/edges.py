"""Edges of the code graph, and how the resolver knows each one."""

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
    """Use of `dst` by `src`, in `path` at `line` (counted from 1). Names are dotted and qualified. If `resolved` is
    false, `dst` is the name as written, of something external or unknown. `candidates` are the possible targets if the
    resolver could not choose one."""

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
