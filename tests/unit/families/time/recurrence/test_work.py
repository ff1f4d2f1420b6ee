"""How much work a rule may make: distant windows, rules that never match, rules without end."""

from datetime import UTC, datetime, timedelta

import pytest

from almanac.families.time.core.zones import find_zone
from almanac.families.time.recurrence import expand, parse_rule
from almanac.families.time.recurrence.budget import MAX_STEPS, Budget
from almanac.families.time.recurrence.candidates import candidates
from almanac.families.time.recurrence.line import line_second
from almanac.kernel.errors import InvalidInput

START = datetime.fromisoformat("1980-01-01T00:00:00")


@pytest.mark.parametrize("freq", ["YEARLY", "MONTHLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"])
@pytest.mark.parametrize("interval", [1, 2, 12, 365])
def test_a_day_that_no_calendar_has_is_answered_with_nothing(freq: str, interval: int) -> None:
    rule = parse_rule(f"FREQ={freq};INTERVAL={interval};BYMONTH=2;BYMONTHDAY=30")
    found = expand(rule, START, find_zone("UTC"), limit=10)
    assert (found.occurrences, found.truncated) == ([], False)


@pytest.mark.parametrize(
    "text",
    [
        "FREQ=WEEKLY;BYDAY=MO;BYSETPOS=2",
        "FREQ=MONTHLY;BYDAY=TU;BYSETPOS=-6",
        "FREQ=YEARLY;BYWEEKNO=2;BYMONTH=8",
        "FREQ=YEARLY;BYYEARDAY=366;BYMONTH=3",
        "FREQ=DAILY;INTERVAL=14;BYDAY=WE",
        "FREQ=DAILY;BYSETPOS=2;BYHOUR=4",
        "FREQ=HOURLY;INTERVAL=2;BYHOUR=5,7",
        "FREQ=MINUTELY;INTERVAL=30;BYMINUTE=1",
        "FREQ=SECONDLY;INTERVAL=86400;BYHOUR=3",
    ],
)
def test_a_rule_that_contradicts_itself_is_answered_with_nothing(text: str) -> None:
    assert expand(parse_rule(text), START, find_zone("America/New_York"), limit=10).occurrences == []


@pytest.mark.parametrize("freq", ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"])
def test_a_window_centuries_away_is_reached_in_a_few_steps(freq: str) -> None:
    budget = Budget(steps=5)
    far = line_second(datetime.fromisoformat("2890-06-01T00:00:00"))
    assert next(candidates(parse_rule(f"FREQ={freq}"), START, far, budget))[0] >= far


@pytest.mark.parametrize("freq", ["WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"])
def test_a_count_of_a_billion_does_not_have_to_be_walked(freq: str) -> None:
    day, start = datetime(2027, 5, 4, tzinfo=UTC), datetime.fromisoformat("2001-01-01T00:00:00")
    found = expand(parse_rule(f"FREQ={freq};COUNT=999999999"), start, find_zone("America/New_York"), limit=3, after=day)
    assert found.occurrences[0].instant - day < timedelta(days=7)
    assert found.truncated == (len(found.occurrences) == 3)


def test_a_count_that_is_used_up_before_the_window_leaves_nothing() -> None:
    day = datetime(2027, 5, 4, tzinfo=UTC)
    rule = parse_rule("FREQ=SECONDLY;COUNT=999999999")
    assert expand(rule, START, find_zone("UTC"), limit=3, after=day).occurrences == []


@pytest.mark.parametrize(
    "text",
    ["FREQ=DAILY", "FREQ=SECONDLY", "FREQ=MONTHLY;BYDAY=MO,TU,WE;BYHOUR=1,2,3,4,5,6;COUNT=999999"],
)
def test_an_answer_without_end_is_refused_with_advice(text: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        expand(parse_rule(text), START, find_zone("UTC"))
    assert (refusal.value.path, refusal.value.code) == ("rrule", "RRULE_TOO_LONG")
    assert str(MAX_STEPS) in refusal.value.message
    assert "window" in refusal.value.hint


def test_the_last_day_of_the_calendar_ends_every_rule() -> None:
    late = datetime.fromisoformat("9999-12-20T09:00:00")
    for freq in ("DAILY", "WEEKLY", "MONTHLY", "YEARLY", "HOURLY"):
        found = expand(parse_rule(f"FREQ={freq}"), late, find_zone("Pacific/Kiritimati"), limit=500)
        assert found.occurrences
        assert not found.truncated


def test_a_date_at_the_edge_of_the_calendar_is_refused_by_its_path() -> None:
    edge = datetime.fromisoformat("0001-01-01T00:00:00")
    with pytest.raises(InvalidInput) as refusal:
        expand(parse_rule("FREQ=DAILY"), START, find_zone("Asia/Tokyo"), limit=1, rdates=[START, edge])
    assert refusal.value.path == "rdates[1]"
