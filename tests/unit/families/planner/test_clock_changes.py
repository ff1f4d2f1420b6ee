"""Events and tasks on the days on which clocks are changed. In New York they skip 02:00 to 03:00 on 2026-03-08, and
show 01:00 to 02:00 twice on 2026-11-01."""

from datetime import datetime
from typing import Any

import pytest

from almanac.families.calendar.model.events import Event, ZonedTime
from almanac.families.planner.factory import open_planner
from tests.project_app import ProjectApp
from tests.unit.families.calendar.services import file

SPRING, AUTUMN = "2026-03-08", "2026-11-01"
NEW_YORK = "America/New_York"


def make(app: ProjectApp, date: str, time: str, **fields: Any) -> dict[str, Any]:
    return app.do("calendar_create_event", title="Night shift", date=date, time=time, type="event", **fields)


@pytest.mark.parametrize(
    ("date", "time", "start", "end", "dst"),
    [
        (SPRING, "02:30", "2026-03-08T03:00:00-04:00", "2026-03-08T04:00:00-04:00", "gap"),
        (SPRING, "01:30", "2026-03-08T01:30:00-05:00", "2026-03-08T03:30:00-04:00", "none"),
        (SPRING, "03:00", "2026-03-08T03:00:00-04:00", "2026-03-08T04:00:00-04:00", "none"),
        (AUTUMN, "01:30", "2026-11-01T01:30:00-04:00", "2026-11-01T01:30:00-05:00", "overlap"),
        (AUTUMN, "00:30", "2026-11-01T00:30:00-04:00", "2026-11-01T01:30:00-04:00", "none"),
    ],
)
def test_an_hour_is_an_hour_at_a_time_that_exists(
    app: ProjectApp, date: str, time: str, start: str, end: str, dst: str
) -> None:
    made = make(app, date, time)
    assert (made["start"], made["end"], made["dst"], made["durationMinutes"]) == (start, end, dst, 60)
    (listed,) = app.do("calendar_list_events", dateFrom=date, dateTo=date)["events"]
    assert (listed["start"], listed["end"], listed["durationMinutes"]) == (start, end, 60)


def test_what_is_moved_to_a_time_that_does_not_exist_keeps_its_length(app: ProjectApp) -> None:
    made = make(app, "2026-03-05", "02:30", durationMinutes=45)
    moved = app.do("calendar_update_event", eventId=made["id"], date=SPRING)
    assert (moved["time"], moved["endTime"], moved["dst"]) == ("03:00", "03:45", "gap")
    renamed = app.do("calendar_update_event", eventId=made["id"], title="Day shift")
    assert (renamed["time"], renamed["durationMinutes"], renamed["dst"]) == ("03:00", 45, "none")


@pytest.mark.parametrize("change", [{"title": "Later"}, {"date": AUTUMN}, {"durationMinutes": 30}, {"status": "done"}])
def test_the_second_of_two_equal_times_stays_the_second(app: ProjectApp, change: dict[str, Any]) -> None:
    made = app.do("calendar_create_event", title="Late", date="2026-11-01T06:30:00Z", type="event")
    assert (made["start"], made["end"], made["dst"]) == (
        "2026-11-01T01:30:00-05:00",
        "2026-11-01T02:30:00-05:00",
        "none",
    )
    changed = app.do("calendar_update_event", eventId=made["id"], **change)
    assert (changed["start"], changed["durationMinutes"]) == (made["start"], change.get("durationMinutes", 60))
    written_back = app.do("calendar_update_event", eventId=made["id"], time="01:30")
    assert (written_back["start"], written_back["revision"]) == (made["start"], changed["revision"])
    moved = app.do("calendar_update_event", eventId=made["id"], date="2026-11-01T05:30:00Z")
    assert (moved["start"], moved["dst"]) == ("2026-11-01T01:30:00-04:00", "overlap")


def test_a_series_leaves_out_what_does_not_exist_and_lasts_by_the_clock(app: ProjectApp) -> None:
    make(app, "2026-03-07", "02:30", recurrence={"frequency": "daily", "count": 3})
    shown = app.do("calendar_list_events", dateFrom="2026-03-07", dateTo="2026-03-12")["events"]
    assert [(one["date"], one["time"], one["endTime"]) for one in shown] == [
        ("2026-03-07", "02:30", "03:30"),
        ("2026-03-09", "02:30", "03:30"),
        ("2026-03-10", "02:30", "03:30"),
    ]


def test_whole_days_are_as_long_as_their_clocks_make_them(app: ProjectApp) -> None:
    app.do("calendar_create_event", title="Spring", date=SPRING)
    (shown,) = app.do("calendar_list_events", dateFrom=SPRING, dateTo=SPRING)["events"]
    assert (shown["start"], shown["end"]) == ("2026-03-08T00:00:00-05:00", "2026-03-09T00:00:00-04:00")


def test_what_came_from_elsewhere_keeps_a_time_that_does_not_exist_when_it_is_renamed(app: ProjectApp) -> None:
    planner = open_planner(app.services, app.caller, app.clock)
    skipped, ends = (ZonedTime(datetime.fromisoformat(f"{SPRING}T{clock}"), NEW_YORK) for clock in ("02:10", "03:40"))
    file(planner.bookings, "primary", Event(id="away", uid="away", start=skipped, end=ends, summary="Away"))
    before = app.do("calendar_list_events", dateFrom=SPRING, dateTo=SPRING)["events"][0]

    renamed = app.do("calendar_update_event", eventId="away", title="Far away")

    assert (renamed["start"], renamed["end"]) == (before["start"], before["end"])


def test_an_event_that_ends_in_another_zone_keeps_its_length_when_it_is_moved(app: ProjectApp) -> None:
    planner = open_planner(app.services, app.caller, app.clock)
    leaves = ZonedTime(datetime.fromisoformat("2026-04-01T10:00"), "Europe/Berlin")
    lands = ZonedTime(datetime.fromisoformat("2026-04-01T13:00"), NEW_YORK)
    flight = Event(id="flight", uid="flight", start=leaves, end=lands, rrule="FREQ=WEEKLY;COUNT=2")
    file(planner.bookings, "primary", flight)
    first, _ = app.do("calendar_list_events", dateFrom="2026-04-01", dateTo="2026-04-30")["events"]

    moved = app.do("calendar_update_event", eventId=first["id"], scope="all", time="05:00")

    assert (first["time"], first["durationMinutes"]) == ("04:00", 540)
    assert (moved["time"], moved["durationMinutes"]) == ("05:00", 540)
