"""Events and tasks of the calendar "primary"."""

import re
from typing import Any

import msgspec
import pytest

from tests.app import ToolRefusal
from tests.project_app import ProjectApp
from tests.unit.families.planner.agenda import agenda


def make(app: ProjectApp, **fields: Any) -> dict[str, Any]:
    return app.do("calendar_create_event", **({"title": "Plan", "date": "2026-02-20"} | fields))


def test_a_new_entry_is_a_pending_task_unless_more_is_said(app: ProjectApp) -> None:
    made = make(app)
    assert (made["type"], made["status"], made["description"], made["time"]) == ("task", "pending", "", None)
    assert (made["dayOfWeek"], made["revision"], made["busy"]) == ("Friday", 1, False)


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("today", "2026-02-18"),
        ("Tomorrow", "2026-02-19"),
        ("day after tomorrow", "2026-02-20"),
        ("послезавтра", "2026-02-20"),
        ("вчера", "2026-02-17"),
        ("next friday", "2026-02-20"),
        ("in 3 days", "2026-02-21"),
        ("2026-12-31", "2026-12-31"),
    ],
)
def test_days_may_be_said_in_words(app: ProjectApp, said: str, day: str) -> None:
    assert make(app, date=said)["date"] == day


def test_words_are_read_on_the_callers_clock(app: ProjectApp) -> None:
    app.caller = replace_zone(app, "Pacific/Kiritimati")
    assert make(app, date="today")["date"] == "2026-02-19"


def replace_zone(app: ProjectApp, zone: str) -> Any:
    caller = app.caller
    return type(caller)(caller.scope, caller.actor, caller.key_id, default_timezone=zone)


def test_a_day_in_words_may_say_the_time(app: ProjectApp) -> None:
    made = make(app, date="next friday at 3pm")
    assert (made["date"], made["time"], made["endTime"]) == ("2026-02-20", "15:00", "15:30")


@pytest.mark.parametrize("date", ["someday", "2026-02-30", "32", ""])
def test_a_day_that_is_not_understood_is_refused_with_the_forms(app: ProjectApp, date: str) -> None:
    with pytest.raises(ToolRefusal, match="YYYY-MM-DD or a relative day"):
        make(app, date=date)


@pytest.mark.parametrize("time", ["25:00", "soon", "tomorrow"])
def test_a_time_that_is_none_is_refused(app: ProjectApp, time: str) -> None:
    with pytest.raises(ToolRefusal, match="time must be a time of day"):
        make(app, time=time)


def test_titles_and_bodies_are_bounded(app: ProjectApp) -> None:
    assert make(app, title="x" * 200, description="y" * 100_000)["title"] == "x" * 200
    with pytest.raises(ToolRefusal, match="over 200"):
        make(app, title="x" * 201)
    with pytest.raises(ToolRefusal, match="over 100000"):
        make(app, description="ü" * 50_001)
    with pytest.raises(ToolRefusal, match="title is empty"):
        make(app, title="  ")


def test_an_event_with_a_time_blocks_its_slot_for_bookings(app: ProjectApp) -> None:
    make(app, type="event", time="14:00")
    slot = {"calendar_id": "primary", "start": "2026-02-20T14:30:00-05:00", "end": "2026-02-20T15:00:00-05:00"}
    assert not app.do("check_availability", **slot)["available"]
    outcome = app.outcome("book_slot", slot | {"summary": "Call"})
    assert outcome.is_error
    assert "Plan" in outcome.content[0]["text"]


def test_a_task_without_a_time_leaves_the_day_free_and_an_event_does_not(app: ProjectApp) -> None:
    day = {"calendar_id": "primary", "start": "2026-02-20T09:00:00-05:00", "end": "2026-02-20T17:00:00-05:00"}
    make(app)
    assert app.do("check_availability", **day)["available"]
    made = make(app, type="event", busy=False)
    assert app.do("check_availability", **day)["available"]
    app.do("calendar_update_event", eventId=made["id"], busy=True)
    assert not app.do("check_availability", **day)["available"]


def test_a_booking_shows_among_the_events_and_can_be_ticked_off(app: ProjectApp) -> None:
    booked = app.do(
        "book_slot",
        calendar_id="primary",
        start="2026-02-20T14:00:00-05:00",
        end="2026-02-20T14:45:00-05:00",
        summary="Call Ann",
    )
    assert agenda(app) == [("2026-02-20", "14:00", "Call Ann")]
    assert agenda(app, type="event", status="pending", q="call ann") == [("2026-02-20", "14:00", "Call Ann")]
    changed = app.do("calendar_update_event", eventId=booked["event_id"], status="done")
    assert (changed["status"], changed["durationMinutes"]) == ("done", 45)
    assert agenda(app, status="pending") == []
    app.do("calendar_delete_event", eventId=booked["event_id"])
    again = app.do("cancel_booking", calendar_id="primary", booking_id=booked["booking_id"])
    assert again["already"]


def test_what_the_planner_makes_shows_in_the_calendar_family(app: ProjectApp) -> None:
    make(app, type="event", time="9am", title="Standup")
    listed = app.do(
        "list_events", calendar_id="primary", start="2026-02-20T00:00:00-05:00", end="2026-02-21T00:00:00-05:00"
    )
    assert "Standup" in listed["content"]


def test_an_overlap_is_kept_and_told(app: ProjectApp) -> None:
    first = make(app, type="event", time="14:00", title="First")
    second = make(app, type="event", time="14:30", title="Second")
    assert [one["id"] for one in second["conflicts"]] == [first["id"]]
    assert (second["conflicts"][0]["title"], second["conflicts"][0]["dayOfWeek"]) == ("First", "Friday")
    assert make(app, type="event", time="16:00")["conflicts"] == []


def test_only_what_is_given_changes_and_the_revision_grows(app: ProjectApp) -> None:
    made = make(app, description="why", time="10:00", durationMinutes=45)
    changed = app.do("calendar_update_event", eventId=made["id"], title="Other", date="2026-02-23", revision=1)
    assert (changed["title"], changed["description"], changed["date"]) == ("Other", "why", "2026-02-23")
    assert (changed["time"], changed["durationMinutes"], changed["revision"]) == ("10:00", 45, 2)


def test_an_old_revision_is_a_conflict_that_names_both(app: ProjectApp) -> None:
    made = make(app)
    app.do("calendar_update_event", eventId=made["id"], title="Other")
    with pytest.raises(ToolRefusal, match=r"Edit conflict.*expected revision 1, got 2") as refused:
        app.do("calendar_update_event", eventId=made["id"], title="Mine", revision=1)
    assert refused.value.code == "revision_conflict"
    with pytest.raises(ToolRefusal, match="Edit conflict"):
        app.do("calendar_delete_event", eventId=made["id"], revision=1)
    assert agenda(app) == [("2026-02-20", None, "Other")]


def test_an_update_without_a_change_is_refused(app: ProjectApp) -> None:
    made = make(app)
    with pytest.raises(ToolRefusal, match="nothing to change"):
        app.do("calendar_update_event", eventId=made["id"], revision=1)


def test_a_time_is_taken_away_by_an_empty_text(app: ProjectApp) -> None:
    made = make(app, time="10:00")
    assert made["busy"]
    changed = app.do("calendar_update_event", eventId=made["id"], time="")
    assert (changed["time"], changed["busy"]) == (None, False)


def test_an_unknown_event_is_not_found(app: ProjectApp) -> None:
    for tool in ("calendar_update_event", "calendar_delete_event"):
        arguments = {"eventId": "nothing"} | ({"title": "x"} if "update" in tool else {})
        answer = msgspec.json.decode(app.outcome(tool, arguments).structured or b"")
        assert answer["ok"] is False
        assert answer["data"] is None
        assert 'Event not found: "nothing"' in answer["error"]


def test_filters_narrow_the_list(app: ProjectApp) -> None:
    make(app, title="Write report", type="task")
    make(app, title="Party", type="event", status="done", date="2026-02-21")
    assert agenda(app, type="task") == [("2026-02-20", None, "Write report")]
    assert agenda(app, status="done") == [("2026-02-21", None, "Party")]
    assert agenda(app, q="REPORT write") == [("2026-02-20", None, "Write report")]
    assert agenda(app, dateFrom="2026-02-21", dateTo="2026-02-21") == [("2026-02-21", None, "Party")]
    assert agenda(app, dateTo="2026-02-20") == [("2026-02-20", None, "Write report")]


def test_without_dates_what_lies_ahead_comes_first_then_the_past_backwards(app: ProjectApp) -> None:
    for day in ("2026-02-01", "2026-02-18", "2026-02-10", "2026-06-01"):
        make(app, date=day, title=day)
    expected = ["2026-02-18", "2026-06-01", "2026-02-10", "2026-02-01"]
    assert [day for day, _, _ in agenda(app)] == expected
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = app.do("calendar_list_events", limit=1, **cursor)
        seen += [one["date"] for one in page["events"]]
        if not page["truncated"]:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert seen == expected


def test_pages_of_a_series_without_end_never_repeat_nor_miss_an_instance(app: ProjectApp) -> None:
    make(app, recurrence={"frequency": "daily"}, time="09:00")
    first = app.do("calendar_list_events", dateFrom="2026-02-20", limit=70)
    second = app.do("calendar_list_events", dateFrom="2026-02-20", limit=70, cursor=first["nextCursor"])
    days = [one["date"] for one in first["events"] + second["events"]]
    assert len(days) == len(set(days)) == 140
    assert days == sorted(days)


@pytest.mark.parametrize(("limit", "count"), [(0, 1), (-5, 1), (2.7, 2), (1e300, 3)])
def test_a_limit_is_brought_between_its_bounds(app: ProjectApp, limit: float, count: int) -> None:
    for day in ("2026-02-19", "2026-02-20", "2026-02-21"):
        make(app, date=day)
    assert len(agenda(app, limit=limit)) == count


def test_a_deleted_task_is_gone_with_its_mark(app: ProjectApp) -> None:
    made = make(app)
    assert app.do("calendar_delete_event", eventId=made["id"])["deleted"]
    assert agenda(app) == []
    with pytest.raises(ToolRefusal, match="Event not found"):
        app.do("calendar_delete_event", eventId=made["id"])


def test_projects_do_not_see_each_others_events(app: ProjectApp) -> None:
    make(app)
    other = type(app.caller)(replace_scope(app), "bob", "key", default_timezone="UTC")
    assert app.call("calendar_list_events", caller=other)["data"]["events"] == []


def replace_scope(app: ProjectApp) -> Any:
    return type(app.caller.scope)("acme", "other")


def test_what_lasts_longer_than_a_year_is_refused(app: ProjectApp) -> None:
    with pytest.raises(ToolRefusal, match='"durationMinutes" must be from 1 to 527040'):
        make(app, time="10:00", durationMinutes=10**15)


@pytest.mark.parametrize(("revision", "said"), [(7, "7"), (1234567, "1234567"), (1.5, "1.5"), (1e300, "1e+300")])
def test_a_revision_that_cannot_be_is_a_conflict_too(app: ProjectApp, revision: float, said: str) -> None:
    made = make(app)
    with pytest.raises(ToolRefusal, match=re.escape(f"(expected revision {said}, got 1)")):
        app.do("calendar_update_event", eventId=made["id"], title="Other", revision=revision)
