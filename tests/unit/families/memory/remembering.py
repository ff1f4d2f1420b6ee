"""What is remembered in a test: turns and memories written as their own tools write them."""

from dataclasses import replace
from typing import Any

from msgspec.structs import replace as with_fields

from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN, MEMORY_RESTORED, TURN_RECORDED
from almanac.families.memory.core.memory import MemoryProject, open_memory
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, MemoryKind, Step, Turn
from almanac.families.memory.entities.events import TURN_REWRITTEN
from almanac.kernel.caller import Caller
from tests.unit.families.memory.memory_app import MemoryApp

Json = dict[str, Any]


class Remembering:
    """Writes into the project of `app`, or of another caller."""

    def __init__(self, app: MemoryApp, caller: Caller | None = None) -> None:
        self._app = app
        self._caller = caller or app.caller
        self._positions: dict[str, int] = {}

    @property
    def project(self) -> MemoryProject:
        return open_memory(self._app.services, self._caller, self._app.clock)

    def by(self, actor: str) -> "Remembering":
        return Remembering(self._app, replace(self._caller, actor=actor))

    def turn(self, content: str, session: str | None = None, **fields: Any) -> str:
        """Record a turn of now; returns its id."""
        project, now = self.project, self._app.now
        position = self._positions.get(session, 0) if session else None
        if session:
            self._positions[session] = (position or 0) + 1
        known: Json = {"at": now, "role": "user", "recorded_at": now, "actor": project.actor, **fields}
        turn = Turn(
            id=project.new_id(known["recorded_at"]), content=content, session=session, position=position, **known
        )
        told = project.event(TURN_RECORDED, turn.id, {"turn_id": turn.id, "session_id": session}, at=now)
        project.store.write(project.put(turn, is_new=True, events=[told]))
        return turn.id

    def memory(self, content: str, kind: MemoryKind = "pinned", **fields: Any) -> str:
        """Keep a memory of now; returns its id."""
        project, now = self.project, self._app.now
        known: Json = {"at": now, "recorded_at": now, "used_at": now, "actor": project.actor, **fields}
        memory = Memory(id=project.new_id(known["recorded_at"]), content=content, kind=kind, **known)
        project.store.write(project.put(memory, is_new=True))
        return memory.id

    def forget(self, remembered_id: str) -> None:
        self._change(remembered_id, MEMORY_FORGOTTEN, forgotten_at=self._app.now)

    def restore(self, remembered_id: str) -> None:
        self._change(remembered_id, MEMORY_RESTORED, forgotten_at=None)

    def rewrite(self, remembered_id: str, content: str) -> None:
        step = Step(self._app.now, "rewritten", self._caller.actor)
        self._change(remembered_id, TURN_REWRITTEN, content=content, history=(step,))

    def _change(self, remembered_id: str, kind: str, **fields: Any) -> None:
        project, now = self.project, self._app.now
        record = project.rows(TURNS).get(remembered_id) or project.rows(MEMORIES).get(remembered_id)
        assert record is not None
        payload = {"memory_id": remembered_id, "kind": "turn", "session_id": record.session}
        if kind == TURN_REWRITTEN:
            payload = {"turn_id": remembered_id}
        told = project.event(kind, remembered_id, payload, at=now)
        project.store.write(project.put(with_fields(record, **fields), is_new=False, events=[told]))
