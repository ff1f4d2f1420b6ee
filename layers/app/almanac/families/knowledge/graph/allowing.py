"""Which edges make sense: between which ends, and without cycles."""

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.graph.ends import End
from almanac.families.memory.edges.records import EdgeKind
from almanac.families.memory.edges.ways import MOST_PASSED, leads
from almanac.kernel.errors import Conflict, InvalidInput


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
    found = leads(knowledge.memory, dst, src, kind)
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
