"""Turns and memories written straight into a project, with the rows and events that the tools write of them."""

from dataclasses import replace
from typing import Any

from msgspec.structs import replace as altered

from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN, MEMORY_RESTORED, TURN_RECORDED
from almanac.families.memory.core.memory import MemoryProject, open_memory
from almanac.families.memory.core.records import (
    KEPT_FORGOTTEN_MS,
    MEMORIES,
    SESSIONS,
    TURNS,
    Memory,
    MemoryKind,
    Session,
    Step,
    Turn,
    with_step,
)
from almanac.families.memory.entities.records import TURN_REWRITTEN
from almanac.kernel.caller import Caller
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace as replaced
from tests.app import Json
from tests.project_app import ProjectApp

DUE_MS = 600_000


class MemoryBuilder:
    """Writes into the project of `app`, or of another caller, and returns ids.

    `minutes_apart` pass before each turn and memory; turns are of `session` unless a test says another one.
    """

    def __init__(
        self, app: ProjectApp, caller: Caller | None = None, *, session: str | None = None, minutes_apart: int = 0
    ) -> None:
        self._app = app
        self._caller = caller or app.caller
        self._session = session
        self._minutes_apart = minutes_apart

    @property
    def project(self) -> MemoryProject:
        return project_of(self._app, self._caller)

    def by(self, actor: str) -> "MemoryBuilder":
        caller = replace(self._caller, actor=actor)
        return MemoryBuilder(self._app, caller, session=self._session, minutes_apart=self._minutes_apart)

    def turn(self, content: str, session: str | None = None, **fields: Any) -> str:
        """Record a turn of now."""
        self._app.wait(minutes=self._minutes_apart)
        return record(self._app, content, session or self._session, caller=self._caller, **fields).id

    def memory(self, content: str, kind: MemoryKind = "pinned", **fields: Any) -> str:
        """Keep a memory of now."""
        self._app.wait(minutes=self._minutes_apart)
        project, now = self.project, self._app.now
        known: Json = {"at": now, "recorded_at": now, "used_at": now, "actor": project.actor, **fields}
        memory = Memory(id=project.new_id(known["recorded_at"]), content=content, kind=kind, **known)
        project.store.write(project.put(memory, is_new=True))
        return memory.id

    def forget(self, remembered_id: str) -> None:
        forget(self._app, remembered_id, self._caller)

    def restore(self, remembered_id: str) -> None:
        restore(self._app, remembered_id, self._caller)

    def rewrite(self, remembered_id: str, content: str) -> None:
        """Give a turn or memory another text, as the one without a secret that was found later."""
        project = self.project
        found = project.find(remembered_id)
        assert found is not None
        step = Step(project.now(), "rewritten", project.actor)
        told = project.event(TURN_REWRITTEN, remembered_id, {"turn_id": remembered_id}, at=project.now())
        project.store.write(project.put(altered(found, content=content, history=(step,)), is_new=False, events=[told]))


def project_of(app: ProjectApp, caller: Caller | None = None) -> MemoryProject:
    return open_memory(app.services, caller or app.caller, app.clock)


def record(
    app: ProjectApp, content: str, session: str | None = "s1", *, caller: Caller | None = None, **fields: Any
) -> Turn:
    """Record a turn, and count it in its session."""
    project = project_of(app, caller)
    return project.retry_on_conflict(lambda: _record(project, content, session, fields))


def forget(app: ProjectApp, remembered_id: str, caller: Caller | None = None) -> None:
    project = project_of(app, caller)
    found, now = project.find(remembered_id), project.now()
    assert found is not None
    history = with_step(found.history, Step(now, "forgotten", project.actor))
    hidden = altered(found, forgotten_at=now, purge_at=now + KEPT_FORGOTTEN_MS, history=history)
    _tell(project, hidden, MEMORY_FORGOTTEN)


def restore(app: ProjectApp, remembered_id: str, caller: Caller | None = None) -> None:
    project = project_of(app, caller)
    found = project.find(remembered_id)
    assert found is not None
    history = with_step(found.history, Step(project.now(), "restored", project.actor))
    _tell(project, altered(found, forgotten_at=None, purge_at=None, history=history), MEMORY_RESTORED)


def memory_of(app: ProjectApp, memory_id: str) -> Memory:
    found = project_of(app).rows(MEMORIES).get(memory_id)
    assert found is not None
    return found


def memories_of(app: ProjectApp, kind: str, caller: Caller | None = None) -> list[Memory]:
    """Return the memories that are not forgotten, the oldest first."""
    found = project_of(app, caller).rows(MEMORIES).every(kind, index="gsi1")
    return [memory for memory in found if memory.forgotten_at is None]


def session_of(app: ProjectApp, session: str = "s1") -> Session:
    found = project_of(app).rows(SESSIONS).get(session)
    assert found is not None
    return found


def turn_of(app: ProjectApp, turn_id: str) -> Turn:
    found = project_of(app).rows(TURNS).get(turn_id)
    assert found is not None
    return found


def _record(project: MemoryProject, content: str, session: str | None, fields: Json) -> Turn:
    now = project.now()
    kept = project.rows(SESSIONS).get(session) if session else None
    position = None if session is None else kept.turns if kept else 0
    known: Json = {"at": now, "recorded_at": now, "actor": project.actor, "role": "user", "position": position}
    known |= fields
    turn = Turn(id=project.new_id(known["recorded_at"]), content=content, session=session, **known)
    payload = {"turn_id": turn.id, "role": turn.role, "session_id": session, "content_preview": content[:200]}
    told = project.event(TURN_RECORDED, turn.id, payload, at=now)
    changes = project.put(turn, is_new=True, events=[told])
    if session is not None:
        changes.append(_count_turn(project, kept, session, turn.at))
    project.store.write(changes)
    return turn


def _count_turn(project: MemoryProject, kept: Session | None, session: str, at: int) -> Change:
    rows = project.rows(SESSIONS)
    if kept is None:
        return rows.insert(Session(id=session, turns=1, first_at=at, last_at=at, due_at=project.now() + DUE_MS))
    due_at = kept.due_at or project.now() + DUE_MS
    return replaced(rows, altered(kept, turns=kept.turns + 1, last_at=max(at, kept.last_at), due_at=due_at))


def _tell(project: MemoryProject, record: Turn | Memory, kind: str) -> None:
    payload = {
        "memory_id": record.id,
        "kind": record.kind if isinstance(record, Memory) else "turn",
        "session_id": record.session,
    }
    told = project.event(kind, record.id, payload, at=project.now())
    project.store.write(project.put(record, is_new=False, events=[told]))
