"""A wall time means one instant, none or two."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.time.core.wall_time import Gap, Overlap, Valid, examine, resolve
from almanac.families.time.core.zones import find_zone, zone_names
from almanac.kernel.errors import InvalidInput

zones = st.sampled_from(zone_names()).map(find_zone)
wall_times = st.datetimes(datetime(1950, 1, 1), datetime(2037, 12, 31)).map(lambda local: local.replace(microsecond=0))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("zone", "local", "before", "after"),
    [
        ("America/New_York", "2026-03-08T02:30", "2026-03-08T01:59:59", "2026-03-08T03:00"),
        ("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-04T01:59:59", "2026-10-04T02:30"),
        ("America/Santiago", "2026-09-06T00:30", "2026-09-05T23:59:59", "2026-09-06T01:00"),
        ("Pacific/Apia", "2011-12-30T12:00", "2011-12-29T23:59:59", "2011-12-31T00:00"),
        ("Pacific/Chatham", "2026-09-27T02:50", "2026-09-27T02:44:59", "2026-09-27T03:45"),
    ],
)
def test_the_edges_of_a_gap_are_exact_whatever_its_length(zone: str, local: str, before: str, after: str):
    gap = examine(at(local), find_zone(zone))

    assert isinstance(gap, Gap)
    assert (gap.last_before, gap.first_after) == (at(before), at(after))
    assert gap.length == gap.first_after - gap.last_before - timedelta(seconds=1)


@pytest.mark.parametrize(
    ("zone", "local", "earlier", "later"),
    [
        ("America/New_York", "2026-11-01T01:30", "2026-11-01T05:30Z", "2026-11-01T06:30Z"),
        ("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45Z", "2026-04-04T15:15Z"),
        ("America/Santiago", "2026-04-04T23:30", "2026-04-05T02:30Z", "2026-04-05T03:30Z"),
    ],
)
def test_both_instants_of_an_overlap_are_found_earlier_first(zone: str, local: str, earlier: str, later: str):
    assert examine(at(local), find_zone(zone)) == Overlap(at(earlier), at(later))


def test_policies_choose_and_the_choice_is_flagged():
    new_york = find_zone("America/New_York")
    twice, never = at("2026-11-01T01:30"), at("2026-03-08T02:30")

    assert resolve(twice, new_york).instant == at("2026-11-01T05:30Z")
    assert resolve(twice, new_york, ambiguous="later").instant == at("2026-11-01T06:30Z")
    assert resolve(never, new_york).instant == at("2026-03-08T07:00Z")
    assert resolve(never, new_york, invalid="previous_valid_time").instant == at("2026-03-08T06:59:59Z")
    assert [resolve(time, new_york).dst for time in (twice, never, at("2026-06-01T12:00"))] == [
        "overlap",
        "gap",
        "none",
    ]


@pytest.mark.parametrize(("local", "code"), [("2026-11-01T01:30", "DST_OVERLAP"), ("2026-03-08T02:30", "DST_GAP")])
def test_a_policy_of_reject_refuses_with_the_contracts_code(local: str, code: str):
    with pytest.raises(InvalidInput) as error:
        resolve(at(local), find_zone("America/New_York"), "reject", "reject")

    assert error.value.code == code


@given(wall_times, zones)
def test_what_is_found_agrees_with_the_database_in_every_zone(local: datetime, zone: ZoneInfo):
    match examine(local, zone):
        case Valid(instant):
            assert instant.astimezone(zone).replace(tzinfo=None) == local
        case Overlap(earlier, later):
            assert earlier < later
            assert earlier.astimezone(zone).replace(tzinfo=None) == local
            assert later.astimezone(zone).replace(tzinfo=None) == local
        case Gap() as gap:
            assert gap.last_before < local < gap.first_after
            assert gap.transition.astimezone(zone).replace(tzinfo=None) == gap.first_after


@given(st.datetimes(datetime(1950, 1, 1), datetime(2037, 12, 31), timezones=st.just(UTC)), zones)
def test_every_instant_is_among_those_its_wall_time_may_mean(instant: datetime, zone: ZoneInfo):
    local = instant.astimezone(zone).replace(tzinfo=None)
    meant = examine(local, zone)

    assert not isinstance(meant, Gap)
    assert instant in ([meant.instant] if isinstance(meant, Valid) else [meant.earlier, meant.later])
