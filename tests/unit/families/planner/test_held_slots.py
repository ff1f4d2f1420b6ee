"""Test held slots among events: in lists, in search and in the overview, while they are held."""

from datetime import timedelta
from typing import Any

from tests.project_app import ProjectApp


def hold_slot(app: ProjectApp, summary: str, **fields: Any) -> dict[str, Any]:
    slot = {"start": "2026-02-18T15:00:00-05:00", "end": "2026-02-18T15:30:00-05:00"}
    return app.do("hold_slot", calendar_id="primary", summary=summary, ttl_seconds=600, **(slot | fields))


def titles(app: ProjectApp, **asked: Any) -> list[str]:
    return [row["title"] for row in app.do("calendar_list_events", **asked)["events"]]


def test_a_held_slot_is_listed_until_it_is_over(app: ProjectApp) -> None:
    app.do("calendar_create_event", title="Talk", date="today", time="16:00", type="event")
    hold = hold_slot(app, "Dentist")

    first, second = app.do("calendar_list_events")["events"]

    assert (first["id"], first["title"], first["busy"]) == (hold["hold_id"], "Dentist", True)
    assert (first["start"], first["time"], first["endTime"]) == ("2026-02-18T15:00:00-05:00", "15:00", "15:30")
    assert first["heldUntil"] == hold["expires_at"]
    assert (second["title"], "heldUntil" in second) == ("Talk", False)
    app.clock.instant += timedelta(seconds=601)
    assert titles(app) == ["Talk"]


def test_a_held_slot_is_searched_and_narrowed_as_events_are(app: ProjectApp) -> None:
    hold_slot(app, "Dentist with Ann")
    hold_slot(app, "", start="2026-02-19T15:00:00-05:00", end="2026-02-19T15:30:00-05:00")

    assert titles(app, q="ann dentist") == ["Dentist with Ann"]
    assert titles(app, q="surgeon") == []
    assert titles(app, type="event", status="pending") == ["Dentist with Ann", ""]
    assert titles(app, type="task") == titles(app, status="done") == []
    assert titles(app, dateFrom="2026-02-19", dateTo="2026-02-19") == [""]
    page = app.do("calendar_list_events", limit=1)
    assert [row["title"] for row in page["events"]] == ["Dentist with Ann"]
    assert titles(app, limit=1, cursor=page["nextCursor"]) == [""]


def test_whole_days_and_each_instance_of_a_series_are_held(app: ProjectApp) -> None:
    hold_slot(app, "Fair", start="2026-02-23", end="2026-02-25")
    hold_slot(app, "Class", recurrence="FREQ=WEEKLY;COUNT=2")

    rows = app.do("calendar_list_events")["events"]

    assert [(row["title"], row["date"], row["endDate"], row["time"]) for row in rows] == [
        ("Class", "2026-02-18", "2026-02-18", "15:00"),
        ("Fair", "2026-02-23", "2026-02-24", None),
        ("Class", "2026-02-25", "2026-02-25", "15:00"),
    ]


def test_the_overview_shows_held_slots(app: ProjectApp) -> None:
    hold = hold_slot(app, "Dentist")

    seen = app.do("daily_overview")

    (item,) = seen["items"]
    assert (item["id"], item["title"], item["heldUntil"]) == (hold["hold_id"], "Dentist", hold["expires_at"])
    assert seen["freeToday"]["minutes"] == 14 * 60
