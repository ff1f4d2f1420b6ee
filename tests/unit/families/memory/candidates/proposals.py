"""Read candidates through the tools, as a caller sees them."""

from typing import Any

from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import record


def list_candidates(app: ProjectApp, **arguments: Any) -> list[Json]:
    return app.do("list_candidates", **arguments)["candidates"]


def propose_one(app: ProjectApp, content: str, **fields: Any) -> Json:
    """Record a turn that makes one statement, and return its candidate."""
    turn = record(app, content, **fields)
    app.react()
    (candidate,) = [one for one in list_candidates(app) if one["turn_id"] == turn.id]
    return candidate
