"""Test series in the planner, beyond the cases of the model test."""

from typing import Any

import pytest

from tests.app import ToolRefusal
from tests.project_app import ProjectApp
from tests.unit.families.planner.agenda import agenda


def repeat(app: ProjectApp, recurrence: dict[str, Any], **fields: Any) -> dict[str, Any]:
    asked = {"title": "Sync", "date": "2026-03-02", "time": "09:00"} | fields
    return app.do("calendar_create_event", recurrence=recurrence, **asked)


@pytest.mark.parametrize(
    ("recurrence", "days"),
    [
        ({"frequency": "daily", "count": 3}, ["2026-03-02", "2026-03-03", "2026-03-04"]),
        ({"frequency": "weekly", "interval": 2, "count": 2}, ["2026-03-02", "2026-03-16"]),
        ({"frequency": "monthly", "until": "2026-05-02"}, ["2026-03-02", "2026-04-02", "2026-05-02"]),
        ({"frequency": "yearly", "count": 2}, ["2026-03-02", "2027-03-02"]),
        ({"rrule": "FREQ=MONTHLY;BYDAY=-1FR;COUNT=2"}, ["2026-03-27", "2026-04-24"]),
        ({"frequency": "weekly", "weekdays": ["tuesday", "thursday"], "count": 2}, ["2026-03-03", "2026-03-05"]),
    ],
)
def test_recurrence_is_said_in_words_or_as_a_rule(app: ProjectApp, recurrence: dict[str, Any], days: list[str]) -> None:
    made = repeat(app, recurrence)
    assert made["date"] == days[0]
    assert [day for day, _, _ in agenda(app)] == days


@pytest.mark.parametrize(
    ("recurrence", "said"),
    [
        ({}, "neither frequency nor rrule"),
        ({"frequency": "daily", "count": 2, "until": "2026-03-09"}, "exclude each other"),
        ({"frequency": "daily", "until": "2026-03-01"}, "before it begins"),
        ({"frequency": "weekly", "rrule": "FREQ=DAILY"}, "frequency contradicts the rrule"),
        ({"frequency": "daily", "weekdays": ["monday"]}, "needs frequency weekly"),
        ({"rrule": "FREQ=SOMETIMES"}, "FREQ"),
        ({"frequency": "daily", "interval": 0}, "interval"),
    ],
)
def test_a_recurrence_that_makes_no_sense_is_refused(app: ProjectApp, recurrence: dict[str, Any], said: str) -> None:
    with pytest.raises(ToolRefusal, match=said):
        repeat(app, recurrence)
    assert agenda(app) == []


def test_a_series_keeps_its_wall_time_when_clocks_change(app: ProjectApp) -> None:
    repeat(app, {"frequency": "weekly", "count": 2})
    starts = [one["start"] for one in app.do("calendar_list_events")["events"]]
    assert starts == ["2026-03-02T09:00:00-05:00", "2026-03-09T09:00:00-04:00"]


def test_recurrence_changes_only_with_a_scope_over_several_instances(app: ProjectApp) -> None:
    made = repeat(app, {"frequency": "daily", "count": 4})
    with pytest.raises(ToolRefusal, match="this_and_following"):
        app.do("calendar_update_event", eventId=made["id"], recurrence={"frequency": "weekly", "count": 2})


def test_the_date_changes_only_for_one_instance(app: ProjectApp) -> None:
    made = repeat(app, {"frequency": "daily", "count": 4})
    with pytest.raises(ToolRefusal, match="cannot be changed at once"):
        app.do("calendar_update_event", eventId=made["id"], date="2026-03-20", scope="all")
    app.do("calendar_update_event", eventId=made["id"], date="2026-03-02", title="Same day", scope="all")
    moved = app.do("calendar_update_event", eventId=made["id"], date="2026-03-20")
    assert (moved["recurrenceException"], moved["recurrenceSeriesId"]) == (True, made["recurrenceSeriesId"])


def test_the_id_of_a_series_wants_a_scope(app: ProjectApp) -> None:
    series = repeat(app, {"frequency": "daily", "count": 4})["recurrenceSeriesId"]
    with pytest.raises(ToolRefusal, match="is the id of a whole series"):
        app.do("calendar_update_event", eventId=series, title="x")
    with pytest.raises(ToolRefusal, match="is the id of a whole series"):
        app.do("calendar_delete_event", eventId=series)
    app.do("calendar_update_event", eventId=series, title="All", scope="all")
    assert {title for _, _, title in agenda(app)} == {"All"}
    assert app.do("calendar_delete_event", eventId=series, scope="all")["seriesDeleted"]
    assert agenda(app) == []


def test_a_single_event_becomes_a_series_and_one_again(app: ProjectApp) -> None:
    made = app.do("calendar_create_event", title="Run", date="2026-03-02")
    app.do("calendar_update_event", eventId=made["id"], recurrence={"frequency": "daily", "count": 3})
    assert len(agenda(app)) == 3
    app.do("calendar_update_event", eventId=made["id"], recurrence=None, scope="all")
    assert agenda(app) == [("2026-03-02", None, "Run")]


def test_the_last_instance_takes_the_series_with_it(app: ProjectApp) -> None:
    repeat(app, {"frequency": "daily", "count": 2})
    first, second = (one["id"] for one in app.do("calendar_list_events")["events"])
    assert not app.do("calendar_delete_event", eventId=first)["seriesDeleted"]
    assert app.do("calendar_delete_event", eventId=second)["seriesDeleted"]
    with pytest.raises(ToolRefusal, match="Event not found"):
        app.do("calendar_update_event", eventId=first[:26], title="x", scope="all")


def test_one_instance_of_a_task_is_ticked_off_alone(app: ProjectApp) -> None:
    made = repeat(app, {"frequency": "daily", "count": 3})
    app.do("calendar_update_event", eventId=made["id"], status="done")
    assert [one["status"] for one in app.do("calendar_list_events")["events"]] == ["done", "pending", "pending"]


def test_a_series_with_many_exceptions_is_deleted_whole(app: ProjectApp) -> None:
    made = repeat(app, {"frequency": "daily", "count": 60})
    for one in app.do("calendar_list_events", limit=100)["events"][5:50]:
        app.do("calendar_update_event", eventId=one["id"], title="Changed")
    assert app.do("calendar_delete_event", eventId=made["id"], scope="all")["seriesDeleted"]
    assert agenda(app) == []


def test_links_of_later_instances_follow_a_split(app: ProjectApp) -> None:
    repeat(app, {"frequency": "daily", "count": 4})
    events = [one["id"] for one in app.do("calendar_list_events")["events"]]
    card = app.do("kanban_create_card", columnId="col_todo", title="Prepare", eventLinks=[events[3]])
    app.do("calendar_update_event", eventId=events[2], scope="this_and_following", title="New")
    later = app.do("calendar_list_events")["events"][3]["id"]
    assert later != events[3]
    assert app.do("items_list_links", itemId=later)["links"][0]["itemId"] == card["id"]
    assert app.do("kanban_list_cards")["cards"][0]["eventLinks"] == [later]
    app.do("calendar_delete_event", eventId=later, scope="all")
    assert app.do("kanban_list_cards")["cards"][0]["eventLinks"] == []


def test_a_rule_with_several_instances_a_day_names_each(app: ProjectApp) -> None:
    repeat(app, {"rrule": "FREQ=DAILY;BYHOUR=9,15;COUNT=4"})
    events = app.do("calendar_list_events")["events"]
    assert [(one["date"][-2:], one["time"]) for one in events] == [
        ("02", "09:00"),
        ("02", "15:00"),
        ("03", "09:00"),
        ("03", "15:00"),
    ]
    app.do("calendar_delete_event", eventId=events[1]["id"])
    assert [one["id"] for one in app.do("calendar_list_events")["events"]] == [
        events[0]["id"],
        events[2]["id"],
        events[3]["id"],
    ]


RULES = [
    "FREQ=MONTHLY;COUNT=7",
    "FREQ=MONTHLY;BYDAY=-1FR;COUNT=6",
    "FREQ=MONTHLY;INTERVAL=2;BYMONTHDAY=31,-2;COUNT=8",
    "FREQ=YEARLY;BYMONTH=3,10;BYDAY=1SU;COUNT=6",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU;COUNT=9",
    "FREQ=WEEKLY;UNTIL=20260501T130000Z",
    "FREQ=DAILY;INTERVAL=11;UNTIL=20260620T080000Z",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=5",
    "FREQ=DAILY;BYHOUR=9,15;COUNT=9",
]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("date", ["2026-03-02", "2026-03-31"])
def test_cutting_a_series_anywhere_moves_no_instance(app: ProjectApp, rule: str, date: str) -> None:
    repeat(app, {"rrule": rule}, date=date)
    whole = [(day, time) for day, time, _ in agenda(app, limit=100)]
    for at in range(1, len(whole)):
        event = app.do("calendar_list_events", limit=100)["events"][at]
        app.do("calendar_update_event", eventId=event["id"], scope="this_and_following", title=f"Part {at}")
        assert [(day, time) for day, time, _ in agenda(app, limit=100)] == whole
    assert [title for _, _, title in agenda(app, limit=100)] == ["Sync", *(f"Part {at}" for at in range(1, len(whole)))]


@pytest.mark.parametrize("rule", [rule for rule in RULES if "BYHOUR" not in rule])
@pytest.mark.parametrize("time", ["00:30", "23:15", ""])
def test_another_time_of_day_moves_no_instance_to_another_day(app: ProjectApp, rule: str, time: str) -> None:
    made = repeat(app, {"rrule": rule}, time="08:00")
    days = [day for day, _, _ in agenda(app, limit=100)]
    app.do("calendar_update_event", eventId=made["id"], scope="all", time=time)
    assert [(day, clock) for day, clock, _ in agenda(app, limit=100)] == [(day, time or None) for day in days]


def test_a_rule_too_fine_for_a_planner_is_refused(app: ProjectApp) -> None:
    for rule in (
        "FREQ=MINUTELY",
        "FREQ=HOURLY;BYMINUTE=0,30",
        "FREQ=DAILY;BYHOUR=9,10;BYMINUTE=" + "0,1,2,3,4,5,6,7,8,9,10,11,12",
    ):
        with pytest.raises(ToolRefusal, match=r"too fine for|instances a day"):
            repeat(app, {"rrule": rule})
