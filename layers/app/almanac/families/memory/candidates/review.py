"""List candidates, and accept or reject them. Only the first review of a candidate counts."""

from msgspec import Struct
from msgspec.structs import replace as altered

from almanac.families.memory.candidates.auto_accept import (
    remembered_memories,
    supersession_changes,
    undo_acceptance,
)
from almanac.families.memory.candidates.pending_count import update_count
from almanac.families.memory.candidates.promotion import plan_pinned_memory
from almanac.families.memory.candidates.records import CANDIDATES, Candidate, ReviewDecision
from almanac.families.memory.candidates.replacement import Reopening, reopen_replaced
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import TURNS, is_remembered
from almanac.kernel.errors import NotFound
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Check
from almanac.platform.store.records import Records, replace


class Outcome(Struct, frozen=True):
    """A candidate after a review. `was_first`: this call decided, not an earlier one."""

    candidate: Candidate
    was_first: bool


def list_by_status(project: MemoryProject, status: str, limit: int, cursor: str | None) -> Records[Candidate]:
    """Return a page of the candidates of a status, newest first."""
    return project.rows(CANDIDATES).query(status, index="gsi1", reverse=True, limit=limit, cursor=cursor)


def decide(project: MemoryProject, candidate_id: str, decision: ReviewDecision) -> Outcome:
    """Accept a candidate and pin it in the same write, or reject it.

    The pinned memories that an accepted candidate corrects are superseded. After a rejection, the candidates that it
    replaced wait again. A replaced candidate can be accepted too. Rejecting a candidate that the project's setting
    accepted forgets its memory. Raises NotFound if there is no such candidate, or if its turn is forgotten."""
    return project.retry_on_conflict(lambda: _attempt(project, candidate_id, decision))


def _attempt(project: MemoryProject, candidate_id: str, decision: ReviewDecision) -> Outcome:
    candidate = project.rows(CANDIDATES).get(candidate_id)
    if candidate is None or candidate.status == "withdrawn":
        raise _not_found(candidate_id)
    takes_back = candidate.auto and decision == "rejected"
    if candidate.status not in ("pending", "superseded") and not takes_back:
        return Outcome(candidate, was_first=False)
    turns = project.rows(TURNS)
    turn = turns.get(candidate.turn)
    if turn is None or not is_remembered(turn, project.now()):
        raise _not_found(candidate_id)
    reopening = Reopening((), ())
    decided = altered(candidate, status=decision, reviewed_by=project.actor, reviewed_at=project.now())
    unchanged = Check(turns.key(turn.id), Equals("version", turn.version))
    if decision == "rejected":
        changes = undo_acceptance(project, candidate) if takes_back else ()
        decided = altered(decided, auto=False, memory=None)
        reopening = reopen_replaced(project, [candidate])
    else:
        plan = plan_pinned_memory(project, candidate)
        corrected = (one for one in remembered_memories(project, candidate.replaces) if one.id != plan.memory.id)
        supersessions = (each for one in corrected for each in supersession_changes(project, one, plan.memory.id))
        changes, decided = (*plan.changes, *supersessions), altered(decided, memory=plan.memory.id)
    count_changes = update_count(project, reopening.waiting, [candidate])
    stored = [replace(project.rows(CANDIDATES), one) for one in (decided, *reopening.candidates)]
    project.store.write([*stored, *changes, *count_changes, unchanged])
    return Outcome(decided, was_first=True)


def _not_found(candidate_id: str) -> NotFound:
    return NotFound(
        f"There is no candidate {candidate_id[:80]!r} in this project.",
        "list_candidates lists them; those of a turn that was forgotten are withdrawn.",
    )
