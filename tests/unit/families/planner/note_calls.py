"""Calls that tests of notes make again and again."""

from datetime import timedelta
from typing import Any

from tests.unit.families.planner.houses import House


def create(house: House, title: str, **more: Any) -> str:
    house.clock.instant += timedelta(seconds=1)
    return house.do("notes_create", title=title, **more)["id"]


def found(house: House, **asked: Any) -> list[str]:
    return [note["title"] for note in house.do("notes_search", **asked)["notes"]]


def get(house: House, note_id: str, **more: Any) -> dict[str, Any]:
    return house.do("notes_get", noteId=note_id, **more)
