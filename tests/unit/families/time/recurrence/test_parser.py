"""Test parsing and formatting of RRULE texts, and refusals."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.time.recurrence import Rule, WeekdayNum, parse_rule
from almanac.kernel.errors import InvalidInput


def test_every_part_is_read_into_its_field() -> None:
    rule = parse_rule("FREQ=MONTHLY;INTERVAL=2;COUNT=7;BYDAY=2TU,-1FR;BYMONTH=3,1;BYHOUR=9,8;WKST=SU;BYSETPOS=-1")
    assert rule == Rule(
        freq="MONTHLY",
        interval=2,
        count=7,
        byday=(WeekdayNum(1, 2), WeekdayNum(4, -1)),
        bymonth=(1, 3),
        byhour=(8, 9),
        wkst=6,
        bysetpos=(-1,),
    )


@pytest.mark.parametrize(
    "text", ["RRULE:FREQ=DAILY;COUNT=3", "freq=daily;count=3", " FREQ=DAILY ; COUNT = 3 ", "FREQ=DAILY;COUNT=3;"]
)
def test_prefix_letter_case_blanks_and_a_last_semicolon_do_not_matter(text: str) -> None:
    assert parse_rule(text) == Rule(freq="DAILY", count=3)


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("20270105T101112Z", datetime(2027, 1, 5, 10, 11, 12, tzinfo=UTC)),
        ("20270105T101112", datetime(2027, 1, 5, 10, 11, 12, tzinfo=UTC).replace(tzinfo=None)),
        ("20270105", date(2027, 1, 5)),
    ],
)
def test_until_keeps_the_form_it_was_given_in(text: str, until: object) -> None:
    rule = parse_rule(f"FREQ=DAILY;UNTIL={text}")
    assert rule.until == until
    assert str(rule) == f"FREQ=DAILY;UNTIL={text}"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("COUNT=3", "no FREQ"),
        ("FREQ=FORTNIGHTLY", "FORTNIGHTLY"),
        ("FREQ=DAILY;FREQ=WEEKLY", "twice"),
        ("FREQ=DAILY;;COUNT=2", "NAME=VALUE"),
        ("FREQ=DAILY;COUNT", "NAME=VALUE"),
        ("FREQ=DAILY;COLOUR=RED", "COLOUR"),
        ("FREQ=YEARLY;BYEASTER=0", "Easter"),
        ("FREQ=DAILY;COUNT=0", "below 1"),
        ("FREQ=DAILY;INTERVAL=0", "below 1"),
        ("FREQ=DAILY;INTERVAL=two", "whole number"),
        ("FREQ=DAILY;COUNT=4;UNTIL=20300101", "exclude each other"),
        ("FREQ=DAILY;UNTIL=20300231", "not a date"),
        ("FREQ=DAILY;UNTIL=2030-02-01", "not a date"),
        ("FREQ=DAILY;UNTIL=20300201T250000Z", "not a date"),
        ("FREQ=MONTHLY;BYMONTHDAY=-32", "out of range"),
        ("FREQ=DAILY;BYHOUR=24", "out of range"),
        ("FREQ=DAILY;BYMINUTE=60", "out of range"),
        ("FREQ=YEARLY;BYWEEKNO=54", "out of range"),
        ("FREQ=YEARLY;BYYEARDAY=-367", "out of range"),
        ("FREQ=MONTHLY;BYDAY=0MO", "weekday"),
        ("FREQ=MONTHLY;BYDAY=MON", "weekday"),
        ("FREQ=DAILY;WKST=MONDAY", "WKST"),
        ("FREQ=MONTHLY;BYWEEKNO=4", "FREQ=MONTHLY"),
        ("FREQ=MONTHLY;BYYEARDAY=40", "FREQ=MONTHLY"),
        ("FREQ=WEEKLY;BYMONTHDAY=4", "FREQ=WEEKLY"),
        ("FREQ=WEEKLY;BYDAY=2MO", "FREQ=WEEKLY"),
        ("FREQ=YEARLY;BYWEEKNO=4;BYDAY=2MO", "BYWEEKNO"),
        ("FREQ=YEARLY;BYWEEKNO=4;BYMONTHDAY=2", "BYWEEKNO"),
        ("FREQ=MONTHLY;BYSETPOS=2", "BYSETPOS"),
        ("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0", "out of range"),
        ("FREQ=MONTHLY;SKIP=BACKWARD", "RSCALE"),
        ("RSCALE=HEBREW;FREQ=YEARLY", "Gregorian"),
        ("RSCALE=GREGORIAN;FREQ=YEARLY;BYMONTH=5L", "leap month"),
        ("RSCALE=GREGORIAN;FREQ=YEARLY;SKIP=SIDEWAYS", "SIDEWAYS"),
        ("DTSTART:20300101T090000\nRRULE:FREQ=DAILY", "more than one line"),
        ("FREQ=DAILY;COUNT=" + "9" * 5000, "longer than"),
        ("FREQ=DAILY;COUNT=99999999999", "whole number"),
    ],
)
def test_what_the_standard_forbids_is_refused_with_the_reason(text: str, said: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        parse_rule(text)
    assert said in str(refusal.value)
    assert refusal.value.hint
    assert (refusal.value.path, refusal.value.code) == ("rrule", "INVALID_RRULE")


def test_the_leap_second_is_read_as_the_second_before_it() -> None:
    assert parse_rule("FREQ=DAILY;BYSECOND=60,58").bysecond == (58, 59)


_PIECES = ["FREQ=", "DAILY", ";", "COUNT=2", "BYDAY=1MO", "UNTIL=2", ":", ",", "-1"]


@given(st.text(max_size=40) | st.lists(st.sampled_from(_PIECES)).map("".join))
def test_any_text_is_a_rule_or_a_refusal(text: str) -> None:
    try:
        rule = parse_rule(text)
    except InvalidInput:
        return
    assert parse_rule(str(rule)) == rule


_WEEKDAY = st.builds(WeekdayNum, st.integers(0, 6), st.integers(-5, 5))


@given(
    st.builds(
        Rule,
        freq=st.sampled_from(["YEARLY", "MONTHLY"]),
        interval=st.integers(1, 99),
        count=st.none() | st.integers(1, 999),
        wkst=st.integers(0, 6),
        bymonth=st.sets(st.integers(1, 12)).map(sorted).map(tuple),
        bymonthday=st.sets(st.integers(-31, -1) | st.integers(1, 31)).map(sorted).map(tuple),
        byday=st.sets(_WEEKDAY).map(sorted).map(tuple),
        byhour=st.sets(st.integers(0, 23)).map(sorted).map(tuple),
        rscale=st.just("GREGORIAN"),
        skip=st.sampled_from(["OMIT", "BACKWARD", "FORWARD"]),
    )
)
def test_a_rule_survives_being_written_and_read(rule: Rule) -> None:
    assert parse_rule(str(rule)) == rule
