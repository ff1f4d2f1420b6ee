"""Stored edges between things. Instants are milliseconds since 1970.

A memory's record lists its own sources; MemorySource is the reverse index. An Edge is a relation that an actor stated.

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
"""Kinds that mean the same in both directions. Each such edge is stored once, from the lesser id to the greater."""

ACYCLIC: frozenset[EdgeKind] = frozenset({"supersedes", "derives_from"})
"""Kinds whose edges must not form a cycle."""


class MemorySource(Record, frozen=True, kw_only=True):
    """`memory` was derived from `source`, a turn or another memory."""

    source: str
    memory: str


class Effects(Struct, frozen=True, omit_defaults=True):
    """Effects of a supersedes edge at `at`, kept so that removing the edge can undo them.

    `closed`: the edge superseded the memory `dst`, or ended the fact `dst`. `dst` lost `moved` of its salience, and
    `src` gained `gained`. `said_before` is the end that the fact had before.
    """

    at: int
    closed: bool = False
    moved: float = 0.0
    gained: float = 0.0
    said_before: int | None = None


class Edge(VersionedRecord, frozen=True, kw_only=True):
    """A stated relation `src` `kind` `dst`. The ends are ids of things, or `subject:<key>` for a name in facts.
    `src_kind` and `dst_kind` are the kinds of the ends, also of deleted ones. `confirmed_at` is when the edge was
    last stated. `redacted` names the kinds of secrets that were removed."""

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
    """A record that every new acyclic edge replaces, so that writers take turns. Two concurrent writers could otherwise
    close a cycle, since neither sees the other's edge."""

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
