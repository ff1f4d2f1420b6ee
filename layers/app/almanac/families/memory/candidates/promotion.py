"""Make a pinned memory of an accepted candidate."""

from datetime import datetime

from almanac.families.memory.candidates.deadlines import due_at
from almanac.families.memory.candidates.records import AUTO_ACCEPT, Candidate
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.memories.new_memory import new_memory
from almanac.families.memory.memories.write_plan import WritePlan, plan
from almanac.families.time.core.zones import find_zone
from almanac.kernel.instants import instant_at


def pinned(project: MemoryProject, candidate: Candidate, *, auto: bool = False) -> WritePlan:
    """Return the memory of a candidate, and the changes that write it; no changes if the same is pinned already.

    With `auto` the memory is marked as accepted by the setting, and dismissed if an actor forgot the same before."""
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
    """Return the end of a deadline, in milliseconds since 1970, in the zone of the turn, or else in `zone`.

    None if the candidate has no deadline, or if its end cannot be known."""
    if candidate.due is None or candidate.due_at is not None:
        return candidate.due_at
    return due_at(candidate.due, candidate.said_at, zone)


def _content(candidate: Candidate, ends: int | None, zone: str | None) -> str:
    """Return the sentence behind its speaker, because the reader of a memory would misread "I".

    A deadline is written out as a date, because "Friday" means another day by the time of reading."""
    said = f"{candidate.speaker}: {candidate.content}" if candidate.speaker else candidate.content
    if ends is None or candidate.due is None:
        return said
    return f"{said} ({candidate.due}: {_local(ends, zone):%Y-%m-%d %H:%M %Z})"


def _local(at: int, zone: str | None) -> datetime:
    return instant_at(at).astimezone(find_zone(zone or "UTC"))
