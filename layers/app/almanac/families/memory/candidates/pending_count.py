"""Count the candidates that wait for a review, and announce the first one with an event.

The count is a separate record, because the index may lag behind the store. It also makes sure that only one event is
sent when several processes read turns at the same moment.
"""

from collections.abc import Sequence

from msgspec.structs import replace as altered

from almanac.families.memory.candidates.records import WAITING, Candidate, WaitingCandidates
from almanac.families.memory.core.event_kinds import CANDIDATE_WAITING
from almanac.families.memory.core.memory import MemoryProject
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace


def update_count(
    project: MemoryProject, added: Sequence[Candidate] = (), removed: Sequence[Candidate] = ()
) -> Sequence[Change]:
    """Return the changes that add the pending candidates in `added` to the count and subtract those of `removed`."""
    first = next((one for one in added if one.status == "pending"), None)
    difference = _count_pending(added) - _count_pending(removed)
    if not difference:
        return ()
    rows = project.rows(WAITING)
    stored = rows.get()
    if stored is None:
        return (
            ()
            if difference < 0 or first is None
            else [rows.insert(WaitingCandidates(count=difference)), *_announce(project, first)]
        )
    if stored.count + difference > 0:
        return [replace(rows, altered(stored, count=stored.count + difference))]
    return [rows.delete(condition=Equals("version", stored.version))]


def _count_pending(candidates: Sequence[Candidate]) -> int:
    return sum(one.status == "pending" for one in candidates)


def _announce(project: MemoryProject, candidate: Candidate) -> Sequence[Change]:
    payload = {
        "candidate_id": candidate.id,
        "kind": candidate.kind,
        "turn_id": candidate.turn,
        "session_id": candidate.session,
        "tool": candidate.tool,
    }
    known_fields = {name: value for name, value in payload.items() if value is not None}
    return outbox([project.event(CANDIDATE_WAITING, candidate.id, known_fields, at=project.now())])
