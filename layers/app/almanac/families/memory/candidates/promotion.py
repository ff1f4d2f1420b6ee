"""The pinned memory that an accepted candidate becomes."""

from datetime import datetime
from typing import Any

from almanac.families.memory.candidates.deadlines import due_at
from almanac.families.memory.candidates.records import Candidate
from almanac.families.memory.core.event_kinds import MEMORY_PINNED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import Memory, Step
from almanac.families.time.core.zones import find_zone
from almanac.kernel.instants import instant_at
from almanac.platform.store.port import Change

_PREVIEW = 200


def pinned(project: MemoryProject, candidate: Candidate) -> tuple[Memory, list[Change]]:
    """The memory, and the changes that write it with its event."""
    now = project.now()
    ends = ends_at(candidate, project.zone)
    metadata = {"candidate_id": candidate.id, "candidate_kind": candidate.kind}
    memory = Memory(
        id=project.new_id(now),
        kind="pinned",
        content=_content(candidate, ends, project.zone),
        at=now,
        recorded_at=now,
        used_at=now,
        actor=project.actor,
        tool=candidate.tool,
        session=candidate.session,
        metadata=metadata if ends is None else {**metadata, "due_at": ends},
        redacted=candidate.redacted,
        derived_from=(candidate.turn,),
        history=(Step(now, "recorded", project.actor),),
    )
    payload: dict[str, Any] = {
        "memory_id": memory.id,
        "kind": memory.kind,
        "session_id": memory.session,
        "content_preview": memory.content[:_PREVIEW],
        "tags": [],
        "metadata": memory.metadata,
        "tool": memory.tool,
    }
    told = project.event(MEMORY_PINNED, memory.id, payload, at=now)
    return memory, project.put(memory, is_new=True, events=[told])


def ends_at(candidate: Candidate, zone: str | None) -> int | None:
    """When a deadline is over, in ms since 1970: in the zone of the turn, else in that of whoever asks."""
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
