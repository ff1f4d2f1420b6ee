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
            "A name of facts can only be the same as another name of facts.",
            "Use kind same_as with subject: at both ends, or the ids of facts.",
            path="kind",
        )
    if kind == "supersedes" and "turn" in {src.what, dst.what}:
        raise InvalidInput(
            "A turn is what was said: it neither supersedes nor is superseded.",
            "Keep what holds now with pin_memory, derived from that turn, and let the memory supersede; forget_memory "
            "hides a turn.",
            path="src_id" if src.what == "turn" else "dst_id",
        )


def check_no_cycle(knowledge: Knowledge, kind: EdgeKind, src: str, dst: str) -> None:
    """Raises Conflict where a way leads from `dst` to `src` already, or where that cannot be seen."""
    found = leads(knowledge.memory, dst, src, kind)
    if found is None:
        raise Conflict(
            f"Too much is connected by {kind} to see whether this edge closes a cycle: over {MOST_PASSED} things on "
            "either side.",
            "Connect them at a place with less around it.",
        )
    if found:
        raise Conflict(
            f"{dst[:80]} {kind} {src[:80]} already, directly or over others: this edge would close a cycle.",
            "list_edges shows the way. Remove an edge of it with remove=true if it is wrong.",
        )
