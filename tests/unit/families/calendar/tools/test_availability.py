"""Whether time is free, as a client asks."""

import pytest

from tests.unit.families.calendar.tools.client import DAY, SLOT, Client


def test_free_slots_are_the_gaps_that_are_long_enough(client: Client):
    client.call("book_slot", **SLOT, summary="x")
    client.call(
        "book_slot",
        calendar_id="primary",
        start="2026-03-16T14:45:00-04:00",
        end="2026-03-16T15:00:00-04:00",
        summary="y",
    )

    found = client.call(
        "find_free_slots",
        calendar_id="primary",
        start="2026-03-16T12:00:00-04:00",
        end="2026-03-16T16:00:00-04:00",
        min_duration_minutes=60,
    )

    assert found["count"] == 2
    assert found["slots"][0] == {
        "start": "2026-03-16T16:00:00Z",
        "end": "2026-03-16T18:00:00Z",
        "duration_minutes": 120,
        "local_start": "2026-03-16T12:00:00-04:00",
        "local_end": "2026-03-16T14:00:00-04:00",
        "day_of_week": "Monday",
    }


def test_a_slot_that_is_taken_or_held_is_not_available(client: Client):
    assert client.call("check_availability", **SLOT)["available"] is True
    held = client.call("hold_slot", **SLOT, summary="for Bob")

    state = client.call("check_availability", **SLOT)

    assert state["available"] is False
    assert state["conflicts"][0]["summary"] == "(held) for Bob"
    assert client.call("release_hold", calendar_id="primary", hold_id=held["hold_id"])["released"] is True
    assert client.call("check_availability", **SLOT)["available"] is True


@pytest.mark.parametrize(("privacy", "counts"), [("opaque", [0, 0]), ("full", [2, 1])])
def test_availability_merges_calendars_and_counts_them_only_in_full(client: Client, privacy: str, counts: list[int]):
    client.call("create_calendar", name="Home")
    client.call("book_slot", **SLOT, summary="x")
    for start, end in (("14:30", "15:00"), ("17:00", "18:00")):
        client.call(
            "book_slot",
            calendar_id="home",
            start=f"2026-03-16T{start}:00-04:00",
            end=f"2026-03-16T{end}:00-04:00",
            summary="y",
        )

    merged = client.call("get_availability", **DAY, privacy=privacy, calendar_ids=["primary", "home"])

    assert (merged["calendars_merged"], merged["privacy"]) == (2, privacy)
    assert [(one["start"], one["end"]) for one in merged["busy"]] == [
        ("2026-03-16T18:00:00Z", "2026-03-16T19:00:00Z"),
        ("2026-03-16T21:00:00Z", "2026-03-16T22:00:00Z"),
    ]
    assert [one["source_count"] for one in merged["busy"]] == counts
    assert [one["duration_minutes"] for one in merged["free"]] == [14 * 60, 120, 6 * 60]


def test_availability_within_working_hours_of_the_given_days(client: Client):
    found = client.call(
        "get_availability",
        start="2026-03-14T00:00:00-04:00",
        end="2026-03-18T00:00:00-04:00",
        working_hours="09:00-17:00",
        working_days=["sunday", "monday"],
    )

    assert [(one["day_of_week"], one["local_start"][11:16], one["duration_minutes"]) for one in found["free"]] == [
        ("Sunday", "09:00", 480),
        ("Monday", "09:00", 480),
    ]


@pytest.mark.parametrize("hours", ["9-17", "09:00", "25:00-26:00", "09:00-24:30"])
def test_working_hours_of_another_form_are_refused(client: Client, hours: str):
    assert "09:00-17:00" in client.refusal("get_availability", **DAY, working_hours=hours)
