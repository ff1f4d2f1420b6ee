"""Edges made, said again and removed, each in one write with all that follows from it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.event_kinds import CONTRADICTION_FOUND
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import Fact
from almanac.families.knowledge.graph.ends import End, Ends, canonical
from almanac.families.knowledge.graph.side_effects import Consequences, SideEffect, superseding, taken_back
from almanac.families.memory.core.redacted_fields import RedactedFields, without_secrets
from almanac.families.memory.edges.records import ACYCLIC, EDGES, SYMMETRIC, TURNS_OF_EDGES, Edge, EdgeKind, EdgeTurn
from almanac.families.memory.edges.ways import MOST_PASSED, is_reachable
from almanac.families.memory.memories.new_memory import check_metadata
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from almanac.platform.bus.outbox import outbox
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace


class NewEdge(Struct, frozen=True):
    """`src` and `dst` are canonical ids, in the order in which an edge of this kind is stored. `kept` has the metadata
    without secrets; None: those that the edge has stay."""

    src: str
    dst: str
    kind: EdgeKind
    confidence: float
    kept: RedactedFields | None


class EdgeWrite(Struct, frozen=True):
    """`is_new` false: it was said already."""

    edge: Edge
    is_new: bool
    told: tuple[SideEffect, ...]


def new_edge(
    src: str, dst: str, kind: EdgeKind, confidence: float = 1.0, metadata: Mapping[str, Any] | None = None
) -> NewEdge:
    """Raises InvalidInput for blank ids, and for metadata that are too large or too deep."""
    ends = (canonical(src), canonical(dst))
    one, other = sorted(ends) if kind in SYMMETRIC else ends
    check_metadata(metadata or {})
    kept = None if metadata is None else without_secrets("", (), metadata)
    return NewEdge(one, other, kind, confidence, kept)


def make(ends: Ends, asked: NewEdge) -> EdgeWrite:
    """The edge, written. Raises NotFound for an end that is unknown or forgotten, InvalidInput for ends that do not go
    with this kind, Conflict for a cycle."""

    def attempt() -> EdgeWrite:
        src, dst = ends.existing(asked.src, "src_id"), ends.existing(asked.dst, "dst_id")
        check_allowed(asked.kind, src, dst)
        found = ends.standing(asked.src, asked.kind, asked.dst)
        return _first(ends, asked, src, dst) if found is None else _again(ends, asked, *found, src, dst)

    return ends.knowledge.retrying(attempt)


def remove(ends: Ends, asked: NewEdge) -> EdgeWrite:
    """The edge as it was, deleted, with what that took back. Raises NotFound where there is none, or the caller's key
    may not see both ends."""
    knowledge = ends.knowledge

    def attempt() -> EdgeWrite:
        found = ends.standing(asked.src, asked.kind, asked.dst)
        if found is None:
            raise NotFound(
                f"There is no edge {asked.src[:80]} {asked.kind} {asked.dst[:80]}.",
                "It may have been removed already. list_edges shows the edges that exist.",
            )
        home, edge = found
        ends.check_seen(edge)
        after = taken_back(ends, edge, ends.find([edge.dst]).get(edge.dst))
        gone = home.rows(EDGES).delete(edge.src, edge.kind, edge.dst, condition=Equals("version", edge.version))
        knowledge.store.write([gone, *after.changes])
        return EdgeWrite(edge, is_new=False, told=after.told)

    return knowledge.retrying(attempt)


def _first(ends: Ends, asked: NewEdge, src: End, dst: End) -> EdgeWrite:
    knowledge = ends.home_of_new(src, dst)
    now = knowledge.now()
    taking_turns = _turn_changes(ends, knowledge, asked) if asked.kind in ACYCLIC else []
    after = _consequences(ends, knowledge, asked, src, dst)
    kept = asked.kept or RedactedFields("", (), {}, ())
    edge = Edge(
        id=knowledge.new_id(now),
        src=src.id,
        dst=dst.id,
        kind=asked.kind,
        src_kind=src.what,
        dst_kind=dst.what,
        confidence=asked.confidence,
        metadata=kept.metadata,
        redacted=kept.kinds,
        actor=knowledge.actor,
        created_at=now,
        confirmed_at=now,
        effects=after.effects,
    )
    knowledge.store.write(
        [
            knowledge.rows(EDGES).insert(edge),
            *taking_turns,
            *after.changes,
            *_as_read(ends, after, src, dst),
            *redaction_changes(knowledge, edge.id, "edge", kept.findings, now),
        ]
    )
    return EdgeWrite(edge, is_new=True, told=after.told)


def _again(ends: Ends, asked: NewEdge, knowledge: Knowledge, standing: Edge, src: End, dst: End) -> EdgeWrite:
    """The same edge with the confidence of now. What it had superseded and somebody restored is superseded again."""
    now = knowledge.now()
    after = Consequences(effects=standing.effects)
    if asked.kind == "supersedes":
        after = superseding(ends, src, dst, standing.effects)
    edge = altered(standing, confidence=asked.confidence, confirmed_at=now, effects=after.effects)
    found: list[Change] = []
    if asked.kept is not None:
        edge = altered(edge, metadata=asked.kept.metadata, redacted=asked.kept.kinds)
        found = redaction_changes(knowledge, edge.id, "edge", asked.kept.findings, now)
    as_read = _as_read(ends, after, src, dst)
    knowledge.store.write([replace(knowledge.rows(EDGES), edge), *after.changes, *as_read, *found])
    return EdgeWrite(edge, is_new=False, told=after.told)


def _turn_changes(ends: Ends, knowledge: Knowledge, asked: NewEdge) -> list[Change]:
    """Read before the way is looked for, so that an edge which was written meanwhile fails this write."""
    rows = knowledge.rows(TURNS_OF_EDGES)
    turn = rows.get(asked.kind)
    check_no_cycle(ends.knowledge, asked.kind, asked.src, asked.dst)
    return [rows.insert(EdgeTurn(kind=asked.kind)) if turn is None else replace(rows, turn)]


def _consequences(ends: Ends, knowledge: Knowledge, asked: NewEdge, src: End, dst: End) -> Consequences:
    if asked.kind == "supersedes":
        return superseding(ends, src, dst)
    if asked.kind == "contradicts":
        told = SideEffect("contradiction_recorded", dst.id, f"It is recorded that {src.id} and {dst.id} contradict.")
        event = knowledge.event(CONTRADICTION_FOUND, src.id, _contradiction(knowledge, src, dst), at=knowledge.now())
        return Consequences((told,), tuple(outbox([event])))
    return Consequences()


def _contradiction(knowledge: Knowledge, src: End, dst: End) -> dict[str, Any]:
    """As detect_contradictions tells of it. Ends need not be facts: then they share no subject and predicate."""
    subject = predicate = None
    if (
        isinstance(src.record, Fact)
        and isinstance(dst.record, Fact)
        and src.record.subject_key == dst.record.subject_key
    ):
        subject = src.record.subject
        predicate = src.record.predicate if src.record.predicate_key == dst.record.predicate_key else None
    return {
        "fact_a": src.id,
        "fact_b": dst.id,
        "subject": subject,
        "predicate": predicate,
        "severity": "high",
        "explanation": f"{knowledge.actor} said that they contradict each other.",
    }


def _as_read(ends: Ends, after: Consequences, src: End, dst: End) -> list[Change]:
    return [change for end in (src, dst) if end.id not in after.ends for change in ends.as_read(end)]


def check_allowed(kind: EdgeKind, src: End, dst: End) -> None:
    """Raises InvalidInput for an edge of a thing to itself, and for ends that do not go with the kind."""
    if src.id == dst.id:
        raise InvalidInput("An edge connects two different things.", "Give another dst_id.", path="dst_id")
    if "subject" in {src.what, dst.what} and not (kind == "same_as" and src.what == dst.what):
        raise InvalidInput(
            "A subject can only be joined to another subject.",
            "Use kind same_as with subject:<name> at both ends, or give the ids of facts.",
            path="kind",
        )
    if kind == "supersedes" and "turn" in {src.what, dst.what}:
        raise InvalidInput(
            "A turn records what somebody said, so it cannot supersede or be superseded.",
            "Store what holds now with pin_memory and derived_from_turn_ids, and let that memory supersede. "
            "To hide a turn use forget_memory.",
            path="src_id" if src.what == "turn" else "dst_id",
        )


def check_no_cycle(knowledge: Knowledge, kind: EdgeKind, src: str, dst: str) -> None:
    """Raises Conflict where a way leads from `dst` to `src` already, or where that cannot be seen."""
    found = is_reachable(knowledge.memory, dst, src, kind)
    if found is None:
        raise Conflict(
            f"Over {MOST_PASSED} things are connected by {kind} on either side, too many to check whether this "
            "edge closes a cycle.",
            f"Connect two things that have fewer {kind} edges.",
        )
    if found:
        raise Conflict(
            f"{dst[:80]} {kind} {src[:80]} already, directly or through other edges, so this edge would close a cycle.",
            "list_edges shows those edges. If one is wrong, remove it with create_edge and remove=true.",
        )
