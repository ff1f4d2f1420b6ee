"""Accept new candidates automatically, of the kinds that an operator set for the project, and take that back.

The setting is `almanac projects edit --auto-accept`. It applies to statements of people from then on. Candidates that
wait already, statements of agents and statements that quote an agent's answer still need a review. So does a candidate
that addresses a model or corrects a decision that a reviewer accepted. A candidate that corrects a decision accepted by
the setting supersedes it.
"""

from collections.abc import Sequence

from msgspec.structs import replace as altered

from almanac.content import judge
from almanac.families.memory.candidates.current_statements import REPLACEABLE, replaces
from almanac.families.memory.candidates.promotion import ends_at, pinned
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
"""Most candidates that are accepted automatically on a day. The others wait for a review."""
_KEPT_MS = 2 * 86_400_000
_STANDING_READ = 100
"""Number of latest accepted candidates that are searched for ones that a new candidate corrects."""
_MOST_SUPERSEDED = 5
"""Most memories that the candidates of one turn supersede, because all of it is one write."""


class AutoAcceptance:
    """Accepts candidates of one turn. Once all of them have been offered, `changes` has the changes to write."""

    def __init__(self, project: MemoryProject, turn: Turn) -> None:
        stored = _stored_project(project) if turn.role == "user" else None
        self._kinds = frozenset(stored.auto_accept if stored else ())
        self._project = altered(project, zone=stored.default_timezone) if stored else project
        self._rows = project.rows(AUTO_ACCEPTS)
        self._turn = turn
        self._standing: list[Candidate] | None = None
        self._superseding = 0
        self._counted: AutoAccepts | None = None
        self._accepted = 0
        self._pinning = list[Change]()

    def offered(self, candidate: Candidate) -> Candidate:
        """Return the candidate as it is to be stored: accepted, or pending as it came.

        Offer the candidates of the turn from the last to the first, because a later sentence may correct an earlier
        one."""
        if candidate.kind not in self._kinds or self._is_spent() or self._is_unclear(candidate):
            return candidate
        corrected = [one for one in self._accepted_before() if _replaces(candidate, one)]
        if not all(one.auto for one in corrected) or any(_replaces(one, candidate) for one in self._accepted_later()):
            return candidate
        making = pinned(self._project, candidate, auto=True)
        if making.dismissed is not None:
            return candidate
        self._accepted += 1
        self._pinning += making.changes
        self._supersede(corrected, making.memory.id)
        now = self._project.now()
        accepted = altered(
            candidate,
            status="accepted",
            auto=True,
            reviewed_by=self._project.actor,
            reviewed_at=now,
            memory=making.memory.id,
        )
        self._read_standing().append(accepted)
        return accepted

    @property
    def changes(self) -> Sequence[Change]:
        """Return the changes that pin and count the accepted candidates."""
        if self._counted is None or not self._accepted:
            return ()
        counted = altered(self._counted, count=self._counted.count + self._accepted)
        if counted.version == 0:
            return (*self._pinning, self._rows.insert(altered(counted, version=1)))
        return (*self._pinning, replace(self._rows, counted))

    def _accepted_before(self) -> list[Candidate]:
        return [one for one in self._read_standing() if one.turn != self._turn.id and one.said_at <= self._turn.at]

    def _accepted_later(self) -> list[Candidate]:
        return [one for one in self._read_standing() if one.turn == self._turn.id or one.said_at > self._turn.at]

    def _read_standing(self) -> list[Candidate]:
        """Read the latest accepted candidates that a candidate of this turn may correct, or that may correct it."""
        if self._standing is None:
            rows = self._project.rows(CANDIDATES)
            latest = rows.query("accepted", index="gsi1", reverse=True, limit=_STANDING_READ).records
            self._standing = [one for one in latest if one.kind in REPLACEABLE]
        return self._standing

    def _supersede(self, corrected: Sequence[Candidate], by: str) -> None:
        memories = self._project.rows(MEMORIES).by_id([one.memory for one in corrected if one.memory])
        for memory in memories.values():
            if is_remembered(memory, self._project.now()) and self._superseding < _MOST_SUPERSEDED:
                self._superseding += 1
                self._pinning += (*supersede(self._project, memory, by, None), _edge(self._project, by, memory.id))

    def _is_unclear(self, candidate: Candidate) -> bool:
        """Return whether the candidate quotes an agent, addresses a model, or has a deadline on an uncertain day."""
        day_is_missing = candidate.due is not None and ends_at(candidate, self._project.zone) is None
        return candidate.answer is not None or day_is_missing or bool(judge(candidate.content).findings)

    def _is_spent(self) -> bool:
        if self._counted is None:
            now = self._project.now()
            day = f"{instant_at(now):%Y-%m-%d}"
            self._counted = self._rows.get(day) or AutoAccepts(day=day, count=0, expires_at=now + _KEPT_MS, version=0)
        return self._counted.count + self._accepted >= MOST_A_DAY


def forgotten(project: MemoryProject, candidate: Candidate) -> Sequence[Change]:
    """Return the changes that forget the memory made from an accepted candidate, and restore the memories that it
    corrected. No changes if the memory is another's or already forgotten."""
    memory = _own_memory(project, candidate)
    if memory is None or not is_readable(memory, project.now()):
        return ()
    later, changes = memory.superseded_by, [*forget_changes(project, memory)]
    for one in _corrected(project, memory):
        if one.superseded_by == memory.id:
            changes += unsupersede(project, one, later, None)
            if later is not None and project.rows(EDGES).get(later, "supersedes", one.id) is None:
                changes.append(_edge(project, later, one.id))
    return changes


def restored(project: MemoryProject, candidate: Candidate) -> Sequence[Change]:
    """Return the changes that restore the memory made from an accepted candidate, and hide again the memories that it
    corrected. No changes if another actor forgot it."""
    memory = _own_memory(project, candidate)
    now = project.now()
    if memory is None or is_readable(memory, now) or memory.history[-1].actor != project.actor:
        return ()
    shown = [one for one in _corrected(project, memory) if is_remembered(one, now)]
    hidden = [change for one in shown for change in supersede(project, one, memory.id, None)]
    return (*restore_changes(project, memory), *hidden)


def _own_memory(project: MemoryProject, candidate: Candidate) -> Memory | None:
    memory = project.rows(MEMORIES).get(candidate.memory) if candidate.memory else None
    return memory if memory is not None and memory.metadata.get("candidate_id") == candidate.id else None


def _edge(project: MemoryProject, src: str, dst: str) -> Change:
    """Return the write of an edge by which the memory `src` of a candidate supersedes the earlier one, `dst`.

    Such an edge closes no cycle, so it need not wait its turn among other new edges."""
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


def _corrected(project: MemoryProject, memory: Memory) -> Sequence[Memory]:
    edges = project.rows(EDGES).query(memory.id, "supersedes", limit=_MOST_SUPERSEDED).records
    return tuple(project.rows(MEMORIES).by_id([one.dst for one in edges]).values())


def _replaces(newer: Candidate, older: Candidate) -> bool:
    return newer.kind in REPLACEABLE and replaces(newer.content, older.content)


def _stored_project(project: MemoryProject) -> Project | None:
    item = project.store.get(project_key(project.scope.tenant, project.scope.project))
    return None if item is None else from_attributes(item.attributes, Project)
