"""Test zone names as people write them, and the pinned database."""

from datetime import UTC, datetime, timedelta

import pytest

from almanac.families.time.core.zones import (
    TZDB_VERSION,
    find_zone,
    format_offset,
    is_dst,
    next_transition,
    stored_zone,
    zone_names,
)
from almanac.kernel.errors import InvalidInput


def refusal_of(name: str) -> str:
    with pytest.raises(InvalidInput) as error:
        find_zone(name)
    assert error.value.code == "INVALID_TIMEZONE"
    return str(error.value)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("America/New_York", "America/New_York"),
        ("america/new_york", "America/New_York"),
        (" EUROPE/LONDON ", "Europe/London"),
        ("utc", "UTC"),
        ("Asia/Calcutta", "Asia/Calcutta"),
        ("gb", "GB"),
    ],
)
def test_a_name_or_link_is_found_in_any_case_and_echoed_in_its_own(written: str, canonical: str):
    assert find_zone(written).key == canonical


@pytest.mark.parametrize(("abbreviation", "proposed"), [("EST", "America/New_York"), ("pst", "America/Los_Angeles")])
def test_an_abbreviation_is_refused_with_zones_it_may_mean(abbreviation: str, proposed: str):
    assert proposed in refusal_of(abbreviation)


@pytest.mark.parametrize("offset", ["UTC-5", "GMT+02:00", "+05:30", "-0800", "utc +3"])
def test_a_fixed_offset_is_refused_as_such(offset: str):
    assert "fixed offset" in refusal_of(offset)


def test_the_zone_proposed_for_a_fixed_offset_has_that_offset():
    assert "Etc/GMT+5" in refusal_of("UTC-5")
    assert datetime(2026, 1, 1, tzinfo=find_zone("Etc/GMT+5")).utcoffset() == timedelta(hours=-5)


@pytest.mark.parametrize(
    ("written", "meant"),
    [("New York", "America/New_York"), ("tokyo", "Asia/Tokyo"), ("Europe/Lodnon", "Europe/London")],
)
def test_a_near_miss_is_refused_with_what_was_meant(written: str, meant: str):
    assert meant in refusal_of(written)


@pytest.mark.parametrize("hostile", ["", "../../etc/passwd", "/etc/localtime", "\x00", "x" * 100_000, "Mars/Olympus"])
def test_anything_else_is_refused_and_bounded(hostile: str):
    assert len(refusal_of(hostile)) < 400


def test_every_listed_zone_is_found():
    assert all(find_zone(name).key == name for name in zone_names())


def test_rules_come_from_the_pinned_database():
    """British Columbia keeps summer time for good from November 2026; databases before 2026b do not know."""
    winter = datetime(2026, 12, 1, tzinfo=UTC).astimezone(find_zone("America/Vancouver"))

    assert TZDB_VERSION >= "2026b"
    assert winter.utcoffset() == timedelta(hours=-7)


@pytest.mark.parametrize(
    ("zone", "instant", "active"),
    [
        ("America/New_York", "2026-07-01", True),
        ("America/New_York", "2026-01-01", False),
        ("Australia/Sydney", "2026-01-01", True),
        ("Australia/Sydney", "2026-07-01", False),
        ("Europe/Dublin", "2026-07-01", True),
        ("Europe/Dublin", "2026-01-01", False),
        ("Africa/Windhoek", "2010-01-01", True),
        ("Africa/Windhoek", "2010-07-01", False),
        ("Africa/Windhoek", "2020-01-01", False),
        ("Asia/Tokyo", "2026-07-01", False),
        ("UTC", "2026-07-01", False),
    ],
)
def test_daylight_saving_is_told_right_in_both_hemispheres_and_for_negative_savings(
    zone: str, instant: str, active: bool
):
    assert is_dst(datetime.fromisoformat(instant).replace(tzinfo=UTC), find_zone(zone)) is active


@pytest.mark.parametrize(
    ("name", "key"),
    [("europe/berlin", "Europe/Berlin"), ("Mars/Base", "UTC"), ("EST", "UTC"), ("", "UTC"), (None, "UTC")],
)
def test_a_stored_name_that_the_database_lacks_is_read_as_utc(name: str | None, key: str):
    assert stored_zone(name) is find_zone(key)


def test_the_next_change_is_found_to_the_second():
    change = next_transition(datetime(2026, 1, 15, 8, 30, 17, 5, tzinfo=UTC), find_zone("America/New_York"))

    assert change == datetime(2026, 3, 8, 7, tzinfo=UTC)


def test_a_zone_without_changes_has_no_next_one():
    assert next_transition(datetime(2026, 1, 15, tzinfo=UTC), find_zone("Asia/Tokyo")) is None


@pytest.mark.parametrize(
    ("offset", "written"),
    [
        (timedelta(hours=5, minutes=30), "+05:30"),
        (timedelta(hours=-3, minutes=-30), "-03:30"),
        (timedelta(0), "+00:00"),
        (timedelta(hours=-4, minutes=-56, seconds=-2), "-04:56:02"),
    ],
)
def test_offsets_are_written_with_sign_and_colon(offset: timedelta, written: str):
    assert format_offset(offset) == written
