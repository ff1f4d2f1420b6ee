"""The agenda of a planner, in short."""

from typing import Any

from tests.project_app import ProjectApp


def agenda(app: ProjectApp, **asked: Any) -> list[tuple[str, str | None, str]]:
    """Return date, time and title of each event that calendar_list_events lists."""
    return [(one["date"], one["time"], one["title"]) for one in app.do("calendar_list_events", **asked)["events"]]
