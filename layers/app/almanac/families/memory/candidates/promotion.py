"""The pinned memory that an accepted candidate becomes."""

from datetime import datetime

from almanac.families.memory.candidates.deadlines import due_at
from almanac.families.memory.candidates.records import AUTO_ACCEPT, Candidate
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.memories.new_memory import new_memory
from almanac.families.memory.memories.write_plan import WritePlan, plan
from almanac.families.time.core.zones import find_zone
from almanac.kernel.instants import instant_at


def pinned(project: MemoryProject, candidate: Candidate, *, auto: bool = False) -> WritePlan:
    """The memory, and the changes that write it; none where the same is pinned already. With `auto` it is marked as
    accepted by the setting, and left out where an actor forgot the same before."""
    ends = ends_at(candidate, project.zone)
    metadata = {"candidate_id": candidate.id, "candidate_kind": candidate.kind}
    if auto:
        metadata["accepted_by"] = AUTO_ACCEPT
    return plan(
        project,
        new_memory(
            "pinned",
            _content(candidate, ends, project.zone),
            metadata=metadata if ends is None else {**metadata, "due_at": ends},
            tool=candidate.tool,
            derived_from=(candidate.turn,),
        ),
        unless_dismissed=auto,
    )


def ends_at(candidate: Candidate, zone: str | None) -> int | None:
    """Return when a deadline is over, in ms since 1970, in the zone of the turn, else in the caller's."""
    if candidate.due is None or candidate.due_at is not None:
        return candidate.due_at
    return due_at(candidate.due, candidate.said_at, zone)


def _content(candidate: Candidate, ends: int | None, zone: str | None) -> str:
    """The sentence, with who said it: "I" is somebody else for whoever recalls it. A day is written out, since
    "Friday" is another one by then."""
    said = f"{candidate.speaker}: {candidate.content}" if candidate.speaker else candidate.content
    if ends is None or candidate.due is None:
        return said
    return f"{said} ({candidate.due}: {_local(ends, zone):%Y-%m-%d %H:%M %Z})"


def _local(at: int, zone: str | None) -> datetime:
    return instant_at(at).astimezone(find_zone(zone or "UTC"))
