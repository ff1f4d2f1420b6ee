"""Instances of rules: hand-made cases for each frequency and each corner."""

from datetime import UTC, datetime

import pytest

from almanac.families.time.core.zones import find_zone
from almanac.families.time.recurrence import expand, parse_rule
from almanac.kernel.errors import InvalidInput


def local(text: str) -> datetime:
    return datetime.fromisoformat(text)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def days(rule: str, dtstart: str, limit: int) -> list[str]:
    """The first dates of a rule, in UTC."""
    found = expand(parse_rule(rule), local(dtstart), find_zone("UTC"), limit=limit)
    return [occurrence.local.date().isoformat() for occurrence in found.occurrences]


def times(rule: str, dtstart: str, limit: int) -> list[str]:
    found = expand(parse_rule(rule), local(dtstart), find_zone("UTC"), limit=limit)
    return [occurrence.local.isoformat() for occurrence in found.occurrences]


@pytest.mark.parametrize(
    ("rule", "dtstart", "expected"),
    [
        ("FREQ=MONTHLY", "2027-08-31T07:00", ["2027-08-31", "2027-10-31", "2027-12-31"]),
        ("FREQ=YEARLY", "2028-02-29T07:00", ["2028-02-29", "2032-02-29"]),
        ("FREQ=YEARLY", "2096-02-29T07:00", ["2096-02-29", "2104-02-29"]),
        ("FREQ=MONTHLY;BYDAY=-2SA", "2027-05-01T07:00", ["2027-05-22", "2027-06-19"]),
        ("FREQ=MONTHLY;BYDAY=2TU,SA", "2027-02-05T07:00", ["2027-02-06", "2027-02-09", "2027-02-13", "2027-02-20"]),
        ("FREQ=YEARLY;BYDAY=-1SU", "2027-01-01T07:00", ["2027-12-26", "2028-12-31"]),
        ("FREQ=YEARLY;BYDAY=2MO;BYMONTH=9", "2027-01-01T07:00", ["2027-09-13", "2028-09-11"]),
        ("FREQ=YEARLY;BYYEARDAY=60;BYMONTHDAY=29", "2027-01-01T07:00", ["2028-02-29", "2032-02-29"]),
        ("FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR", "2027-01-01T07:00", ["2027-08-13", "2028-10-13"]),
        ("FREQ=MONTHLY;BYMONTHDAY=1,2,3,4,5,6,7;BYDAY=1WE", "2027-01-01T07:00", ["2027-01-06", "2027-02-03"]),
        ("FREQ=WEEKLY;BYDAY=MO,SU;INTERVAL=2;WKST=SU", "2027-01-03T07:00", ["2027-01-03", "2027-01-04", "2027-01-17"]),
        ("FREQ=WEEKLY;BYDAY=MO,SU;INTERVAL=2;WKST=MO", "2027-01-03T07:00", ["2027-01-03", "2027-01-11", "2027-01-17"]),
        ("FREQ=WEEKLY;BYMONTH=2", "2027-01-06T07:00", ["2027-02-03", "2027-02-10"]),
        ("FREQ=DAILY;INTERVAL=10;BYDAY=SU", "2027-01-01T07:00", ["2027-01-31", "2027-04-11"]),
        ("FREQ=DAILY;BYMONTH=12;BYMONTHDAY=-1", "2027-01-01T07:00", ["2027-12-31", "2028-12-31"]),
        ("FREQ=HOURLY;BYYEARDAY=-1;BYHOUR=4", "2027-01-01T07:00", ["2027-12-31", "2028-12-31"]),
        # A week number without a weekday means the weekday of DTSTART.
        ("FREQ=YEARLY;BYWEEKNO=10", "2027-01-01T07:00", ["2027-03-12", "2028-03-10"]),
        # Week 1 reaches into December, also for BYSETPOS.
        (
            "FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO,TU,WE;BYSETPOS=1",
            "2024-12-01T07:00",
            ["2024-12-30", "2025-12-29", "2027-01-04"],
        ),
        # Week 53 ends in the year after.
        ("FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU", "2027-01-01T07:00", ["2027-01-03", "2033-01-02"]),
        # BYSETPOS counts a first partial week from its start. DTSTART is a Thursday, so that week's second day is over.
        ("FREQ=WEEKLY;BYDAY=MO,TU,TH,FR;BYSETPOS=2", "2027-01-07T07:00", ["2027-01-12", "2027-01-19"]),
    ],
)
def test_days_named_by_a_rule(rule: str, dtstart: str, expected: list[str]) -> None:
    assert days(rule, dtstart, len(expected)) == expected


def test_bysetpos_chooses_among_times_too() -> None:
    rule = "FREQ=MONTHLY;BYDAY=1MO;BYHOUR=9,15;BYMINUTE=0,30;BYSETPOS=2,-1"
    assert times(rule, "2027-03-01T09:00", 3) == ["2027-03-01T09:30:00", "2027-03-01T15:30:00", "2027-04-05T09:30:00"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("FREQ=HOURLY;BYMINUTE=5,50;BYSETPOS=-1", ["2027-01-01T07:50:00", "2027-01-01T08:50:00"]),
        ("FREQ=MINUTELY;INTERVAL=25;BYHOUR=9", ["2027-01-01T09:05:00", "2027-01-01T09:30:00"]),
        ("FREQ=SECONDLY;INTERVAL=7;BYSECOND=0", ["2027-01-01T07:00:00", "2027-01-01T07:07:00"]),
        ("FREQ=SECONDLY;BYHOUR=6;BYMINUTE=59", ["2027-01-02T06:59:00", "2027-01-02T06:59:01"]),
        ("FREQ=MINUTELY;BYDAY=MO;BYSECOND=30", ["2027-01-04T00:00:30", "2027-01-04T00:01:30"]),
        ("FREQ=HOURLY;INTERVAL=1000", ["2027-01-01T07:00:00", "2027-02-11T23:00:00"]),
    ],
)
def test_rules_finer_than_a_day(rule: str, expected: list[str]) -> None:
    assert times(rule, "2027-01-01T07:00", 2) == expected


def test_a_dtstart_that_the_rule_does_not_name_is_no_instance() -> None:
    assert days("FREQ=WEEKLY;BYDAY=TU;COUNT=2", "2027-01-06T07:00", 9) == ["2027-01-12", "2027-01-19"]


@pytest.mark.parametrize(
    ("skip", "expected"),
    [
        ("OMIT", ["2027-01-30", "2027-03-30", "2027-04-30"]),
        ("BACKWARD", ["2027-01-30", "2027-02-28", "2027-03-30"]),
        ("FORWARD", ["2027-01-30", "2027-03-01", "2027-03-30"]),
    ],
)
def test_skip_says_what_becomes_of_a_missing_day(skip: str, expected: list[str]) -> None:
    assert days(f"RSCALE=gregorian;FREQ=MONTHLY;SKIP={skip}", "2027-01-30T07:00", 3) == expected


def test_skip_moves_a_birthday_on_leap_day() -> None:
    rule = "RSCALE=GREGORIAN;FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;SKIP="
    assert days(rule + "FORWARD", "2027-01-01T07:00", 2) == ["2027-03-01", "2028-02-29"]
    assert days(rule + "BACKWARD", "2027-01-01T07:00", 2) == ["2027-02-28", "2028-02-29"]


def test_skip_gives_a_day_that_two_numbers_fall_onto_once() -> None:
    rule = "RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=1,29,30;SKIP=FORWARD"
    assert days(rule, "2027-02-01T07:00", 4) == ["2027-02-01", "2027-03-01", "2027-03-29", "2027-03-30"]


def test_skip_moves_days_counted_from_the_end() -> None:
    rule = "RSCALE=GREGORIAN;FREQ=MONTHLY;BYMONTHDAY=-31;SKIP=BACKWARD"
    assert days(rule, "2027-03-01T07:00", 3) == ["2027-03-01", "2027-03-31", "2027-05-01"]


@pytest.mark.parametrize(
    ("until", "last"),
    [
        ("20270603T130000Z", "2027-06-03"),
        ("20270603T125959Z", "2027-06-02"),
        ("20270603T090000", "2027-06-03"),
        ("20270603T085959", "2027-06-02"),
        ("20270603", "2027-06-03"),
    ],
)
def test_until_is_read_in_utc_in_local_time_or_as_a_whole_day(until: str, last: str) -> None:
    found = expand(
        parse_rule(f"FREQ=DAILY;UNTIL={until}"), local("2027-06-01T09:00"), find_zone("America/New_York"), limit=99
    )
    assert found.occurrences[-1].local.date().isoformat() == last
    assert not found.truncated


def test_an_until_before_dtstart_leaves_nothing() -> None:
    assert days("FREQ=DAILY;UNTIL=20261231T000000Z", "2027-01-01T07:00", 5) == []


def test_excluded_dates_are_taken_out_after_counting_and_added_ones_put_in_order() -> None:
    found = expand(
        parse_rule("FREQ=DAILY;COUNT=4"),
        local("2027-06-01T09:00"),
        find_zone("Europe/Rome"),
        exdates=[local("2027-06-02T09:00"), utc("2027-06-03T07:00")],
        rdates=[local("2027-06-02T18:00"), local("2027-06-04T09:00"), utc("2027-05-30T07:00")],
    )
    assert [occurrence.local.isoformat() for occurrence in found.occurrences] == [
        "2027-05-30T09:00:00",
        "2027-06-01T09:00:00",
        "2027-06-02T18:00:00",
        "2027-06-04T09:00:00",
    ]


def test_truncated_says_exactly_whether_more_follows() -> None:
    start, zone = local("2027-06-01T09:00"), find_zone("UTC")
    assert not expand(parse_rule("FREQ=DAILY;COUNT=3"), start, zone, limit=3).truncated
    assert expand(parse_rule("FREQ=DAILY;COUNT=4"), start, zone, limit=3).truncated
    last_excluded = [local("2027-06-04T09:00")]
    assert not expand(parse_rule("FREQ=DAILY;COUNT=4"), start, zone, limit=3, exdates=last_excluded).truncated
    assert not expand(parse_rule("FREQ=DAILY"), start, zone, limit=3, before=utc("2027-06-04T09:00")).truncated


def test_a_window_holds_its_start_and_not_its_end() -> None:
    found = expand(
        parse_rule("FREQ=DAILY"),
        local("2020-01-01T12:00"),
        find_zone("UTC"),
        after=utc("2027-03-01T12:00"),
        before=utc("2027-03-03T12:00"),
    )
    assert [occurrence.local.day for occurrence in found.occurrences] == [1, 2]


def test_a_dtstart_with_an_offset_or_fractions_is_refused() -> None:
    for dtstart in (utc("2027-01-01T09:00"), local("2027-01-01T09:00:00.5"), local("0001-01-01T00:00")):
        with pytest.raises(InvalidInput) as refusal:
            expand(parse_rule("FREQ=DAILY"), dtstart, find_zone("UTC"), limit=1)
        assert refusal.value.path == "dtstart"


def test_a_window_without_offset_is_refused() -> None:
    with pytest.raises(InvalidInput) as refusal:
        expand(parse_rule("FREQ=DAILY"), local("2027-01-01T09:00"), find_zone("UTC"), after=local("2027-01-01T09:00"))
    assert refusal.value.path == "after"
