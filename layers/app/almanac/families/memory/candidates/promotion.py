"""Make a pinned memory from an accepted candidate."""

from datetime import datetime

from almanac.families.memory.candidates.deadlines import due_at
from almanac.families.memory.candidates.records import AUTO_ACCEPT, Candidate
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.memories.new_memory import new_memory
from almanac.families.memory.memories.write_plan import WritePlan, plan_memory
from almanac.families.time.core.zones import find_zone
from almanac.kernel.instants import instant_at


def plan_pinned_memory(project: MemoryProject, candidate: Candidate, *, auto: bool = False) -> WritePlan:
    """Return the memory of a candidate and the changes that write it, none if the same content is pinned already.

    With `auto` the metadata name the project's setting, and the plan is dismissed if an actor forgot the same content
    before."""
    ends = ends_at(candidate, project.zone)
    metadata = {"candidate_id": candidate.id, "candidate_kind": candidate.kind}
    if auto:
        metadata["accepted_by"] = AUTO_ACCEPT
    return plan_memory(
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
    """Return the end of a deadline in milliseconds since 1970.

    It is read in the time zone of the turn, or else in `zone`. None if the candidate has no deadline, or if the time
    cannot be read."""
    if candidate.due is None or candidate.due_at is not None:
        return candidate.due_at
    return due_at(candidate.due, candidate.said_at, zone)


def _content(candidate: Candidate, ends: int | None, zone: str | None) -> str:
    """Return the sentence after the name of its speaker, because a reader of the memory would misread "I".

    A deadline is written out as a date, because "Friday" means another day later."""
    sentence = f"{candidate.speaker}: {candidate.content}" if candidate.speaker else candidate.content
    if ends is None or candidate.due is None:
        return sentence
    return f"{sentence} ({candidate.due}: {_local(ends, zone):%Y-%m-%d %H:%M %Z})"


def _local(at: int, zone: str | None) -> datetime:
    return instant_at(at).astimezone(find_zone(zone or "UTC"))
