"""Candidates as a caller sees them."""

from typing import Any

from tests.unit.families.memory.memory_app import Json, MemoryApp
from tests.unit.families.memory.turn_making import record


def candidates(app: MemoryApp, **arguments: Any) -> list[Json]:
    return app.do("list_candidates", **arguments)["candidates"]


def proposed(app: MemoryApp, content: str, **fields: Any) -> Json:
    """The candidate of a turn that states one thing."""
    turn = record(app, content, **fields)
    app.react()
    (candidate,) = [one for one in candidates(app) if one["turn_id"] == turn.id]
    return candidate
