"""Instances in gaps and overlaps, for rules of days and for rules finer than a day."""

from datetime import UTC, datetime

import pytest

from almanac.families.time.core.zones import find_zone
from almanac.families.time.recurrence import Expansion, GapPolicy, expand, parse_rule
from almanac.families.time.recurrence.clock_changes import clock_changes

# Clocks in Berlin go from 02:00 to 03:00 on 2027-03-28 and from 03:00 back to 02:00 on 2027-10-31.


def run(
    rule: str, dtstart: str, zone: str = "Europe/Berlin", gap_policy: GapPolicy = "skip", limit: int = 50
) -> Expansion:
    found = parse_rule(rule)
    return expand(found, datetime.fromisoformat(dtstart), find_zone(zone), limit=limit, gap_policy=gap_policy)


def clocks(found: Expansion) -> list[str]:
    return [f"{occurrence.local:%dT%H:%M}" for occurrence in found.occurrences]


def instants(found: Expansion) -> list[str]:
    return [f"{occurrence.instant:%dT%H:%M}" for occurrence in found.occurrences]


def test_an_instance_in_a_gap_is_left_out_listed_and_not_counted() -> None:
    found = run("FREQ=DAILY;COUNT=3", "2027-03-27T02:30")
    assert clocks(found) == ["27T02:30", "29T02:30", "30T02:30"]
    assert [skipped.local.isoformat() for skipped in found.skipped] == ["2027-03-28T02:30:00"]
    assert "Europe/Berlin" in found.skipped[0].reason


def test_an_instance_in_a_gap_is_shifted_by_its_length_and_flagged_on_demand() -> None:
    found = run("FREQ=DAILY;COUNT=3", "2027-03-27T02:30", gap_policy="shift")
    assert clocks(found) == ["27T02:30", "28T03:30", "29T02:30"]
    assert [occurrence.dst for occurrence in found.occurrences] == ["none", "gap", "none"]
    assert found.skipped == []


def test_a_shifted_instance_takes_its_place_in_the_order() -> None:
    found = run("FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,30;COUNT=4", "2027-03-28T02:00", gap_policy="shift")
    assert clocks(found) == ["28T03:00", "28T03:30", "29T02:00", "29T02:30"]
    found = run("FREQ=DAILY;BYHOUR=2,3;BYMINUTE=0,45;BYSETPOS=2,3;COUNT=3", "2027-03-28T02:00", gap_policy="shift")
    assert clocks(found) == ["28T03:00", "28T03:45", "29T02:45"]


def test_a_wall_time_that_happens_twice_is_its_first_occurrence_flagged() -> None:
    found = run("FREQ=DAILY;COUNT=3", "2027-10-30T02:30")
    assert instants(found) == ["30T00:30", "31T00:30", "01T01:30"]
    assert [occurrence.dst for occurrence in found.occurrences] == ["none", "overlap", "none"]


def test_a_day_that_does_not_exist_is_left_out() -> None:
    found = run("FREQ=DAILY;COUNT=3", "2011-12-29T08:00", zone="Pacific/Apia")
    assert clocks(found) == ["29T08:00", "31T08:00", "01T08:00"]
    assert len(found.skipped) == 1


def test_every_hour_means_every_hour_that_passes() -> None:
    spring = run("FREQ=HOURLY;COUNT=4", "2027-03-28T00:15")
    assert clocks(spring) == ["28T00:15", "28T01:15", "28T03:15", "28T04:15"]
    assert spring.skipped == []
    autumn = run("FREQ=HOURLY;COUNT=5", "2027-10-31T01:15")
    assert clocks(autumn) == ["31T01:15", "31T02:15", "31T02:15", "31T03:15", "31T04:15"]
    assert instants(autumn) == ["30T23:15", "31T00:15", "31T01:15", "31T02:15", "31T03:15"]


def test_every_twenty_minutes_goes_twice_through_the_repeated_hour() -> None:
    found = run("FREQ=MINUTELY;INTERVAL=20;COUNT=8", "2027-10-31T02:00")
    assert instants(found) == [f"31T0{hour}:{minute}" for hour in (0, 1, 2) for minute in ("00", "20", "40")][:8]


def test_every_second_hour_stays_on_the_even_hours_of_the_clock() -> None:
    skipped = run("FREQ=HOURLY;INTERVAL=2;COUNT=3", "2027-03-28T00:00")
    assert clocks(skipped) == ["28T00:00", "28T04:00", "28T06:00"]
    assert len(skipped.skipped) == 1
    shifted = run("FREQ=HOURLY;INTERVAL=2;COUNT=3", "2027-03-28T00:00", gap_policy="shift")
    assert clocks(shifted) == ["28T00:00", "28T03:00", "28T04:00"]
    autumn = run("FREQ=HOURLY;INTERVAL=2;COUNT=3", "2027-10-31T00:00")
    assert instants(autumn) == ["30T22:00", "31T00:00", "31T03:00"]


def test_an_hour_asked_for_by_name_is_missed_and_listed() -> None:
    found = run("FREQ=HOURLY;BYHOUR=2;COUNT=2", "2027-03-28T00:00")
    assert clocks(found) == ["29T02:00", "30T02:00"]
    assert len(found.skipped) == 1


def test_half_an_hour_of_clock_change_is_two_quarters() -> None:
    # Lord Howe goes from 02:00 back to 01:30 on 2027-04-04.
    found = run("FREQ=MINUTELY;INTERVAL=15;COUNT=5", "2027-04-04T01:30", zone="Australia/Lord_Howe")
    assert clocks(found) == ["04T01:30", "04T01:45", "04T01:30", "04T01:45", "04T02:00"]


def test_an_excluded_gap_instance_is_not_listed() -> None:
    found = expand(
        parse_rule("FREQ=DAILY;COUNT=2"),
        datetime.fromisoformat("2027-03-27T02:30"),
        find_zone("Europe/Berlin"),
        exdates=[datetime.fromisoformat("2027-03-28T02:30")],
    )
    assert found.skipped == []


def test_an_added_date_in_a_gap_is_read_by_the_offset_before() -> None:
    found = expand(
        parse_rule("FREQ=DAILY;COUNT=1"),
        datetime.fromisoformat("2027-03-27T02:30"),
        find_zone("Europe/Berlin"),
        rdates=[datetime.fromisoformat("2027-03-28T02:30")],
    )
    assert clocks(found) == ["27T02:30", "28T03:30"]
    assert found.occurrences[1].dst == "gap"


def test_a_local_until_in_the_repeated_hour_includes_both_passes() -> None:
    found = run("FREQ=HOURLY;UNTIL=20271031T021500", "2027-10-31T01:15")
    assert instants(found) == ["30T23:15", "31T00:15", "31T01:15"]


def test_a_window_begun_inside_the_repeated_hour_holds_its_second_pass() -> None:
    found = expand(
        parse_rule("FREQ=MINUTELY;INTERVAL=30"),
        datetime.fromisoformat("2027-01-01T00:00"),
        find_zone("Europe/Berlin"),
        after=datetime(2027, 10, 31, 0, 45, tzinfo=UTC),
        limit=3,
    )
    assert instants(found) == ["31T01:00", "31T01:30", "31T02:00"]


@pytest.mark.parametrize(
    ("zone", "year", "expected"),
    [
        ("Europe/Berlin", 2027, ["gap 03-28T02 to 03-28T03", "overlap 10-31T02 to 10-31T03"]),
        (
            "Pacific/Apia",
            2011,
            ["overlap 04-02T03 to 04-02T04", "gap 09-24T03 to 09-24T04", "gap 12-30T00 to 12-31T00"],
        ),
        ("Asia/Tokyo", 2027, []),
    ],
)
def test_clock_changes_of_a_year(zone: str, year: int, expected: list[str]) -> None:
    changes = clock_changes(find_zone(zone), year, year)
    told = [f"{'gap' if c.is_gap else 'overlap'} {c.begin:%m-%dT%H} to {c.end:%m-%dT%H}" for c in changes]
    assert told == expected


def test_a_window_from_just_after_a_gap_on_holds_what_the_gap_moved_into_it() -> None:
    # 02:30 is in the gap from 02:00 to 03:00, so it happens at 03:30, although clocks show 03:10 at the beginning.
    found = expand(
        parse_rule("FREQ=DAILY"),
        datetime.fromisoformat("2027-03-20T02:30"),
        find_zone("Europe/Berlin"),
        limit=2,
        after=datetime.fromisoformat("2027-03-28T03:10+02:00"),
        gap_policy="shift",
    )
    assert [each.local.isoformat() for each in found.occurrences] == ["2027-03-28T03:30:00", "2027-03-29T02:30:00"]
