"""Test reading a whole event by its id, its participants, and the time of done tasks."""

import pytest

from tests.app import ToolRefusal
from tests.project_app import ProjectApp


def test_one_event_is_read_with_everything(app: ProjectApp) -> None:
    made = app.do(
        "calendar_create_event",
        title="Talk",
        description="Bring slides.",
        date="2026-02-20",
        time="14:00",
        type="event",
        location="Room 4",
        attendees=["ann@example.com", "Bob@example.com"],
    )
    card = app.do("kanban_create_card", columnId="col_todo", title="Slides", eventLinks=[made["id"]])["id"]
    read = app.do("calendar_get_event", eventId=made["id"])
    assert (read["title"], read["description"], read["location"], read["start"]) == (
        "Talk",
        "Bring slides.",
        "Room 4",
        "2026-02-20T14:00:00-05:00",
    )
    assert read["attendees"] == ["ann@example.com", "Bob@example.com"]
    assert [(one["itemId"], one["itemTitle"]) for one in read["links"]] == [(card, "Slides")]
    assert (read["editable"], read["untrusted"], read["calendarId"], read["moreLinks"]) == (
        True,
        True,
        "primary",
        False,
    )
    with pytest.raises(ToolRefusal, match="Event not found"):
        app.do("calendar_get_event", eventId="nothing")


def test_an_instance_and_its_series_are_read_by_their_ids(app: ProjectApp) -> None:
    rule = {"frequency": "daily", "count": 5}
    series = app.do("calendar_create_event", title="Run", date="tomorrow", time="07:00", recurrence=rule)
    rows = app.do("calendar_list_events")["events"]
    app.do("calendar_update_event", eventId=rows[1]["id"], title="Walk")
    app.do("calendar_delete_event", eventId=rows[3]["id"])
    for row in (rows[0], rows[2]):
        read = app.do("calendar_get_event", eventId=row["id"])
        assert {name: read[name] for name in row if name != "revision"} == {
            name: told for name, told in row.items() if name != "revision"
        }
    assert app.do("calendar_get_event", eventId=rows[1]["id"])["title"] == "Walk"
    whole = app.do("calendar_get_event", eventId=series["recurrenceSeriesId"])
    assert (whole["id"], whole["exdates"]) == (series["recurrenceSeriesId"], [rows[3]["date"]])
    assert whole["recurrence"]["rrule"] == "FREQ=DAILY;COUNT=5"


def test_attendees_are_addresses_and_are_replaced_together(app: ProjectApp) -> None:
    made = app.do("calendar_create_event", title="Talk", date="tomorrow", attendees=["ann@example.com"])
    for wrong in ("not an email", "ann@", "@example.com", "ann@example", "Ann <ann@example.com>", ""):
        with pytest.raises(ToolRefusal, match="e-mail address"):
            app.do("calendar_update_event", eventId=made["id"], attendees=[wrong])
    assert app.do("calendar_get_event", eventId=made["id"])["attendees"] == ["ann@example.com"]
    changed = app.do("calendar_update_event", eventId=made["id"], attendees=["bob@example.com"])
    assert changed["attendees"] == ["bob@example.com"]
    assert app.do("calendar_list_events")["events"][0]["attendees"] == ["bob@example.com"]
    assert app.do("calendar_update_event", eventId=made["id"], attendees=[])["attendees"] == []


SLOT = {"calendar_id": "primary", "start": "2026-02-20T14:00:00-05:00", "end": "2026-02-20T14:30:00-05:00"}


def test_a_done_task_frees_its_time_and_takes_it_again_when_reopened(app: ProjectApp) -> None:
    task = app.do("calendar_create_event", title="Write", date="2026-02-20", time="14:00", type="task")
    assert task["busy"]
    assert not app.do("check_availability", **SLOT)["available"]
    assert not app.do("calendar_update_event", eventId=task["id"], status="done")["busy"]
    assert app.do("check_availability", **SLOT)["available"]
    reopened = app.do("calendar_update_event", eventId=task["id"], status="pending")
    assert (reopened["busy"], reopened["conflicts"]) == (True, [])
    assert not app.do("check_availability", **SLOT)["available"]


def test_a_reopened_task_whose_time_is_taken_says_by_what_and_takes_none(app: ProjectApp) -> None:
    task = app.do("calendar_create_event", title="Write", date="2026-02-20", time="14:00", type="task")
    app.do("calendar_update_event", eventId=task["id"], status="done")
    app.do("book_slot", summary="Call", **SLOT)
    reopened = app.do("calendar_update_event", eventId=task["id"], status="pending")
    assert (reopened["busy"], [one["title"] for one in reopened["conflicts"]]) == (False, ["Call"])
    # Moved to where it is free and done again, it is no longer in the way either.
    app.do("calendar_update_event", eventId=task["id"], date="2026-02-21", busy=True)
    assert not app.do("calendar_update_event", eventId=task["id"], status="done")["busy"]


def test_a_task_that_never_took_time_takes_none_when_reopened(app: ProjectApp) -> None:
    task = app.do("calendar_create_event", title="Write", date="2026-02-20", time="14:00", type="task", busy=False)
    app.do("calendar_update_event", eventId=task["id"], status="done")
    assert not app.do("calendar_update_event", eventId=task["id"], status="pending")["busy"]
