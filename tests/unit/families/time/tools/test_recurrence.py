"""expand_rrule as a caller sees it."""

from typing import Any

from tests.unit.families.time.tools.answers import answer, refusal


def test_instances_carry_utc_local_time_and_weekday():
    expanded = answer(
        "expand_rrule",
        rrule="FREQ=MONTHLY;BYDAY=FR;BYSETPOS=-1",
        dtstart="2026-01-01T10:00:00",
        timezone="America/New_York",
        count=3,
    )

    assert expanded["count"] == 3
    assert expanded["truncated"] is True
    assert expanded["instances"][2] == {
        "start": "2026-03-27T14:00:00Z",
        "end": "2026-03-27T15:00:00Z",
        "local": "2026-03-27T10:00:00-04:00",
        "day_of_week": "Friday",
    }


def test_an_instance_that_clocks_skip_is_listed_or_shifted():
    weekly: dict[str, Any] = {
        "rrule": "FREQ=WEEKLY;COUNT=3",
        "dtstart": "2026-03-01T02:30:00",
        "timezone": "America/New_York",
    }

    left_out = answer("expand_rrule", **weekly)
    assert [instance["local"][:10] for instance in left_out["instances"]] == [
        "2026-03-01",
        "2026-03-15",
        "2026-03-22",
    ]
    assert left_out["skipped"][0]["local"] == "2026-03-08T02:30:00"

    shifted = answer("expand_rrule", **weekly, gap_policy="shift")
    assert shifted["instances"][1]["local"] == "2026-03-08T03:30:00-04:00"
    assert shifted["instances"][1]["dst"] == "gap"


def test_without_a_count_500_instances_come_and_the_rest_is_said_to_follow():
    expanded = answer("expand_rrule", rrule="FREQ=DAILY", dtstart="2026-01-01T10:00:00", timezone="UTC")

    assert (expanded["count"], expanded["truncated"]) == (500, True)


def test_dates_are_left_out_and_added_inside_a_window():
    expanded = answer(
        "expand_rrule",
        rrule="FREQ=DAILY",
        dtstart="2026-01-01T10:00:00",
        timezone="UTC",
        after="2026-01-03T00:00:00Z",
        before="2026-01-06T00:00:00Z",
        exdates=["2026-01-04T10:00:00"],
        rdates=["2026-01-04T18:00:00"],
    )

    assert [instance["start"] for instance in expanded["instances"]] == [
        "2026-01-03T10:00:00Z",
        "2026-01-04T18:00:00Z",
        "2026-01-05T10:00:00Z",
    ]


def test_a_rule_against_the_rfc_is_refused():
    said = refusal("expand_rrule", rrule="FREQ=DAILY;INTERVAL=0", dtstart="2026-01-01T10:00:00", timezone="UTC")

    assert said.startswith("INVALID_RRULE: ")
