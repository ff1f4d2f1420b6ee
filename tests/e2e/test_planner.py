"""What is planned, in every kind of the planner."""

from secrets import token_hex
from typing import Any

import pytest

from tests.e2e.target import MODES, Target

PATH = "/planner"


@pytest.fixture
def title() -> str:
    return f"e2e {token_hex(6)}"


def _done(planner: Target, tool: str, mode: str = "auto", **arguments: Any) -> Any:
    answer = planner.ask(tool, PATH, mode=mode, **arguments)
    assert answer["ok"], answer["error"]
    return answer["data"]


@pytest.mark.parametrize("mode", MODES)
def test_a_task_that_was_created_is_listed(planner: Target, title: str, mode: str):
    _done(planner, "calendar_create_event", mode, title=title, date="2031-05-06", time="09:00")
    found = _done(planner, "calendar_list_events", mode, q=title, dateFrom="2031-05-06", dateTo="2031-05-06")
    assert [event["title"] for event in found["events"]] == [title]


@pytest.mark.parametrize("mode", MODES)
def test_a_card_stands_in_its_column(planner: Target, title: str, mode: str):
    board = _done(planner, "kanban_list_boards", mode)["boards"][0]
    column = board["columns"][0]["id"]
    _done(planner, "kanban_create_card", mode, columnId=column, title=title)
    cards = _done(planner, "kanban_list_cards", mode, columnId=column)["cards"]
    assert title in [card["title"] for card in cards]


def test_a_note_is_found_by_its_words(planner: Target, title: str):
    _done(planner, "notes_create", title=title, body="Nothing is lost.")
    assert title in str(_done(planner, "notes_search", q=title))


def test_a_day_is_seen_as_a_whole(planner: Target, title: str):
    _done(planner, "calendar_create_event", title=title, date="2031-05-07", time="09:00")
    assert title in str(_done(planner, "daily_overview", startDate="2031-05-07"))
