"""Candidates as a caller sees them."""

from typing import Any

from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import record


def candidates(app: ProjectApp, **arguments: Any) -> list[Json]:
    return app.do("list_candidates", **arguments)["candidates"]


def proposed(app: ProjectApp, content: str, **fields: Any) -> Json:
    """The candidate of a turn that states one thing."""
    turn = record(app, content, **fields)
    app.react()
    (candidate,) = [one for one in candidates(app) if one["turn_id"] == turn.id]
    return candidate
