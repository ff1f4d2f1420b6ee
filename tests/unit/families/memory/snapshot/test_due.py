"""What the planner adds to a snapshot, and what happens where it cannot."""

from almanac.families.memory.snapshot.due import today
from almanac.kernel.errors import Unavailable
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from tests.project_app import ProjectApp


def no_store() -> Store:
    raise Unavailable("The store does not answer.", "Try again.")


def test_a_planner_that_cannot_be_read_is_told_of(app: ProjectApp) -> None:
    found = today(Services({Store: no_store}), app.caller, app.clock, None)
    assert (found.date, found.candidates) == (None, ())
    assert "daily_overview" in found.notes[0]
    assert "does not answer" not in found.notes[0]


def test_tasks_done_today_are_left_out_and_events_stay(app: ProjectApp) -> None:
    for title, kind in (("Done", "task"), ("Open", "task"), ("Met", "event")):
        made = app.do("calendar_create_event", title=title, date="2026-02-18", time="06:00", type=kind)
        if title != "Open":
            app.do("calendar_update_event", eventId=made["id"], status="done")
    found = today(app.services, app.caller, app.clock, None)
    assert sorted(one.text for one in found.candidates) == ["Met", "Open"]


def test_more_than_the_planner_lists_at_once_is_told_of(app: ProjectApp) -> None:
    column = app.do("kanban_list_boards")["boards"][0]["columns"][0]["id"]
    for number in range(101):
        app.do("kanban_create_card", title=f"Card {number}", dueDate="2026-02-18", columnId=column)
    found = today(app.services, app.caller, app.clock, None)
    assert len(found.candidates) == 100
    assert found.notes == ("There is more due: see daily_overview.",)
