"""Turns with their sessions, written as record_turn writes them, with the event that tells of them."""

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
    Role,
    Session,
    Step,
    Turn,
    stepped,
)
from almanac.kernel.caller import Caller
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace
from tests.unit.families.memory.memory_app import MemoryApp

DUE_MS = 600_000


def project_of(app: MemoryApp, caller: Caller | None = None) -> MemoryProject:
    return open_memory(app.services, caller or app.caller, app.clock)


def record(
    app: MemoryApp,
    content: str,
    session: str | None = "s1",
    *,
    role: Role = "user",
    speaker: str | None = None,
    caller: Caller | None = None,
    **fields: Any,
) -> Turn:
    project = project_of(app, caller)
    return project.retrying(lambda: _record(project, content, session, role, speaker, fields))


def forget(app: MemoryApp, remembered_id: str) -> None:
    project = project_of(app)
    found = project.remembered(remembered_id)
    now = project.now()
    history = stepped(found.history, Step(now, "forgotten", project.actor))
    _tell(
        project, altered(found, forgotten_at=now, purge_at=now + KEPT_FORGOTTEN_MS, history=history), MEMORY_FORGOTTEN
    )


def restore(app: MemoryApp, remembered_id: str) -> None:
    project = project_of(app)
    found = project.find(remembered_id)
    assert found is not None
    history = stepped(found.history, Step(project.now(), "restored", project.actor))
    _tell(project, altered(found, forgotten_at=None, purge_at=None, history=history), MEMORY_RESTORED)


def memory_of(app: MemoryApp, memory_id: str) -> Memory:
    found = project_of(app).rows(MEMORIES).get(memory_id)
    assert found is not None
    return found


def memories_of(app: MemoryApp, kind: str, caller: Caller | None = None) -> list[Memory]:
    """Those that are not forgotten, the oldest first."""
    found = project_of(app, caller).rows(MEMORIES).every(kind, index="gsi1")
    return [memory for memory in found if memory.forgotten_at is None]


def session_of(app: MemoryApp, session: str = "s1") -> Session:
    found = project_of(app).rows(SESSIONS).get(session)
    assert found is not None
    return found


def turn_of(app: MemoryApp, turn_id: str) -> Turn:
    found = project_of(app).rows(TURNS).get(turn_id)
    assert found is not None
    return found


def _record(
    project: MemoryProject, content: str, session: str | None, role: Role, speaker: str | None, fields: dict[str, Any]
) -> Turn:
    now = project.now()
    kept = project.rows(SESSIONS).get(session) if session else None
    turn = Turn(
        id=project.new_id(now),
        content=content,
        at=now,
        recorded_at=now,
        actor=project.actor,
        session=session,
        role=role,
        speaker=speaker,
        position=None if session is None else kept.turns if kept else 0,
    )
    turn = altered(turn, **fields)
    payload = {"turn_id": turn.id, "role": role, "session_id": session, "content_preview": content[:200]}
    told = project.event(TURN_RECORDED, turn.id, payload, at=now)
    changes = project.put(turn, is_new=True, events=[told])
    if session is not None:
        changes.append(_counted(project, kept, session, turn.at))
    project.store.write(changes)
    return turn


def _counted(project: MemoryProject, kept: Session | None, session: str, at: int) -> Change:
    rows = project.rows(SESSIONS)
    if kept is None:
        return rows.insert(Session(id=session, turns=1, first_at=at, last_at=at, due_at=project.now() + DUE_MS))
    due_at = kept.due_at or project.now() + DUE_MS
    return replace(rows, altered(kept, turns=kept.turns + 1, last_at=max(at, kept.last_at), due_at=due_at))


def _tell(project: MemoryProject, record: Turn | Memory, kind: str) -> None:
    payload = {
        "memory_id": record.id,
        "kind": record.kind if isinstance(record, Memory) else "turn",
        "session_id": record.session,
    }
    told = project.event(kind, record.id, payload, at=project.now())
    project.store.write(project.put(record, is_new=False, events=[told]))
