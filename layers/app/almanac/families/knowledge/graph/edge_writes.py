"""Creation, repetition and removal of edges, each in one write with its side effects."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.event_kinds import CONTRADICTION_FOUND
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import Fact
from almanac.families.knowledge.graph.ends import End, Ends, canonical
from almanac.families.knowledge.graph.side_effects import Consequences, SideEffect, removal_effects, supersede_effects
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
    """A validated edge. `src` and `dst` are canonical ids, in the order in which this kind is stored. `metadata` has
    the redacted metadata; None keeps those of an existing edge."""

    src: str
    dst: str
    kind: EdgeKind
    confidence: float
    metadata: RedactedFields | None


class EdgeWrite(Struct, frozen=True):
    """An edge after the write. `is_new` is false if it existed already. `side_effects` are those of the write."""

    edge: Edge
    is_new: bool
    side_effects: tuple[SideEffect, ...]


def new_edge(
    src: str, dst: str, kind: EdgeKind, confidence: float = 1.0, metadata: Mapping[str, Any] | None = None
) -> NewEdge:
    """Return a validated edge. Raises InvalidInput for blank ids, and for metadata that are too large or too deep."""
    ends = (canonical(src), canonical(dst))
    one, other = sorted(ends) if kind in SYMMETRIC else ends
    check_metadata(metadata or {})
    redacted = None if metadata is None else without_secrets("", (), metadata)
    return NewEdge(one, other, kind, confidence, redacted)


def make(ends: Ends, new: NewEdge) -> EdgeWrite:
    """Create an edge, or refresh the existing one. Raises NotFound for an end that is unknown or forgotten,
    InvalidInput for ends that do not fit the kind, and Conflict for a cycle."""

    def attempt() -> EdgeWrite:
        src, dst = ends.get_existing(new.src, "src_id"), ends.get_existing(new.dst, "dst_id")
        check_allowed(new.kind, src, dst)
        found = ends.find_edge(new.src, new.kind, new.dst)
        return _insert(ends, new, src, dst) if found is None else _refresh(ends, new, *found, src, dst)

    return ends.knowledge.retry_on_conflict(attempt)


def remove(ends: Ends, new: NewEdge) -> EdgeWrite:
    """Delete an edge and undo its side effects. Return the former edge. Raises NotFound if there is none, or the
    caller's key may not see both ends."""
    knowledge = ends.knowledge

    def attempt() -> EdgeWrite:
        found = ends.find_edge(new.src, new.kind, new.dst)
        if found is None:
            raise NotFound(
                f"There is no edge {new.src[:80]} {new.kind} {new.dst[:80]}.",
                "It may have been removed already. list_edges shows the edges that exist.",
            )
        home, edge = found
        ends.check_seen(edge)
        after = removal_effects(ends, edge, ends.find([edge.dst]).get(edge.dst))
        gone = home.rows(EDGES).delete(edge.src, edge.kind, edge.dst, condition=Equals("version", edge.version))
        knowledge.store.write([gone, *after.changes])
        return EdgeWrite(edge, is_new=False, side_effects=after.side_effects)

    return knowledge.retry_on_conflict(attempt)


def _insert(ends: Ends, new: NewEdge, src: End, dst: End) -> EdgeWrite:
    knowledge = ends.home_of_new(src, dst)
    now = knowledge.now()
    taking_turns = _turn_changes(ends, knowledge, new) if new.kind in ACYCLIC else []
    after = _consequences(ends, knowledge, new, src, dst)
    redacted = new.metadata or RedactedFields("", (), {}, ())
    edge = Edge(
        id=knowledge.new_id(now),
        src=src.id,
        dst=dst.id,
        kind=new.kind,
        src_kind=src.what,
        dst_kind=dst.what,
        confidence=new.confidence,
        metadata=redacted.metadata,
        redacted=redacted.kinds,
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
            *redaction_changes(knowledge, edge.id, "edge", redacted.findings, now),
        ]
    )
    return EdgeWrite(edge, is_new=True, side_effects=after.side_effects)


def _refresh(ends: Ends, new: NewEdge, knowledge: Knowledge, standing: Edge, src: End, dst: End) -> EdgeWrite:
    """Refresh an existing edge with the new confidence. If its target was restored meanwhile, supersede it again."""
    now = knowledge.now()
    after = Consequences(effects=standing.effects)
    if new.kind == "supersedes":
        after = supersede_effects(ends, src, dst, standing.effects)
    edge = altered(standing, confidence=new.confidence, confirmed_at=now, effects=after.effects)
    found: list[Change] = []
    if new.metadata is not None:
        edge = altered(edge, metadata=new.metadata.metadata, redacted=new.metadata.kinds)
        found = redaction_changes(knowledge, edge.id, "edge", new.metadata.findings, now)
    as_read = _as_read(ends, after, src, dst)
    knowledge.store.write([replace(knowledge.rows(EDGES), edge), *after.changes, *as_read, *found])
    return EdgeWrite(edge, is_new=False, side_effects=after.side_effects)


def _turn_changes(ends: Ends, knowledge: Knowledge, new: NewEdge) -> list[Change]:
    """Return the change that makes concurrent writers of edges take turns. The turn is read before the search for a
    cycle, so that an edge written meanwhile fails this write."""
    rows = knowledge.rows(TURNS_OF_EDGES)
    turn = rows.get(new.kind)
    check_no_cycle(ends.knowledge, new.kind, new.src, new.dst)
    return [rows.insert(EdgeTurn(kind=new.kind)) if turn is None else replace(rows, turn)]


def _consequences(ends: Ends, knowledge: Knowledge, new: NewEdge, src: End, dst: End) -> Consequences:
    if new.kind == "supersedes":
        return supersede_effects(ends, src, dst)
    if new.kind == "contradicts":
        side_effect = SideEffect(
            "contradiction_recorded", dst.id, f"It is recorded that {src.id} and {dst.id} contradict."
        )
        event = knowledge.event(CONTRADICTION_FOUND, src.id, _contradiction(knowledge, src, dst), at=knowledge.now())
        return Consequences((side_effect,), tuple(outbox([event])))
    return Consequences()


def _contradiction(knowledge: Knowledge, src: End, dst: End) -> dict[str, Any]:
    """Return the event payload, in the form of detect_contradictions. The ends need not be facts; then there is no
    subject or predicate."""
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
    return [change for end in (src, dst) if end.id not in after.ends for change in ends.unchanged_checks(end)]


def check_allowed(kind: EdgeKind, src: End, dst: End) -> None:
    """Raise InvalidInput for an edge from a thing to itself, and for ends that do not fit the kind."""
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
    """Raise Conflict if `src` is already reachable from `dst`, or if that cannot be determined."""
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
