"""Series that happen several times a day, moved between zones, against a model: no instance moves, whatever the clocks
of its series."""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.app import ToolRefusal
from tests.project_app import ProjectApp, planner_app

FIRST = datetime(2026, 6, 1)
ZONES = ("America/New_York", "Europe/Berlin", "Asia/Tokyo", "Asia/Kathmandu", "UTC")
"""None of them changes its clocks in June."""


@dataclass(frozen=True)
class Row:
    """An instance as lists show it. `was` is where the rule has it."""

    was: datetime
    start: datetime
    title: str = "Call"
    changed: bool = False


def rule_in(zone: str, rows: Sequence[Row]) -> str:
    """Return the rule that has the same instances on the clocks of `zone`."""
    local = [row.was.astimezone(ZoneInfo(zone)) for row in rows]
    hours = ",".join(map(str, sorted({one.hour for one in local})))
    return f"FREQ=DAILY;BYHOUR={hours};BYMINUTE={local[0].minute};COUNT={len(rows)}"


def listed(app: ProjectApp) -> list[dict[str, Any]]:
    return app.do("calendar_list_events", dateFrom="2026-05-01", dateTo="2026-08-01", timezone="UTC", limit=100)[
        "events"
    ]


def as_rows(events: Sequence[dict[str, Any]]) -> list[tuple[datetime, str, bool]]:
    return sorted((datetime.fromisoformat(e["start"]), e["title"], e["recurrenceException"]) for e in events)


def assert_each_id_names_its_row(app: ProjectApp, events: Sequence[dict[str, Any]]) -> None:
    assert len({one["id"] for one in events}) == len(events)
    for one in events:
        read = app.do("calendar_get_event", eventId=one["id"], timezone="UTC")
        assert (read["id"], read["start"], read["title"]) == (one["id"], one["start"], one["title"])


EDITS = st.tuples(st.sampled_from(["title", "time", "delete"]), st.integers(0, 30))
STEPS = st.tuples(st.lists(EDITS, max_size=3), st.sampled_from(ZONES), st.integers(0, 30))


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    hours=st.sets(st.integers(0, 23), min_size=2, max_size=3),
    days=st.integers(1, 3),
    zone=st.sampled_from(ZONES),
    steps=st.lists(STEPS, min_size=1, max_size=4),
)
@example(
    hours={9, 15},
    days=3,
    zone="America/New_York",
    steps=[
        ([("title", 2), ("title", 3), ("time", 5)], "Europe/Berlin", 0),
        ([("title", 0), ("delete", 1)], "Asia/Tokyo", 0),
        ([], "America/New_York", 1),
    ],
)
def test_a_series_in_another_zone_keeps_its_instances_its_exceptions_and_what_is_linked_to_them(
    hours: set[int], days: int, zone: str, steps: list[tuple[list[tuple[str, int]], str, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = planner_app(Path(folder))
        starts = sorted(FIRST + timedelta(days=day, hours=hour) for day in range(days) for hour in hours)
        every = [Row(at, at) for at in (one.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC) for one in starts)]
        rows = list(every)
        first = starts[0]
        app.do(
            "calendar_create_event",
            title="Call",
            type="event",
            date=f"{first:%Y-%m-%d}",
            time=f"{first:%H:%M}",
            timezone=zone,
            recurrence={"rrule": rule_in(zone, every)},
        )
        note = app.do("notes_create", title="Plan")["id"]
        linked = listed(app)[-1]
        app.do("items_link", fromItemId=note, fromItemType="note", toItemId=linked["id"], toItemType="event")
        last = rows[-1].was
        for number, (edits, zone_of_rule, chosen) in enumerate(steps):
            for edit in edits:
                rows = edited(app, rows, edit, number)
            if not rows:
                break
            kept = {one["id"]: one["title"] for one in listed(app) if one["recurrenceException"]}
            app.do(
                "calendar_update_event",
                eventId=event_of(app, rows[chosen % len(rows)])["id"],
                scope="all",
                recurrence={"rrule": rule_in(zone_of_rule, every), "timezone": zone_of_rule},
            )
            events = listed(app)
            assert as_rows(events) == sorted((row.start, row.title, row.changed) for row in rows)
            assert_each_id_names_its_row(app, events)
            assert {one["id"]: one["title"] for one in events if one["recurrenceException"]} == kept
            links = app.do("items_list_links", itemId=note)["links"]
            there = [event_of(app, row)["id"] for row in rows if row.was == last]
            assert [one["itemId"] for one in links] == there


def event_of(app: ProjectApp, row: Row) -> dict[str, Any]:
    return next(
        one
        for one in listed(app)
        if (datetime.fromisoformat(one["start"]), one["title"], one["recurrenceException"])
        == (row.start, row.title, row.changed)
    )


def edited(app: ProjectApp, rows: list[Row], edit: tuple[str, int], number: int) -> list[Row]:
    """Return the rows after one of them was changed or deleted on its own."""
    what, at = edit[0], edit[1] % len(rows) if rows else 0
    if not rows or (what == "delete" and len(rows) == 1):
        return rows
    row = rows[at]
    event = event_of(app, row)["id"]
    if what == "delete":
        app.do("calendar_delete_event", eventId=event, scope="this")
        return [one for one in rows if one is not row]
    title = f"{number}/{at}"
    if what == "title":
        app.do("calendar_update_event", eventId=event, scope="this", title=title)
        changed = replace(row, title=title, changed=True)
    else:
        later = row.start + timedelta(minutes=20)
        arguments = {"date": f"{later:%Y-%m-%d}", "time": f"{later:%H:%M}", "title": title, "timezone": "UTC"}
        app.do("calendar_update_event", eventId=event, scope="this", **arguments)
        changed = replace(row, title=title, start=later, changed=True)
    return [changed if one is row else one for one in rows]


def make(app: ProjectApp, rule: str) -> list[dict[str, Any]]:
    arguments = {"date": "2026-06-01", "time": "09:00", "timezone": "UTC", "recurrence": {"rrule": rule}}
    app.do("calendar_create_event", title="Call", type="event", **arguments)
    return listed(app)


def test_many_exceptions_that_move_to_the_places_of_each_other_all_stay(app: ProjectApp) -> None:
    made = make(app, "FREQ=DAILY;BYHOUR=9,10,11,12,13,14;COUNT=30")
    for number, one in enumerate(made):
        app.do("calendar_update_event", eventId=one["id"], title=f"Own {number}")

    app.do(
        "calendar_update_event",
        eventId=made[0]["id"],
        scope="all",
        time="10:00",
        timezone="UTC",
        recurrence={"rrule": "FREQ=DAILY;BYHOUR=10,11,12,13,14,15;COUNT=30", "timezone": "UTC"},
    )

    assert [one["title"] for one in listed(app)] == [f"Own {number}" for number in range(30)]
    assert_each_id_names_its_row(app, listed(app))


def test_exceptions_of_one_day_are_not_lost_where_the_series_gets_whole_days(app: ProjectApp) -> None:
    made = make(app, "FREQ=DAILY;BYHOUR=9,15;COUNT=4")
    change = {"scope": "all", "time": "", "recurrence": {"frequency": "daily", "count": 2}, "timezone": "UTC"}
    for one in made[:2]:
        app.do("calendar_update_event", eventId=one["id"], title=f"Own {one['time']}")

    with pytest.raises(ToolRefusal, match="come to the same time"):
        app.do("calendar_update_event", eventId=made[2]["id"], **change)

    assert [one["title"] for one in listed(app)] == ["Own 09:00", "Own 15:00", "Call", "Call"]
    app.do("calendar_delete_event", eventId=made[1]["id"])
    app.do("calendar_update_event", eventId=made[2]["id"], **change)
    assert [one["title"] for one in listed(app)][-1] == "Call"


def test_what_is_linked_to_an_instance_stays_with_its_time_where_a_day_gets_more_instances_or_fewer(
    app: ProjectApp,
) -> None:
    made = make(app, "FREQ=DAILY;COUNT=4")
    note = app.do("notes_create", title="Plan")["id"]
    app.do("items_link", fromItemId=note, fromItemType="note", toItemId=made[2]["id"], toItemType="event")

    for rule in ("FREQ=DAILY;BYHOUR=9,15;COUNT=8", "FREQ=DAILY;COUNT=4"):
        first = listed(app)[0]["id"]
        recurrence = {"rrule": rule, "timezone": "UTC"}
        app.do("calendar_update_event", eventId=first, scope="all", recurrence=recurrence)
        (link,) = app.do("items_list_links", itemId=note)["links"]
        linked = app.do("calendar_get_event", eventId=link["itemId"], timezone="UTC")
        assert linked["start"] == made[2]["start"]
