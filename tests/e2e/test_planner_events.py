"""Events and tasks, alone and as series, and the one calendar that they share with bookings."""

from datetime import date, datetime, timedelta

import pytest

from tests.e2e.local_stack import ZONE
from tests.e2e.planner_agent import PlannerAgent


def _titles(agent: PlannerAgent, first: date, days: int = 10) -> list[tuple[str, str, str]]:
    last = (first + timedelta(days=days)).isoformat()
    listed = agent.do("calendar_list_events", dateFrom=first.isoformat(), dateTo=last, limit=100)
    assert (listed["count"], listed["truncated"], listed["untrusted"]) == (len(listed["events"]), False, True)
    return [(one["date"], one["time"], one["title"]) for one in listed["events"]]


def _after(day: date, days: int) -> str:
    return (day + timedelta(days=days)).isoformat()


def test_a_task_is_made_changed_and_deleted(agent: PlannerAgent, title: str, day: date):
    made = agent.do("calendar_create_event", title=title, date=day.isoformat())
    assert (made["type"], made["status"], made["description"], made["time"]) == ("task", "pending", "", None)
    assert (made["dayOfWeek"], made["revision"], made["dst"]) == (f"{day:%A}", 1, "none")

    changed = agent.do("calendar_update_event", eventId=made["id"], time="2pm", status="done", revision=1)
    assert (changed["time"], changed["endTime"], changed["status"], changed["revision"]) == (
        "14:00",
        "14:30",
        "done",
        2,
    )
    found = agent.do("calendar_list_events", q=title.upper(), type="task", status="done")
    assert [one["id"] for one in found["events"]] == [made["id"]]
    assert agent.do("calendar_list_events", q=title, status="pending")["events"] == []

    read = agent.do("calendar_get_event", eventId=made["id"])
    assert (read["title"], read["status"], read["busy"], read["links"]) == (title, "done", False, [])

    gone = agent.do("calendar_delete_event", eventId=made["id"])
    assert (gone["title"], gone["deleted"], gone["seriesDeleted"]) == (title, True, False)
    agent.assert_refused("calendar_delete_event", "Event not found", eventId=made["id"])
    agent.assert_refused("calendar_get_event", "Event not found", eventId=made["id"])


@pytest.mark.parametrize("said", ["today", "tomorrow", "Day After Tomorrow", "послезавтра", "next friday", "in 3 days"])
def test_days_are_said_in_words(agent: PlannerAgent, title: str, said: str):
    made = agent.do("calendar_create_event", title=title, date=said)
    (found,) = agent.do("calendar_list_events", q=title, dateFrom=said, dateTo=said)["events"]
    assert found["id"] == made["id"]
    assert made["date"] >= agent.do("daily_overview", startDate=said, days=1)["today"]


def test_a_series_is_changed_in_each_scope(agent: PlannerAgent, day: date):
    daily = {"frequency": "daily", "count": 6}
    made = agent.do("calendar_create_event", title="Run", date=day.isoformat(), time="07:00", recurrence=daily)
    assert made["recurrence"] == {
        "rrule": "FREQ=DAILY;COUNT=6",
        "frequency": "daily",
        "interval": 1,
        "count": 6,
        "timezone": ZONE,
    }
    window = {"dateFrom": day.isoformat(), "dateTo": _after(day, 6)}
    ids = [one["id"] for one in agent.do("calendar_list_events", **window)["events"]]

    exception = agent.do("calendar_update_event", eventId=ids[1], title="Walk", date=_after(day, 8))
    assert (exception["recurrenceException"], exception["revision"]) == (True, 2)
    agent.do("calendar_update_event", eventId=ids[4], scope="this_and_following", time="08:00")
    agent.do("calendar_update_event", eventId=ids[0], scope="all", title="Jog")
    assert _titles(agent, day) == [
        (_after(day, 0), "07:00", "Jog"),
        (_after(day, 2), "07:00", "Jog"),
        (_after(day, 3), "07:00", "Jog"),
        (_after(day, 4), "08:00", "Run"),
        (_after(day, 5), "08:00", "Run"),
        (_after(day, 8), "07:00", "Walk"),
    ]
    weekly = {"rrule": "FREQ=WEEKLY;COUNT=2"}
    agent.do("calendar_update_event", eventId=ids[0], scope="all", recurrence=weekly)
    assert (_after(day, 7), "07:00", "Jog") in _titles(agent, day)


def test_deleting_goes_by_scope_and_the_last_instance_takes_the_series(agent: PlannerAgent, day: date):
    recurrence = {"frequency": "daily", "until": _after(day, 4)}
    made = agent.do("calendar_create_event", title="Run", date=day.isoformat(), recurrence=recurrence)
    series = made["recurrenceSeriesId"]
    window = {"dateFrom": day.isoformat(), "dateTo": _after(day, 6)}
    ids = [one["id"] for one in agent.do("calendar_list_events", **window)["events"]]
    assert len(ids) == 5
    agent.do("calendar_delete_event", eventId=ids[1])
    agent.do("calendar_delete_event", eventId=ids[3], scope="this_and_following")
    assert [at for at, _, _ in _titles(agent, day)] == [_after(day, 0), _after(day, 2)]
    agent.assert_refused("calendar_delete_event", "is the id of a whole series", eventId=series)
    assert not agent.do("calendar_delete_event", eventId=ids[0])["seriesDeleted"]
    assert agent.do("calendar_delete_event", eventId=ids[2])["seriesDeleted"]
    agent.assert_refused("calendar_delete_event", "Event not found", eventId=series, scope="all")


def test_pages_follow_each_other(agent: PlannerAgent, day: date):
    for number in range(5):
        agent.do("calendar_create_event", title=f"Step {number}", date=_after(day, number))
    window = {"dateFrom": day.isoformat(), "dateTo": _after(day, 9), "limit": 2}
    seen: list[str] = []
    page = agent.do("calendar_list_events", **window)
    while page["truncated"]:
        seen += [one["title"] for one in page["events"]]
        page = agent.do("calendar_list_events", **window, cursor=page["nextCursor"])
    assert seen + [one["title"] for one in page["events"]] == [f"Step {number}" for number in range(5)]


def test_what_cannot_be_is_refused_with_what_to_do(agent: PlannerAgent, title: str, day: date):
    made = agent.do("calendar_create_event", title=title, date=day.isoformat(), recurrence={"frequency": "weekly"})
    new = {"title": title, "date": day.isoformat()}
    agent.assert_refused(
        "calendar_create_event", "date must be YYYY-MM-DD or a relative day", title=title, date="someday"
    )
    agent.assert_refused("calendar_create_event", "no such day", title=title, date="2031-02-30")
    agent.assert_refused("calendar_create_event", "over 200", title="x" * 201, date="today")
    agent.assert_refused("calendar_create_event", "over 100000", **new, description="ä" * 50_001)
    agent.assert_refused("calendar_create_event", '"type" must be one of', **new, type="meeting")
    agent.assert_refused("calendar_create_event", "time must be a time of day", **new, time="25:00")
    agent.assert_refused("calendar_create_event", "count and until", **new, recurrence={**_WEEKLY, "until": "tomorrow"})
    agent.assert_refused("calendar_list_events", "dateTo lies before dateFrom", dateFrom="tomorrow", dateTo="today")
    agent.assert_refused("calendar_list_events", "cursor does not belong", cursor="made up")
    target = {"eventId": made["id"]}
    agent.assert_refused("calendar_update_event", "nothing to change", **target, revision=1)
    agent.assert_refused("calendar_update_event", "expected revision 9, got 1", **target, revision=9, title="x")
    agent.assert_refused("calendar_update_event", "has no recurrence of its own", **target, recurrence=_WEEKLY)
    agent.assert_refused(
        "calendar_update_event", "cannot be changed at once", **target, scope="all", date=_after(day, 1)
    )
    agent.assert_refused("calendar_update_event", "Event not found", eventId="none", title="x")
    agent.assert_refused("calendar_delete_event", "Edit conflict", **target, revision=9)


_WEEKLY = {"frequency": "weekly", "count": 2}


def test_what_is_planned_blocks_the_calendar_and_shows_there(agent: PlannerAgent, title: str, day: date):
    made = agent.do(
        "calendar_create_event", title=title, date=day.isoformat(), time="10:00", type="event", durationMinutes=90
    )
    start, end = datetime.fromisoformat(made["start"]), datetime.fromisoformat(made["end"])
    span = {"start": (start - timedelta(hours=2)).isoformat(), "end": (end + timedelta(hours=2)).isoformat()}
    free = agent.do("find_free_slots", calendar_id="primary", **span)["slots"]
    gaps = [(datetime.fromisoformat(slot["start"]), datetime.fromisoformat(slot["end"])) for slot in free]
    assert gaps == [(start - timedelta(hours=2), start), (end, end + timedelta(hours=2))]
    assert title in agent.do("list_events", calendar_id="primary", **span)["content"]

    clash = {"start": made["start"], "end": made["end"], "summary": "Clash"}
    with pytest.raises(AssertionError, match=title):
        agent.do("book_slot", calendar_id="primary", **clash)
    agent.do("calendar_delete_event", eventId=made["id"])
    assert agent.do("book_slot", calendar_id="primary", **clash)["success"]


def test_what_is_booked_shows_in_the_planner(agent: PlannerAgent, title: str, day: date):
    slot = {"start": f"{day}T12:00:00Z", "end": f"{day}T13:00:00Z"}
    booked = agent.do("book_slot", calendar_id="primary", summary=title, **slot)
    (listed,) = agent.do("calendar_list_events", q=title)["events"]
    assert (listed["id"], listed["type"], listed["busy"]) == (booked["event_id"], "event", True)
    assert datetime.fromisoformat(listed["start"]) == datetime.fromisoformat(slot["start"])
    seen = agent.do("daily_overview", startDate=listed["date"], days=1)
    assert [one["id"] for one in seen["items"] if one["title"] == title] == [booked["event_id"]]

    also = agent.do("calendar_create_event", title="Lunch", date=listed["date"], time=listed["time"], type="event")
    assert [one["title"] for one in also["conflicts"]] == [title]
    agent.do("calendar_delete_event", eventId=booked["event_id"])
    assert agent.do("calendar_list_events", q=title)["events"] == []
