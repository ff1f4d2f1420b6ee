"""Accepts new candidates of the kinds that an operator named for the project, and takes that back.

The setting is `almanac projects edit --auto-accept`. It holds for what people say from then on: candidates that wait
already, and statements of agents, still need a review. So does what addresses a model.
"""

from collections.abc import Sequence

from msgspec.structs import replace as altered

from almanac.content import judge
from almanac.families.memory.candidates.promotion import ends_at, pinned
from almanac.families.memory.candidates.records import AUTO_ACCEPTS, AutoAccepts, Candidate
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.core.records import MEMORIES, Memory, Turn, is_remembered
from almanac.families.memory.memories.forgetting import forgetting_changes, restoring_changes
from almanac.identity.records import Project, from_attributes, project_key
from almanac.kernel.instants import instant_at
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace

MOST_A_DAY = 25
"""Candidates that are accepted on a day; the others wait for a review."""
_KEPT_MS = 2 * 86_400_000


class Accepting:
    """Accepts candidates of one turn. `changes` has what that writes once all of them were offered."""

    def __init__(self, project: MemoryProject, turn: Turn) -> None:
        stored = _stored_project(project) if turn.role == "user" else None
        self._kinds = frozenset(stored.auto_accept if stored else ())
        self._project = altered(project, zone=stored.default_timezone) if stored else project
        self._rows = project.rows(AUTO_ACCEPTS)
        self._counted: AutoAccepts | None = None
        self._accepted = 0
        self._pinning = list[Change]()

    def offered(self, candidate: Candidate) -> Candidate:
        """Return the candidate as it is to be stored: accepted, or pending as it came."""
        if candidate.kind not in self._kinds or self._is_spent() or self._is_unclear(candidate):
            return candidate
        making = pinned(self._project, candidate, auto=True)
        if making.dismissed is not None:
            return candidate
        self._accepted += 1
        self._pinning += making.changes
        now = self._project.now()
        return altered(
            candidate,
            status="accepted",
            auto=True,
            reviewed_by=self._project.actor,
            reviewed_at=now,
            memory=making.memory.id,
        )

    @property
    def changes(self) -> Sequence[Change]:
        """Pins what was accepted, and counts it."""
        if self._counted is None or not self._accepted:
            return ()
        counted = altered(self._counted, count=self._counted.count + self._accepted)
        if counted.version == 0:
            return (*self._pinning, self._rows.insert(altered(counted, version=1)))
        return (*self._pinning, replace(self._rows, counted))

    def _is_unclear(self, candidate: Candidate) -> bool:
        """Whether it addresses a model, or has a deadline on a day that is not certain."""
        day_is_missing = candidate.due is not None and ends_at(candidate, self._project.zone) is None
        return day_is_missing or bool(judge(candidate.content).findings)

    def _is_spent(self) -> bool:
        if self._counted is None:
            now = self._project.now()
            day = f"{instant_at(now):%Y-%m-%d}"
            self._counted = self._rows.get(day) or AutoAccepts(day=day, count=0, expires_at=now + _KEPT_MS, version=0)
        return self._counted.count + self._accepted >= MOST_A_DAY


def forgotten(project: MemoryProject, candidate: Candidate) -> Sequence[Change]:
    """Forget the memory that an accepted candidate became; nothing where it is another's, or forgotten already."""
    memory = _own_memory(project, candidate)
    return forgetting_changes(project, memory) if memory and is_remembered(memory, project.now()) else ()


def restored(project: MemoryProject, candidate: Candidate) -> Sequence[Change]:
    """Bring that memory back, unless an actor forgot it."""
    memory = _own_memory(project, candidate)
    if memory is None or is_remembered(memory, project.now()) or memory.history[-1].actor != project.actor:
        return ()
    return restoring_changes(project, memory)


def _own_memory(project: MemoryProject, candidate: Candidate) -> Memory | None:
    memory = project.rows(MEMORIES).get(candidate.memory) if candidate.memory else None
    return memory if memory is not None and memory.metadata.get("candidate_id") == candidate.id else None


def _stored_project(project: MemoryProject) -> Project | None:
    item = project.store.get(project_key(project.scope.tenant, project.scope.project))
    return None if item is None else from_attributes(item.attributes, Project)
