"""The nine tools as a caller sees them: arguments in, result or refusal out."""

from datetime import UTC, datetime
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.time.family import family
from almanac.families.time.zones import TZDB_VERSION, zone_names
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.protocol.invoke import Host, invoke
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call

TOOLS = {tool.name: tool for tool in family.tools}
NOON = FixedClock(datetime(2026, 2, 18, 14, 30, tzinfo=UTC))
NEW_YORKER = Caller(Scope("t", "p"), "tester", "key", default_timezone="America/New_York")
NOBODY = Caller(Scope("t", "p"), "tester", "key")


def no_defect(reference: str, where: str, cause: BaseException) -> None:
    raise AssertionError(f"defect in {where}") from cause


HOST = Host(
    clock=NOON,
    collaborators={Clock: lambda call: call.clock, Caller: lambda call: call.caller},
    new_reference=lambda: "reference",
    report_defect=no_defect,
)


def outcome(tool: str, caller: Caller = NEW_YORKER, **arguments: Any):
    return invoke(TOOLS[tool], arguments, Call(caller, NOON, NoProgress()), HOST)


def answer(tool: str, caller: Caller = NEW_YORKER, **arguments: Any) -> dict[str, Any]:
    result = outcome(tool, caller, **arguments)
    assert not result.is_error, result.content
    assert result.structured is not None
    return msgspec.json.decode(result.structured)


def refusal(tool: str, caller: Caller = NEW_YORKER, **arguments: Any) -> str:
    result = outcome(tool, caller, **arguments)
    assert result.is_error
    assert result.structured is None
    return result.content[0]["text"]


def test_the_family_has_the_nine_tools_of_its_contracts():
    assert sorted(TOOLS) == [
        "adjust_timestamp",
        "batch_datetime_operations",
        "compute_duration",
        "convert_datetime",
        "convert_timezone",
        "expand_rrule",
        "get_temporal_context",
        "resolve_datetime",
        "validate_local_datetime",
    ]


class TestTemporalContext:
    def test_it_tells_all_there_is_to_know_about_now(self):
        assert answer("get_temporal_context") == {
            "utc": "2026-02-18T14:30:00+00:00",
            "local": "2026-02-18T09:30:00-05:00",
            "timezone": "America/New_York",
            "timezone_configured": True,
            "utc_offset": "-05:00",
            "dst_active": False,
            "day_of_week": "Wednesday",
            "iso_week": 8,
            "is_weekday": True,
            "day_of_year": 49,
            "week_start": "monday",
            "next_dst_transition": "2026-03-08T07:00:00Z",
            "next_dst_direction": "spring-forward",
            "days_until_dst_transition": 18,
            "tzdb_version": TZDB_VERSION,
        }

    def test_without_a_default_zone_it_says_so_and_answers_in_utc(self):
        told = answer("get_temporal_context", NOBODY)

        assert (told["timezone"], told["timezone_configured"], told["next_dst_transition"]) == ("UTC", False, None)

    def test_the_southern_summer_is_daylight_saving_time_and_ends_in_autumn(self):
        told = answer("get_temporal_context", timezone="australia/sydney")

        assert (told["timezone"], told["dst_active"]) == ("Australia/Sydney", True)
        assert (told["next_dst_direction"], told["next_dst_transition"]) == ("fall-back", "2026-04-04T16:00:00Z")


class TestResolveDatetime:
    def test_words_become_one_instant_in_the_notation_of_both_contracts(self):
        assert answer("resolve_datetime", expression="next Tuesday at 2pm") == {
            "resolved_utc": "2026-02-24T19:00:00+00:00",
            "resolved_local": "2026-02-24T14:00:00-05:00",
            "timezone": "America/New_York",
            "interpretation": answer("resolve_datetime", expression="next Tuesday at 2pm")["interpretation"],
            "instant_utc": "2026-02-24T19:00:00.000Z",
            "offset": "-05:00",
            "day_of_week": "Tuesday",
            "dst": "none",
        }

    def test_the_interpretation_begins_with_the_moment_in_words(self):
        told = answer("resolve_datetime", expression="next Tuesday at 2pm")["interpretation"]

        assert told.startswith("Tuesday, February 24, 2026 at 2:00 PM")

    def test_a_typed_local_time_is_resolved_under_policies(self):
        typed: dict[str, Any] = {"local_datetime": "2026-11-01T01:30:00", "time_zone": "America/New_York"}

        assert answer("resolve_datetime", **typed)["instant_utc"] == "2026-11-01T05:30:00.000Z"
        assert answer("resolve_datetime", **typed, ambiguous_policy="later")["offset"] == "-05:00"
        assert refusal("resolve_datetime", **typed, ambiguous_policy="reject").startswith("DST_OVERLAP: ")

    def test_words_that_name_a_skipped_time_go_through_the_same_policies(self):
        skipped: dict[str, Any] = {"expression": "tomorrow at 2:30am", "anchor": "2026-03-07T12:00:00Z"}

        told = answer("resolve_datetime", **skipped)
        assert (told["resolved_local"], told["dst"]) == ("2026-03-08T03:00:00-04:00", "gap")
        assert "clocks skip that time" in told["interpretation"]
        assert refusal("resolve_datetime", **skipped, invalid_policy="reject").startswith("DST_GAP: ")

    def test_today_begins_at_the_first_moment_that_exists(self):
        told = answer(
            "resolve_datetime", expression="today", timezone="America/Santiago", anchor="2026-09-06T15:00:00Z"
        )

        assert told["resolved_local"] == "2026-09-06T01:00:00-03:00"

    def test_either_form_but_not_both_and_not_neither(self):
        assert "neither" in refusal("resolve_datetime")
        assert "not both" in refusal("resolve_datetime", expression="now", local_datetime="2026-01-01T00:00:00")

    def test_either_spelling_of_the_zone_is_taken_unless_they_differ(self):
        assert answer("resolve_datetime", expression="now", time_zone="Asia/Tokyo")["offset"] == "+09:00"
        assert "different zones" in refusal(
            "resolve_datetime", expression="now", timezone="Asia/Tokyo", time_zone="Europe/Paris"
        )

    def test_utc_is_never_assumed(self):
        assert refusal("resolve_datetime", NOBODY, expression="tomorrow").startswith("TIMEZONE_NOT_CONFIGURED: ")

    def test_what_is_not_understood_is_refused_with_near_forms(self):
        said = refusal("resolve_datetime", expression="the nxt tuseday")

        assert said.startswith("UNKNOWN_EXPRESSION: ")
        assert "next" in said.lower()

    def test_the_week_start_of_the_key_is_used(self):
        sunday = Caller(Scope("t", "p"), "tester", "key", default_timezone="UTC", week_start="sunday")

        assert answer("resolve_datetime", sunday, expression="start of week")["resolved_local"][:10] == "2026-02-15"


class TestConversions:
    def test_an_instant_is_told_in_another_zone(self):
        assert answer("convert_timezone", datetime="2026-03-15T18:00:00Z", target_timezone="america/los_angeles") == {
            "utc": "2026-03-15T18:00:00+00:00",
            "local": "2026-03-15T11:00:00-07:00",
            "timezone": "America/Los_Angeles",
            "utc_offset": "-07:00",
            "dst_active": True,
            "day_of_week": "Sunday",
        }

    def test_a_utc_instant_is_shown_as_local_time_with_its_offset_beside_it(self):
        shown = answer("convert_datetime", instant_utc="2026-06-15T15:00:00Z", target_time_zone="Europe/London")

        assert (shown["local_datetime"], shown["offset"], shown["time_zone"]) == (
            "2026-06-15T16:00:00",
            "+01:00",
            "Europe/London",
        )


class TestDurations:
    def test_a_duration_is_measured_across_offsets(self):
        assert answer("compute_duration", start="2026-03-16T13:00:00Z", end="2026-03-16T17:30:00-04:00") == {
            "total_seconds": 30600,
            "days": 0,
            "hours": 8,
            "minutes": 30,
            "seconds": 0,
            "human_readable": "8 hours, 30 minutes",
        }

    def test_a_duration_backwards_is_negative_with_positive_parts(self):
        measured = answer("compute_duration", start="2026-03-16T13:00:00Z", end="2026-03-16T11:30:00Z")

        assert (measured["total_seconds"], measured["hours"], measured["minutes"]) == (-5400, 1, 30)

    def test_a_day_keeps_the_wall_clock(self):
        moved = answer("adjust_timestamp", datetime="2026-03-08T01:00:00-05:00", adjustment="+1d")

        assert moved == {
            "original": "2026-03-08T01:00:00-05:00",
            "adjusted_utc": "2026-03-09T05:00:00+00:00",
            "adjusted_local": "2026-03-09T01:00:00-04:00",
            "adjustment_applied": "+1d",
            "timezone": "America/New_York",
            "day_of_week": "Monday",
            "dst": "none",
        }

    def test_an_exact_shift_needs_no_zone_and_stays_in_the_offset_of_the_question(self):
        moved = answer("adjust_timestamp", NOBODY, datetime="2026-03-16T14:00:00-04:00", adjustment="+2h30m")

        assert (moved["adjusted_local"], moved["timezone"]) == ("2026-03-16T16:30:00-04:00", "-04:00")

    def test_a_calendar_shift_needs_one(self):
        said = refusal("adjust_timestamp", NOBODY, datetime="2026-03-16T14:00:00-04:00", adjustment="+1d")

        assert said.startswith("TIMEZONE_NOT_CONFIGURED: ")


class TestRecurrence:
    def test_instances_carry_utc_local_time_and_weekday(self):
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

    def test_an_instance_that_clocks_skip_is_listed_or_shifted(self):
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

    def test_without_a_count_500_instances_come_and_the_rest_is_said_to_follow(self):
        expanded = answer("expand_rrule", rrule="FREQ=DAILY", dtstart="2026-01-01T10:00:00", timezone="UTC")

        assert (expanded["count"], expanded["truncated"]) == (500, True)

    def test_dates_are_left_out_and_added_inside_a_window(self):
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

    def test_a_rule_against_the_rfc_is_refused(self):
        said = refusal("expand_rrule", rrule="FREQ=DAILY;INTERVAL=0", dtstart="2026-01-01T10:00:00", timezone="UTC")

        assert said.startswith("INVALID_RRULE: ")


class TestBatch:
    def test_one_bad_item_fails_alone(self):
        ran = answer(
            "batch_datetime_operations",
            items=[
                {"operation": "validate", "local_datetime": "2026-03-08T02:30:00", "time_zone": "America/New_York"},
                {"operation": "resolve", "local_datetime": "soon", "time_zone": "America/New_York"},
                {"operation": "convert", "instant_utc": "2026-06-15T15:00:00Z", "target_time_zone": "Europe/London"},
                {"operation": "fly"},
                "nonsense",
                {"operation": "convert", "instant_utc": "2026-06-15T15:00:00Z"},
                {"operation": "validate", "local_datetime": "2026-03-08T02:30:00", "time_zone": "Mars/Base"},
            ],
        )

        assert [result["index"] for result in ran["results"]] == list(range(7))
        assert [result["success"] for result in ran["results"]] == [True, False, True, False, False, False, True]
        assert (ran["total"], ran["succeeded"], ran["failed"]) == (7, 3, 4)
        assert ran["results"][0]["data"]["reason_code"] == "DST_GAP"
        assert {result["error"]["code"] for result in ran["results"] if "error" in result} == {"VALIDATION_FAILED"}
        assert ran["results"][6]["data"]["reason_code"] == "INVALID_TIMEZONE"

    def test_policies_are_nested_and_a_refusal_carries_the_contracts_code(self):
        ran = answer(
            "batch_datetime_operations",
            items=[
                {
                    "operation": "resolve",
                    "local_datetime": "2026-11-01T01:30:00",
                    "time_zone": "America/New_York",
                    "resolution_policy": policy,
                }
                for policy in ({"ambiguous": "later"}, {"ambiguous": "reject"})
            ],
        )

        assert ran["results"][0]["data"]["instant_utc"] == "2026-11-01T06:30:00.000Z"
        assert ran["results"][1]["error"]["code"] == "DST_OVERLAP"

    def test_from_1_to_100_items_are_taken_also_as_a_string(self):
        item = '{"operation": "validate", "local_datetime": "2026-01-01T00:00:00", "time_zone": "UTC"}'

        assert answer("batch_datetime_operations", items=f"[{item}]")["succeeded"] == 1
        assert answer("batch_datetime_operations", items=[item] * 100)["succeeded"] == 100
        assert "at most 100 entries" in refusal("batch_datetime_operations", items=[item] * 101)
        assert "at least 1" in refusal("batch_datetime_operations", items=[])


@given(
    st.datetimes(datetime(1960, 1, 1), datetime(2037, 1, 1)).map(lambda local: local.replace(microsecond=0)),
    st.sampled_from(zone_names()),
)
def test_validate_resolve_and_convert_agree_in_every_zone(local: datetime, zone: str):
    typed: dict[str, Any] = {"local_datetime": local.isoformat(), "time_zone": zone}
    checked = answer("validate_local_datetime", **typed)
    instant = answer("resolve_datetime", **typed)["instant_utc"]
    shown = answer("convert_datetime", instant_utc=instant, target_time_zone=zone)

    if checked["status"] == "invalid":
        assert shown["local_datetime"] == checked["suggested_fixes"][0]["local_datetime"]
    else:
        assert shown["local_datetime"] == local.isoformat()
    if checked["status"] == "ambiguous":
        assert instant == checked["possible_instants"][0]["instant_utc"]
