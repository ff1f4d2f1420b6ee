"""Accept new candidates automatically, of the kinds that an operator set for the project, and undo that.

The operator sets the kinds with `almanac projects edit --auto-accept`. The setting applies to later statements of
people. Candidates that already wait, statements of agents and statements that quote an agent's answer still need a
review. So does a candidate that addresses a model, or corrects a decision that a reviewer accepted. A candidate that
corrects a decision accepted by the setting supersedes that decision.
"""

from collections.abc import Sequence

from msgspec.structs import replace as altered

from almanac.content import judge
from almanac.families.memory.candidates.corrections import replaces
from almanac.families.memory.candidates.current_statements import REPLACEABLE
from almanac.families.memory.candidates.promotion import ends_at, plan_pinned_memory
from almanac.families.memory.candidates.records import AUTO_ACCEPTS, CANDIDATES, AutoAccepts, Candidate
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, Turn, is_readable, is_remembered
from almanac.families.memory.edges.records import EDGES, Edge, Effects
from almanac.families.memory.memories.forget_and_restore import forget_changes, restore_changes
from almanac.families.memory.memories.supersession import supersede, unsupersede
from almanac.identity.records import Project, from_attributes, project_key
from almanac.kernel.instants import instant_at
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace

MOST_A_DAY = 25
"""Most candidates that are accepted automatically on a UTC day. Further ones wait for a review."""
_KEPT_MS = 2 * 86_400_000
_ACCEPTED_READ = 100
"""Number of latest accepted candidates that are compared with a new candidate, which may correct them."""
_MOST_SUPERSEDED = 5
"""Most memories that the candidates of one turn supersede, because all of it is one write."""


class AutoAcceptance:
    """Accepts candidates of one turn.

    Offer all candidates first, then read `changes` for the changes to write."""

    def __init__(self, project: MemoryProject, turn: Turn) -> None:
        project_record = _read_project(project) if turn.role == "user" else None
        self._kinds = frozenset(project_record.auto_accept if project_record else ())
        self._project = altered(project, zone=project_record.default_timezone) if project_record else project
        self._rows = project.rows(AUTO_ACCEPTS)
        self._turn = turn
        self._accepted_candidates: list[Candidate] | None = None
        self._superseded_count = 0
        self._day_count: AutoAccepts | None = None
        self._accepted_count = 0
        self._pin_changes = list[Change]()

    def offer(self, candidate: Candidate) -> Candidate:
        """Return the candidate in the state to store: accepted, or unchanged.

        Offer the candidates of the turn from the last to the first, because a later sentence may correct an earlier
        one."""
        if candidate.kind not in self._kinds or self._is_limit_reached() or self._is_unclear(candidate):
            return candidate
        corrected = [one for one in self._earlier_accepted() if _replaces(candidate, one)]
        if not all(one.auto for one in corrected) or any(_replaces(one, candidate) for one in self._later_accepted()):
            return candidate
        plan = plan_pinned_memory(self._project, candidate, auto=True)
        if plan.dismissed is not None:
            return candidate
        self._accepted_count += 1
        self._pin_changes += plan.changes
        self._supersede(corrected, plan.memory.id)
        now = self._project.now()
        accepted = altered(
            candidate,
            status="accepted",
            auto=True,
            reviewed_by=self._project.actor,
            reviewed_at=now,
            memory=plan.memory.id,
        )
        self._latest_accepted().append(accepted)
        return accepted

    @property
    def changes(self) -> Sequence[Change]:
        """Return the changes that pin and count the accepted candidates."""
        if self._day_count is None or not self._accepted_count:
            return ()
        updated = altered(self._day_count, count=self._day_count.count + self._accepted_count)
        if updated.version == 0:
            return (*self._pin_changes, self._rows.insert(altered(updated, version=1)))
        return (*self._pin_changes, replace(self._rows, updated))

    def _earlier_accepted(self) -> list[Candidate]:
        return [one for one in self._latest_accepted() if one.turn != self._turn.id and one.said_at <= self._turn.at]

    def _later_accepted(self) -> list[Candidate]:
        return [one for one in self._latest_accepted() if one.turn == self._turn.id or one.said_at > self._turn.at]

    def _latest_accepted(self) -> list[Candidate]:
        """Return the latest accepted candidates of the kinds that a later candidate may replace."""
        if self._accepted_candidates is None:
            rows = self._project.rows(CANDIDATES)
            latest = rows.query("accepted", index="gsi1", reverse=True, limit=_ACCEPTED_READ).records
            self._accepted_candidates = [one for one in latest if one.kind in REPLACEABLE]
        return self._accepted_candidates

    def _supersede(self, corrected: Sequence[Candidate], by: str) -> None:
        memories = remembered_memories(self._project, [one.memory for one in corrected if one.memory])
        for memory in memories[: _MOST_SUPERSEDED - self._superseded_count]:
            self._superseded_count += 1
            self._pin_changes += supersession_changes(self._project, memory, by)

    def _is_unclear(self, candidate: Candidate) -> bool:
        """Return whether the candidate quotes an agent, addresses a model, or has a deadline on an uncertain day."""
        day_is_missing = candidate.due is not None and ends_at(candidate, self._project.zone) is None
        return candidate.answer is not None or day_is_missing or bool(judge(candidate.content).findings)

    def _is_limit_reached(self) -> bool:
        if self._day_count is None:
            now = self._project.now()
            day = f"{instant_at(now):%Y-%m-%d}"
            self._day_count = self._rows.get(day) or AutoAccepts(day=day, count=0, expires_at=now + _KEPT_MS, version=0)
        return self._day_count.count + self._accepted_count >= MOST_A_DAY


def remembered_memories(project: MemoryProject, ids: Sequence[str]) -> list[Memory]:
    """Return those memories with these ids that are neither forgotten nor superseded."""
    return [one for one in project.rows(MEMORIES).by_id(ids).values() if is_remembered(one, project.now())]


def supersession_changes(project: MemoryProject, memory: Memory, by: str) -> Sequence[Change]:
    """Return the changes by which the pinned memory `by` supersedes an earlier one, with an edge between them."""
    return (*supersede(project, memory, by, None), _edge(project, by, memory.id))


def undo_acceptance(project: MemoryProject, candidate: Candidate) -> Sequence[Change]:
    """Return the changes that forget the memory of an accepted candidate and restore the memories that it superseded.

    There are none if the memory comes from another candidate or is already forgotten."""
    memory = _own_memory(project, candidate)
    if memory is None or not is_readable(memory, project.now()):
        return ()
    later, changes = memory.superseded_by, [*forget_changes(project, memory)]
    for one in _superseded_memories(project, memory):
        if one.superseded_by == memory.id:
            changes += unsupersede(project, one, later, None)
            if later is not None and project.rows(EDGES).get(later, "supersedes", one.id) is None:
                changes.append(_edge(project, later, one.id))
    return changes


def redo_acceptance(project: MemoryProject, candidate: Candidate) -> Sequence[Change]:
    """Return the changes that restore the memory of an accepted candidate, which again supersedes earlier memories.

    There are none if the memory is not forgotten, or if another actor forgot it."""
    memory = _own_memory(project, candidate)
    now = project.now()
    if memory is None or is_readable(memory, now) or memory.history[-1].actor != project.actor:
        return ()
    visible = [one for one in _superseded_memories(project, memory) if is_remembered(one, now)]
    supersessions = [change for one in visible for change in supersede(project, one, memory.id, None)]
    return (*restore_changes(project, memory), *supersessions)


def _own_memory(project: MemoryProject, candidate: Candidate) -> Memory | None:
    memory = project.rows(MEMORIES).get(candidate.memory) if candidate.memory else None
    return memory if memory is not None and memory.metadata.get("candidate_id") == candidate.id else None


def _edge(project: MemoryProject, src: str, dst: str) -> Change:
    """Return the write of an edge that says that the memory `src` supersedes the earlier memory `dst`.

    Such an edge cannot close a cycle, so it need not wait for other new edges."""
    now = project.now()
    edge = Edge(
        id=project.new_id(now),
        src=src,
        dst=dst,
        kind="supersedes",
        src_kind="pinned",
        dst_kind="pinned",
        actor=project.actor,
        created_at=now,
        confirmed_at=now,
        effects=Effects(at=now, closed=True),
    )
    return project.rows(EDGES).insert(edge)


def _superseded_memories(project: MemoryProject, memory: Memory) -> Sequence[Memory]:
    edges = project.rows(EDGES).query(memory.id, "supersedes", limit=_MOST_SUPERSEDED).records
    return tuple(project.rows(MEMORIES).by_id([one.dst for one in edges]).values())


def _replaces(newer: Candidate, older: Candidate) -> bool:
    return newer.kind in REPLACEABLE and replaces(newer.content, older.content)


def _read_project(project: MemoryProject) -> Project | None:
    item = project.store.get(project_key(project.scope.tenant, project.scope.project))
    return None if item is None else from_attributes(item.attributes, Project)
