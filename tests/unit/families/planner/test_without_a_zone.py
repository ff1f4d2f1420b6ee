"""A call needs a time zone only where it reads a wall time, or shows one and no argument has an offset."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.app import Json, ToolRefusal
from tests.project_app import ProjectApp, planner_app


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    app = planner_app(tmp_path)
    app.caller = replace(app.caller, default_timezone=None)
    return app


@pytest.fixture
def column(app: ProjectApp) -> str:
    return app.do("kanban_list_boards")["boards"][0]["columns"][0]["id"]


def test_notes_are_written_and_read_and_their_instants_are_shown_in_utc(app: ProjectApp) -> None:
    made = app.do("notes_create", title="Plan", body="Use Postgres.")
    app.do("notes_update", noteId=made["id"], body="Use SQLite.")

    read = app.do("notes_get", noteId=made["id"])

    assert read["body"] == "Use SQLite."
    assert read["updatedAt"].endswith("+00:00")
    assert [one["id"] for one in app.do("notes_search", q="sqlite")["notes"]] == [made["id"]]


def test_a_day_in_figures_is_a_day_of_the_journal_and_words_are_refused(app: ProjectApp) -> None:
    made = app.do("journal_create", title="Calm", date="2026-02-17")

    assert app.do("journal_get", entryId=made["id"])["date"] == "2026-02-17"
    assert app.do("journal_update", entryId=made["id"], mood="good")["mood"] == "good"
    assert app.do("journal_list", dateFrom="2026-02-01", dateTo="2026-02-28")["count"] == 1
    for arguments in ({"date": "yesterday"}, {"dateFrom": "last week"}):
        assert refusal(app, "journal_list", **arguments) == "TIMEZONE_NOT_CONFIGURED"


def test_a_card_with_a_day_needs_none_and_one_with_a_local_time_does(app: ProjectApp, column: str) -> None:
    made = app.do("kanban_create_card", columnId=column, title="Ship", dueDate="2026-03-20")
    moved = app.do("kanban_move_card", cardId=made["id"], columnId=column, position=5)

    assert (made["dueDate"], made["dueTime"], moved["dueDate"]) == ("2026-03-20", None, "2026-03-20")
    assert made["createdAt"].endswith("+00:00")
    for arguments in ({"dueTime": "17:00"}, {"dueDate": "tomorrow"}, {"dueDate": "2026-03-20 17:00"}):
        assert refusal(app, "kanban_update_card", cardId=made["id"], **arguments) == "TIMEZONE_NOT_CONFIGURED"


def test_a_due_time_is_shown_in_the_zone_in_which_it_was_set_and_keeps_it(app: ProjectApp, column: str) -> None:
    made = app.do(
        "kanban_create_card",
        columnId=column,
        title="Ship",
        dueDate="2026-03-20",
        dueTime="17:00",
        timezone="Asia/Tokyo",
    )

    listed = app.do("kanban_list_cards")["cards"][0]
    moved = app.do("kanban_update_card", cardId=made["id"], dueDate="2026-03-21")

    assert due(listed) == ("2026-03-20", "17:00", "Asia/Tokyo")
    assert due(moved) == ("2026-03-21", "17:00", "Asia/Tokyo")


def test_a_due_time_with_an_offset_is_answered_in_that_offset(app: ProjectApp, column: str) -> None:
    made = app.do("kanban_create_card", columnId=column, title="Ship", dueDate="2026-03-20T17:00:00-04:00")

    assert due(made) == ("2026-03-20", "17:00", "-04:00")
    assert due(app.do("kanban_list_cards", timezone="Asia/Tokyo")["cards"][0]) == ("2026-03-21", "06:00", "Asia/Tokyo")
    assert due(app.do("kanban_list_cards")["cards"][0]) == ("2026-03-20", "21:00", "UTC")


def test_an_event_with_an_offset_is_answered_in_it_and_stored_in_no_offset(app: ProjectApp) -> None:
    made = app.do("calendar_create_event", title="Call", type="event", date="2026-03-02T16:00:00+05:30")

    assert (made["start"], made["time"], made["timezone"]) == ("2026-03-02T16:00:00+05:30", "16:00", "+05:30")
    moved = app.do("calendar_update_event", eventId=made["id"], date="2026-03-02T17:00:00+05:30")
    assert moved["start"] == "2026-03-02T17:00:00+05:30"
    assert "vtimezone" not in str(app.do("calendar_get_event", eventId=made["id"], timezone="Asia/Tokyo"))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("calendar_create_event", {"title": "Call", "date": "2026-03-02"}),
        ("calendar_create_event", {"title": "Call", "date": "2026-03-02", "time": "10:00"}),
        (
            "calendar_create_event",
            {"title": "Call", "date": "2026-03-02T10:00:00+02:00", "recurrence": {"frequency": "weekly"}},
        ),
        ("calendar_list_events", {}),
        ("daily_overview", {}),
        ("journal_create", {"title": "x", "date": "today"}),
    ],
)
def test_wall_times_are_refused_before_anything_is_written(app: ProjectApp, tool: str, arguments: Json) -> None:
    assert refusal(app, tool, **arguments) == "TIMEZONE_NOT_CONFIGURED"

    assert app.do("calendar_list_events", timezone="UTC")["events"] == []


def due(card: Json) -> tuple[str | None, str | None, str | None]:
    return card["dueDate"], card["dueTime"], card["dueTimezone"]


def refusal(app: ProjectApp, tool: str, **arguments: object) -> str | None:
    with pytest.raises(ToolRefusal) as refused:
        app.do(tool, **arguments)
    return refused.value.code
