"""Calls that tests of notes make again and again."""

from datetime import timedelta
from typing import Any

from tests.project_app import ProjectApp


def create(app: ProjectApp, title: str, **more: Any) -> str:
    app.clock.instant += timedelta(seconds=1)
    return app.do("notes_create", title=title, **more)["id"]


def search_titles(app: ProjectApp, **asked: Any) -> list[str]:
    return [note["title"] for note in app.do("notes_search", **asked)["notes"]]


def get(app: ProjectApp, note_id: str, **more: Any) -> dict[str, Any]:
    return app.do("notes_get", noteId=note_id, **more)
