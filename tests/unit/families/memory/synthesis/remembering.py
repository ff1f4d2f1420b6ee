"""Turns and memories written straight into a project, as the tools that record them do."""

from typing import Any

from msgspec.structs import replace

from almanac.families.memory.core.memory import MemoryProject, open_memory
from almanac.families.memory.core.records import Memory, MemoryKind, Turn
from tests.unit.families.memory.memory_app import MemoryApp


class Remembering:
    """Everything is said five minutes after what was said before."""

    def __init__(self, app: MemoryApp) -> None:
        self._app = app
        self._positions: dict[str, int] = {}

    def turn(self, content: str, speaker: str | None = None, *, session: str = "s", **more: Any) -> str:
        self._app.wait(minutes=5)
        memory, at = self._memory(), self._app.now
        position = self._positions[session] = self._positions.get(session, -1) + 1
        given: dict[str, Any] = {"role": "user", "actor": "ann", "at": at} | more
        turn = Turn(
            id=memory.new_id(at),
            content=content,
            recorded_at=at,
            speaker=speaker,
            session=session,
            position=position,
            **given,
        )
        memory.store.write(memory.put(turn, is_new=True))
        return turn.id

    def memory(self, content: str, kind: MemoryKind, **more: Any) -> str:
        self._app.wait(minutes=5)
        memory, at = self._memory(), self._app.now
        made = Memory(id=memory.new_id(at), content=content, at=at, recorded_at=at, actor="ann", kind=kind, **more)
        memory.store.write(memory.put(made, is_new=True))
        return made.id

    def forget(self, turn: str) -> None:
        memory = self._memory()
        record = memory.find(turn)
        assert isinstance(record, Turn)
        memory.store.write(memory.put(replace(record, forgotten_at=memory.now()), is_new=False))

    def _memory(self) -> MemoryProject:
        return open_memory(self._app.services, self._app.caller, self._app.clock)
