"""Count the candidates that wait for a review, and announce the first one by an event.

The count is a record of its own, because an index may be behind the store. The event must come only once, however many
turns are read at the same moment.
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


def pending_changes(
    project: MemoryProject, come: Sequence[Candidate] = (), gone: Sequence[Candidate] = ()
) -> Sequence[Change]:
    """Return the changes that add the pending candidates of `come` to the count and subtract those of `gone`."""
    first = next((one for one in come if one.status == "pending"), None)
    more = _pending(come) - _pending(gone)
    if not more:
        return ()
    rows = project.rows(WAITING)
    stored = rows.get()
    if stored is None:
        return () if more < 0 or first is None else [rows.insert(WaitingCandidates(count=more)), *_told(project, first)]
    if stored.count + more > 0:
        return [replace(rows, altered(stored, count=stored.count + more))]
    return [rows.delete(condition=Equals("version", stored.version))]


def _pending(candidates: Sequence[Candidate]) -> int:
    return sum(one.status == "pending" for one in candidates)


def _told(project: MemoryProject, candidate: Candidate) -> Sequence[Change]:
    payload = {
        "candidate_id": candidate.id,
        "kind": candidate.kind,
        "turn_id": candidate.turn,
        "session_id": candidate.session,
        "tool": candidate.tool,
    }
    shown = {name: value for name, value in payload.items() if value is not None}
    return outbox([project.event(CANDIDATE_WAITING, candidate.id, shown, at=project.now())])
