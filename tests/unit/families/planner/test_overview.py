"""The planner at a glance."""

from datetime import timedelta
from typing import Any

import pytest

from tests.project_app import ProjectApp


def event(app: ProjectApp, title: str, date: str, **fields: Any) -> str:
    return app.do("calendar_create_event", title=title, date=date, **fields)["id"]


def test_an_empty_planner_shows_a_week_and_a_free_day(app: ProjectApp) -> None:
    seen = app.do("daily_overview")
    assert (seen["dateFrom"], seen["dateTo"], seen["today"]) == ("2026-02-18", "2026-02-24", "2026-02-18")
    assert (seen["items"], seen["overdue"], seen["journal"]) == ([], [], [])
    assert seen["stats"] == {"total": 0, "done": 0, "pending": 0, "overdue": 0}
    assert (seen["freeToday"]["minutes"], seen["freeToday"]["minutesUntil17"]) == (14 * 60 + 30, 7 * 60 + 30)


@pytest.mark.parametrize(
    ("days", "last"),
    [(1, "2026-02-18"), (0, "2026-02-18"), (-3, "2026-02-18"), (31, "2026-03-20"), (400, "2026-03-20")],
)
def test_days_are_brought_between_one_and_31(app: ProjectApp, days: int, last: str) -> None:
    assert app.do("daily_overview", startDate="today", days=days)["dateTo"] == last


def test_events_tasks_bookings_and_cards_stand_in_one_order(app: ProjectApp) -> None:
    event(app, "Talk", "today", type="event", time="15:00")
    event(app, "Call", "today", status="done")
    event(app, "Later", "2026-03-20")
    app.do(
        "book_slot",
        calendar_id="primary",
        start="2026-02-19T10:00:00-05:00",
        end="2026-02-19T10:30:00-05:00",
        summary="Booked",
    )
    card = app.do("kanban_create_card", columnId="col_done", title="Card", dueDate="tomorrow")
    seen = app.do("daily_overview")
    assert [(one["title"], one["date"], one["time"], one["source"], one["status"]) for one in seen["items"]] == [
        ("Call", "2026-02-18", None, "calendar", "done"),
        ("Talk", "2026-02-18", "15:00", "calendar", "pending"),
        ("Card", "2026-02-19", None, "kanban", "done"),
        ("Booked", "2026-02-19", "10:00", "calendar", "pending"),
    ]
    assert seen["stats"] == {"total": 4, "done": 2, "pending": 2, "overdue": 0}
    assert seen["freeToday"]["minutes"] == 14 * 60 + 30 - 60
    assert seen["items"][2]["id"] == card["id"]


def test_what_is_past_and_open_is_overdue(app: ProjectApp) -> None:
    event(app, "Old task", "2026-01-05")
    event(app, "Old done", "2026-01-06", status="done")
    event(app, "Old event", "2026-02-17", type="event")
    event(app, "Chore", "2026-02-16", recurrence={"frequency": "daily", "count": 4})
    app.do("kanban_create_card", columnId="col_todo", title="Old card", dueDate="2026-02-01")
    app.do("kanban_create_card", columnId="col_done", title="Done card", dueDate="2026-02-01")
    seen = app.do("daily_overview")
    assert [(one["title"], one["date"]) for one in seen["overdue"]] == [
        ("Old task", "2026-01-05"),
        ("Old card", "2026-02-01"),
        ("Chore", "2026-02-16"),
        ("Chore", "2026-02-17"),
    ]
    assert seen["stats"]["overdue"] == 4


def test_fifty_overdue_items_are_shown_the_oldest_first_and_that_there_are_more_is_said(app: ProjectApp) -> None:
    for number in range(30):
        day = f"2026-01-{number + 1:02}"
        event(app, f"Task {day}", day)
        app.do("kanban_create_card", columnId="col_todo", title=f"Card {day}", dueDate=day)
    event(app, "Chore", "2026-02-17", recurrence={"frequency": "daily", "count": 2})
    seen = app.do("daily_overview")
    days = [f"2026-01-{number + 1:02}" for number in range(25)]
    assert [one["title"] for one in seen["overdue"]] == [f"{kind} {day}" for day in days for kind in ("Task", "Card")]
    assert (seen["stats"]["overdue"], seen["truncated"]) == (50, True)


def test_an_old_task_goes_before_newer_overdue_items(app: ProjectApp) -> None:
    event(app, "Chore", "2026-02-12", recurrence={"frequency": "weekly", "count": 1})
    for number in range(60):
        event(app, f"Task {number}", "2026-02-16")
    seen = app.do("daily_overview")
    assert seen["overdue"][0]["title"] == "Chore"
    assert (len(seen["overdue"]), seen["truncated"]) == (50, True)


def test_a_task_that_is_done_moved_or_made_an_event_is_no_longer_overdue(app: ProjectApp) -> None:
    ids = [event(app, str(number), "2026-01-05") for number in range(3)]
    app.do("calendar_update_event", eventId=ids[0], status="done")
    app.do("calendar_update_event", eventId=ids[1], date="tomorrow")
    app.do("calendar_update_event", eventId=ids[2], type="event")
    assert app.do("daily_overview")["overdue"] == []


def test_time_makes_a_task_overdue(app: ProjectApp) -> None:
    event(app, "Task", "today")
    app.clock.instant += timedelta(days=2)
    seen = app.do("daily_overview")
    assert [one["title"] for one in seen["overdue"]] == ["Task"]


def test_the_journal_of_the_days_and_what_is_linked_are_shown(app: ProjectApp) -> None:
    talk = event(app, "Talk", "today", type="event")
    note = app.do("notes_create", title="Slides")["id"]
    app.do("journal_create", title="Good start", date="today", mood="calm")
    app.do("journal_create", title="Long ago", date="2026-01-01")
    app.do("items_link", fromItemId=note, fromItemType="note", toItemId=talk, toItemType="event")
    card = app.do("kanban_create_card", columnId="col_todo", title="Card", dueDate="today", eventLinks=[talk])
    seen = app.do("daily_overview")
    assert [(one["title"], one["mood"]) for one in seen["journal"]] == [("Good start", "calm")]
    by_title = {one["title"]: one for one in seen["items"]}
    assert {one["title"] for one in by_title["Talk"]["linked"]} == {"Slides", "Card"}
    assert (by_title["Card"]["linkedEventId"], by_title["Card"]["id"]) == (talk, card["id"])


def test_days_of_another_time_have_no_free_time_of_today(app: ProjectApp) -> None:
    assert app.do("daily_overview", startDate="tomorrow")["freeToday"] is None


def test_an_unknown_start_is_refused_in_the_envelope(app: ProjectApp) -> None:
    answer = app.call("daily_overview", startDate="whenever")
    assert answer["ok"] is False
    assert "startDate must be YYYY-MM-DD or a relative day" in answer["error"]
