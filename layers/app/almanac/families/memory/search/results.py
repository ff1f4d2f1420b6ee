"""Results of search_memory. Instants are milliseconds since 1970."""

from typing import Any

from msgspec import Struct

from almanac.search.coverage import Coverage


class Origin(Struct, frozen=True):
    """`mode`: the search mode, or the name in include, that found it. `family`: the family that stores it."""

    mode: str
    family: str


class NeighbourTurn(Struct, frozen=True, omit_defaults=True):
    """A turn before or after a hit in its session."""

    id: str
    at: int
    role: str
    content: str
    speaker: str | None = None
    cut: bool = False


class MemoryHit(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`score` orders this answer; `similarity`, 0 to 1, compares hits of all answers. `cut`: content, metadata or
    neighbours are longer than shown; get_memory has all of it. `shared`: a memory of all projects of the tenant.
    `untrusted`: others wrote it; `notes` say what in it looks like instructions or was taken out. `redacted`: kinds of
    secrets that were taken out before it was stored. Of a fact, `metadata` say from when on it holds (`valid_from`),
    and before when (`valid_to`). `why`: what each part added to the score, and the words that it has."""

    id: str
    kind: str
    score: float
    similarity: float
    content: str
    source: Origin
    at: int
    untrusted: bool
    title: str | None = None
    session_id: str | None = None
    actor: str | None = None
    tool: str | None = None
    role: str | None = None
    speaker: str | None = None
    tags: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}
    salience: float | None = None
    redacted: tuple[str, ...] = ()
    before: tuple[NeighbourTurn, ...] = ()
    after: tuple[NeighbourTurn, ...] = ()
    why: dict[str, Any] | None = None
    cut: bool = False
    shared: bool = False
    notes: tuple[str, ...] = ()


class Hits(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The best first. `truncated`: there are more than k. `pending`: so many memories just written could not be
    searched yet. `empty_because`: why nothing was found, and which call to make next. `notes`: what was not searched.
    """

    hits: tuple[MemoryHit, ...]
    truncated: bool
    pending: int
    coverage: Coverage | None = None
    empty_because: str | None = None
    notes: tuple[str, ...] = ()
