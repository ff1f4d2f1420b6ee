"""The other tools as a caller sees them: arguments in, result or refusal out."""

from datetime import datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from almanac.families.time.core.zones import TZDB_VERSION, zone_names
from tests.unit.families.time.tools.answers import APP, NOBODY, answer, refusal


def test_the_family_has_the_nine_tools_of_its_contracts():
    assert sorted(APP.tools) == [
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
