"""Test the planner's events for tasks that the calendar's own tools change."""

from typing import Any

from almanac.families.planner.core.records import LINKS, MARKS
from tests.project_app import ProjectApp


def task(app: ProjectApp, **more: Any) -> str:
    return app.do("calendar_create_event", **({"title": "Report", "date": "2026-02-20", "time": "14:00"} | more))["id"]


def series(app: ProjectApp, **more: Any) -> str:
    asked = {"title": "Water plants", "date": "2026-02-19", "time": "08:00", "type": "task"} | more
    recurrence = {"frequency": "daily", "count": 5}
    return app.do("calendar_create_event", **asked, recurrence=recurrence)["recurrenceSeriesId"]


def move(app: ProjectApp, event_id: str, start: str) -> None:
    app.do("reschedule_booking", calendar_id="primary", booking_id=event_id, start=start)
    app.react()


def overdue(app: ProjectApp) -> list[str]:
    return [one["id"] for one in app.do("daily_overview")["overdue"]]


def state_of(app: ProjectApp, event_id: str) -> tuple[str, str, str]:
    row = app.do("calendar_get_event", eventId=event_id)
    return row["type"], row["status"], row["date"]


def test_a_task_that_is_moved_into_the_past_is_overdue(app: ProjectApp) -> None:
    report = task(app)
    move(app, report, "2026-02-16T14:00:00-05:00")
    assert overdue(app) == [report]
    move(app, report, "2026-02-21T14:00:00-05:00")
    assert overdue(app) == []
    assert not MARKS.within(app.store, app.caller.scope).query(index="gsi1", until="2026-02-18").records


def test_a_moved_instance_of_tasks_is_a_task(app: ProjectApp) -> None:
    plants = series(app)
    move(app, f"{plants}_20260219", "2026-02-17T08:00:00-05:00")
    move(app, f"{plants}_20260220", "2026-02-25T08:00:00-05:00")
    assert state_of(app, f"{plants}_20260219") == ("task", "pending", "2026-02-17")
    assert state_of(app, f"{plants}_20260220") == ("task", "pending", "2026-02-25")
    assert overdue(app) == [f"{plants}_20260219"]
    listed = app.do("calendar_list_events", type="task")["events"]
    assert len(listed) == 5


def test_what_was_said_of_one_instance_stays_when_it_is_moved(app: ProjectApp) -> None:
    plants = series(app)
    app.do("calendar_update_event", eventId=f"{plants}_20260220", type="event")
    app.do("calendar_update_event", eventId=f"{plants}_20260221", status="done")
    for day in ("20", "21"):
        move(app, f"{plants}_202602{day}", f"2026-02-{day}T17:00:00-05:00")
    assert state_of(app, f"{plants}_20260220") == ("event", "pending", "2026-02-20")
    assert state_of(app, f"{plants}_20260221") == ("task", "done", "2026-02-21")


def test_a_move_leaves_marks_of_what_is_no_task_alone(app: ProjectApp) -> None:
    meeting = task(app, type="event")
    move(app, meeting, "2026-02-21T14:00:00-05:00")
    assert state_of(app, meeting) == ("event", "pending", "2026-02-21")
    assert not MARKS.within(app.store, app.caller.scope).query().records


def test_nothing_is_left_of_the_instances_of_a_series_that_the_calendar_cancels(app: ProjectApp) -> None:
    plants, note = series(app), app.do("notes_create", title="Plants")["id"]
    for day in range(19, 24):
        app.do("calendar_update_event", eventId=f"{plants}_202602{day}", time="09:00")
    for day in (20, 21):
        app.do(
            "items_link",
            fromItemId=note,
            fromItemType="note",
            toItemId=f"{plants}_202602{day}",
            toItemType="task",
        )
    app.do("cancel_booking", calendar_id="primary", booking_id=plants)
    app.react()
    assert not MARKS.within(app.store, app.caller.scope).query().records
    assert not LINKS.within(app.store, app.caller.scope).query().records
