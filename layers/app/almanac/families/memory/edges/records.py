"""Stored records of what stands between things. Instants are milliseconds since 1970.

A memory itself names its sources; MemorySource is for asking backwards. Edges are what somebody said.

    P#<tenant>#<project>#memory_sources#<source>   <memory>       MemorySource
    P#<tenant>#<project>#edges#<src>               <kind>#<dst>   Edge
    P#<tenant>#<project>#edge_turns                <kind>         EdgeTurn
"""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from almanac.platform.store.records import Place, Record, Table, VersionedRecord

EdgeKind = Literal["supersedes", "contradicts", "derives_from", "same_as"]
SYMMETRIC: frozenset[EdgeKind] = frozenset({"contradicts", "same_as"})
"""Kinds that say the same in both directions: they are stored once, from the lesser id to the greater."""

ACYCLIC: frozenset[EdgeKind] = frozenset({"supersedes", "derives_from"})
"""Kinds along which no way leads back to where it began."""


class MemorySource(Record, frozen=True, kw_only=True):
    """`memory` was made of `source`, a turn or another memory."""

    source: str
    memory: str


class Effects(Struct, frozen=True, omit_defaults=True):
    """The effects of a supersedes edge at `at`, kept so that its removal can undo them.

    `closed`: `dst` was superseded, or ended where it is a fact. `moved` of the salience of `dst` left it, and `gained`
    of that `src` took. `said_before` is the end of the fact as it was said before.
    """

    at: int
    closed: bool = False
    moved: float = 0.0
    gained: float = 0.0
    said_before: int | None = None


class Edge(VersionedRecord, frozen=True, kw_only=True):
    """`src` `kind` `dst`: ids of things, or of names of facts as `subject:<key>`. `src_kind` and `dst_kind` say what
    they are, so that this can be told when they are gone.

    `confirmed_at` is when it was last said again. `redacted` names the kinds of secrets that were taken out.
    """

    id: str
    src: str
    dst: str
    kind: EdgeKind
    src_kind: str
    dst_kind: str
    confidence: float = 1.0
    metadata: dict[str, Any] = msgspec.field(default_factory=dict[str, Any])
    redacted: tuple[str, ...] = ()
    actor: str
    created_at: int
    confirmed_at: int
    effects: Effects | None = None


class EdgeTurn(VersionedRecord, frozen=True, kw_only=True):
    """Each new edge of an acyclic kind replaces it, so that writers take turns: two of them at once could close a cycle
    of which neither sees the other's half."""

    kind: EdgeKind


SOURCES = Table(MemorySource, "memory_sources", partition=("source",), sort=("memory",))
EDGES = Table(
    Edge,
    "edges",
    partition=("src",),
    sort=("kind", "dst"),
    indexes={"gsi1": Place("edges_by_dst", partition=("dst",), sort=("kind", "src"))},
)
TURNS_OF_EDGES = Table(EdgeTurn, "edge_turns", sort=("kind",))
