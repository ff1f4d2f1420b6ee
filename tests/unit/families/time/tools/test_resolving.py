"""resolve_datetime as a caller sees it."""

from typing import Any

from almanac.kernel.caller import Caller, Scope
from tests.unit.families.time.tools.answers import NOBODY, answer, refusal


def test_words_become_one_instant_in_the_notation_of_both_contracts():
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


def test_the_interpretation_begins_with_the_moment_in_words():
    told = answer("resolve_datetime", expression="next Tuesday at 2pm")["interpretation"]

    assert told.startswith("Tuesday, February 24, 2026 at 2:00 PM")


def test_a_typed_local_time_is_resolved_under_policies():
    typed: dict[str, Any] = {"local_datetime": "2026-11-01T01:30:00", "time_zone": "America/New_York"}

    assert answer("resolve_datetime", **typed)["instant_utc"] == "2026-11-01T05:30:00.000Z"
    assert answer("resolve_datetime", **typed, ambiguous_policy="later")["offset"] == "-05:00"
    assert refusal("resolve_datetime", **typed, ambiguous_policy="reject").startswith("DST_OVERLAP: ")


def test_words_that_name_a_skipped_time_go_through_the_same_policies():
    skipped: dict[str, Any] = {"expression": "tomorrow at 2:30am", "anchor": "2026-03-07T12:00:00Z"}

    told = answer("resolve_datetime", **skipped)
    assert (told["resolved_local"], told["dst"]) == ("2026-03-08T03:00:00-04:00", "gap")
    assert "clocks skip that time" in told["interpretation"]
    assert refusal("resolve_datetime", **skipped, invalid_policy="reject").startswith("DST_GAP: ")


def test_today_begins_at_the_first_moment_that_exists():
    told = answer("resolve_datetime", expression="today", timezone="America/Santiago", anchor="2026-09-06T15:00:00Z")

    assert told["resolved_local"] == "2026-09-06T01:00:00-03:00"


def test_either_form_but_not_both_and_not_neither():
    assert "neither" in refusal("resolve_datetime")
    assert "not both" in refusal("resolve_datetime", expression="now", local_datetime="2026-01-01T00:00:00")


def test_either_spelling_of_the_zone_is_taken_unless_they_differ():
    assert answer("resolve_datetime", expression="now", time_zone="Asia/Tokyo")["offset"] == "+09:00"
    assert "different zones" in refusal(
        "resolve_datetime", expression="now", timezone="Asia/Tokyo", time_zone="Europe/Paris"
    )


def test_utc_is_never_assumed():
    assert refusal("resolve_datetime", NOBODY, expression="tomorrow").startswith("TIMEZONE_NOT_CONFIGURED: ")


def test_an_instant_with_an_offset_is_answered_in_that_offset_where_there_is_no_zone():
    told = answer("resolve_datetime", NOBODY, expression="2026-03-16T14:00:00-04:00")

    assert (told["timezone"], told["resolved_local"]) == ("-04:00", "2026-03-16T14:00:00-04:00")


def test_what_is_not_understood_is_refused_with_near_forms():
    said = refusal("resolve_datetime", expression="the nxt tuseday")

    assert said.startswith("UNKNOWN_EXPRESSION: ")
    assert "next" in said.lower()


def test_the_week_start_of_the_key_is_used():
    sunday = Caller(Scope("t", "p"), "tester", "key", default_timezone="UTC", week_start="sunday")

    assert answer("resolve_datetime", sunday, expression="start of week")["resolved_local"][:10] == "2026-02-15"
