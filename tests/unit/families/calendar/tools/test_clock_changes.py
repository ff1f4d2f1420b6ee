"""Series whose first instance crosses a clock change: the hour that programs read in two ways is busy, and said so."""

import json
from typing import Any

from tests.unit.families.calendar.tools.client import Client

# On the night of 8 March 2026 clocks in New York skip the hour from 2 to 3.
NIGHT = {"calendar_id": "primary", "start": "2026-03-07T22:00:00-05:00", "end": "2026-03-08T06:00:00-04:00"}
WEEK = {"calendar_id": "primary", "start": "2026-03-07T00:00:00-05:00", "end": "2026-03-15T00:00:00-05:00"}


def shift(client: Client, **other: Any) -> dict[str, Any]:
    return client.call("book_slot", summary="Night shift", recurrence="FREQ=DAILY;COUNT=4", **(NIGHT | other))


def test_the_doubtful_hour_is_busy(client: Client) -> None:
    shift(client)
    doubtful = {"calendar_id": "primary", "start": "2026-03-10T05:00:00-04:00", "end": "2026-03-10T06:00:00-04:00"}

    seen = client.call("check_availability", **doubtful)

    assert seen["available"] is False
    assert "clock change" in seen["conflicts"][0]["notes"][0]
    assert "overlaps the slot" in client.refusal("book_slot", summary="Breakfast", **doubtful)
    free = client.call("find_free_slots", min_duration_minutes=1, **WEEK)["slots"]
    assert not [one for one in free if "T05:" in one["local_start"]]
    merged = client.call("get_availability", start=WEEK["start"], end=WEEK["end"])["busy"]
    assert [one["local_end"][11:16] for one in merged] == ["06:00"] * 4


def test_it_is_said_once_for_each_series(client: Client) -> None:
    booked = shift(client)
    plain = {"start": "2026-03-09T12:00:00-04:00", "end": "2026-03-09T13:00:00-04:00"}
    other = shift(client, **plain)

    rows = json.loads(client.call("list_events", **WEEK)["content"])
    one = client.call("get_event", calendar_id="primary", event_id=booked["event_id"])

    assert len(rows) == 8
    assert [("clock change" in str(row.get("notes"))) for row in rows] == [True] + [False] * 7
    assert ["clock change" in note for note in (*booked["warnings"], *one["notes"])] == [True, True]
    assert not any("clock change" in note for note in other["warnings"])


def test_a_length_that_was_said_is_not_in_doubt(client: Client) -> None:
    shift(client, start="2026-03-08T22:00:00-04:00", end="2026-03-09T06:00:00-04:00")
    rows = json.loads(client.call("list_events", **WEEK)["content"])
    assert [row["end"][11:16] for row in rows] == ["06:00"] * 4
    assert not [row for row in rows if "notes" in row]


def test_a_booked_series_says_which_instances_clocks_skip(client: Client) -> None:
    early = {"start": "2026-03-05T02:30:00-05:00", "end": "2026-03-05T02:45:00-05:00"}
    client.call("create_calendar", name="Team", calendar_id="team")
    booked = client.call("book_slot", calendar_id="primary", summary="Backup", recurrence="FREQ=DAILY", **early)
    until = client.call("book_slot", calendar_id="team", summary="x", recurrence="FREQ=DAILY;COUNT=2", **early)

    warnings = " ".join(booked["warnings"])
    assert "The series leaves out: 2026-03-08T02:30:00 does not exist in America/New_York." in warnings
    assert "2027-03-14T02:30:00 does not exist" in warnings
    assert "leaves out" not in " ".join(until["warnings"])


def test_of_many_skipped_instances_three_are_named(client: Client) -> None:
    early = {"start": "2026-03-05T02:00:00-05:00", "end": "2026-03-05T02:05:00-05:00"}
    rule = "FREQ=DAILY;BYHOUR=2;BYMINUTE=0,10,20,30,40,50;UNTIL=20260401T000000Z"
    booked = client.call("book_slot", calendar_id="primary", summary="Probe", recurrence=rule, **early)

    (warning,) = (one for one in booked["warnings"] if "leaves out" in one)
    assert warning.count("does not exist") == 3
    assert warning.endswith("There are 3 more.")


def test_a_blank_title_is_refused_like_none(client: Client) -> None:
    blank = {"calendar_id": "primary", "start": WEEK["start"], "end": NIGHT["start"], "summary": " \n"}
    assert "An event needs a title." in client.refusal("book_slot", **blank)
