"""Test properties of every rule: order, windows, counting, and agreement with two independent oracles."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain, islice
from zoneinfo import ZoneInfo

import pytest
from dateutil.rrule import rrulestr
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from almanac.families.time.core.zones import find_zone, zone_names
from almanac.families.time.recurrence import GapPolicy, Rule, WeekdayNum, expand, parse_rule, starts_within
from almanac.families.time.recurrence.budget import Budget
from almanac.families.time.recurrence.candidates import period_by_period
from almanac.families.time.recurrence.clock_changes import NO_TIME, offset_at, plain_time
from almanac.families.time.recurrence.even_rows import even_rows
from almanac.families.time.recurrence.line import line_instant, line_second, line_time
from almanac.families.time.recurrence.rule import Frequency

ZONES = ["UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca", "America/Sao_Paulo"]
zones = st.sampled_from(ZONES).map(find_zone)
policies = st.sampled_from(["skip", "shift"])
starts = st.datetimes(datetime.fromisoformat("1997-01-01"), datetime.fromisoformat("2040-01-01")).map(
    lambda moment: moment.replace(microsecond=0)
)


_FREQUENCIES: list[Frequency] = ["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY", "SECONDLY"]


def some(values: st.SearchStrategy[int], most: int = 4) -> st.SearchStrategy[tuple[int, ...]]:
    return st.just(()) | st.sets(values, max_size=most).map(lambda found: tuple(sorted(found)))


def signed_numbers(high: int) -> st.SearchStrategy[int]:
    return st.integers(1, high) | st.integers(-high, -1)


@st.composite
def rules(draw: st.DrawFn, finest: int = 7) -> Rule:
    """A valid rule of the first `finest` frequencies, without end."""
    freq = draw(st.sampled_from(_FREQUENCIES[:finest]))
    numbered = freq in ("YEARLY", "MONTHLY")
    weekday = st.builds(
        WeekdayNum, st.integers(0, 6), st.sampled_from([0, 0, 1, 2, -1, -2, 5]) if numbered else st.just(0)
    )
    found = Rule(
        freq=freq,
        interval=draw(st.integers(1, 5)),
        wkst=draw(st.integers(0, 6)),
        bymonth=draw(some(st.integers(1, 12))),
        bymonthday=() if freq == "WEEKLY" else draw(some(signed_numbers(31))),
        byyearday=() if freq in ("MONTHLY", "WEEKLY", "DAILY") else draw(st.just(()) | some(signed_numbers(366))),
        byday=draw(st.just(()) | st.sets(weekday, max_size=4).map(lambda days: tuple(sorted(days)))),
        byhour=draw(some(st.integers(0, 23), 2)),
        byminute=draw(some(st.integers(0, 59), 2)),
        bysecond=draw(some(st.integers(0, 59), 2)),
    )
    chosen_from = (found.bymonth, found.bymonthday, found.byyearday, found.byday, found.byhour, found.byminute)
    return replace(found, bysetpos=draw(some(signed_numbers(6), 2))) if any(chosen_from) else found


@given(rules(), starts, zones, policies, st.integers(1, 30))
def test_instances_are_sorted_unique_and_not_before_dtstart(
    rule: Rule, start: datetime, zone: ZoneInfo, gap_policy: GapPolicy, limit: int
) -> None:
    found = expand(rule, start, zone, limit=limit, gap_policy=gap_policy).occurrences
    instants = [occurrence.instant for occurrence in found]
    assert instants == sorted(set(instants))
    assert all(occurrence.instant.astimezone(zone).replace(tzinfo=None) == occurrence.local for occurrence in found)
    assert all(occurrence.local >= start for occurrence in found if occurrence.dst == "none")


@pytest.mark.slow
@given(rules(), starts, zones, policies, st.data())
def test_a_window_holds_what_the_whole_expansion_holds_there(
    rule: Rule, start: datetime, zone: ZoneInfo, gap_policy: GapPolicy, data: st.DataObject
) -> None:
    whole = expand(rule, start, zone, limit=60, gap_policy=gap_policy).occurrences
    assume(whole)
    after, before = sorted(
        whole[data.draw(st.integers(0, len(whole) - 1))].instant + timedelta(seconds=data.draw(st.integers(-1, 1)))
        for _ in range(2)
    )
    window = expand(rule, start, zone, after=after, before=before, gap_policy=gap_policy).occurrences
    assert window == [occurrence for occurrence in whole if after <= occurrence.instant < before]


@given(rules(), starts, zones, policies, st.integers(1, 40), st.data())
def test_count_counts_from_dtstart_wherever_the_window_lies(
    rule: Rule, start: datetime, zone: ZoneInfo, gap_policy: GapPolicy, count: int, data: st.DataObject
) -> None:
    endless = expand(rule, start, zone, limit=count, gap_policy=gap_policy).occurrences
    assume(endless)
    after = endless[data.draw(st.integers(0, len(endless) - 1))].instant
    counted = parse_rule(f"{rule};COUNT={count}")
    window = expand(counted, start, zone, limit=99, after=after, gap_policy=gap_policy)
    assert window.occurrences == [occurrence for occurrence in endless if occurrence.instant >= after]
    assert not window.truncated


_EVEN = [
    "FREQ=DAILY",
    "FREQ=DAILY;INTERVAL=3;BYHOUR=1,2,3;BYMINUTE=30",
    "FREQ=WEEKLY;BYDAY=SU,WE;WKST=WE",
    "FREQ=WEEKLY;INTERVAL=2;BYHOUR=2,3",
    "FREQ=HOURLY",
    "FREQ=HOURLY;INTERVAL=2",
    "FREQ=MINUTELY;INTERVAL=45",
]


@given(st.sampled_from(_EVEN), starts, zones, policies, st.integers(1, 3000))
def test_counting_by_arithmetic_agrees_with_walking(
    text: str, start: datetime, zone: ZoneInfo, gap_policy: GapPolicy, count: int
) -> None:
    walked = expand(parse_rule(text), start, zone, limit=count, gap_policy=gap_policy).occurrences
    late = walked[-1].instant - timedelta(hours=5)
    jumped = expand(parse_rule(f"{text};COUNT={count}"), start, zone, after=late, gap_policy=gap_policy)
    assert jumped.occurrences == [occurrence for occurrence in walked if occurrence.instant >= late]


@st.composite
def unlimited_rules(draw: st.DrawFn) -> Rule:
    """WEEKLY to SECONDLY, with nothing that leaves a period out."""
    rule = draw(rules().filter(lambda rule: rule.freq not in ("YEARLY", "MONTHLY")))
    rule = replace(rule, bymonth=(), byweekno=(), byyearday=(), bymonthday=(), bysetpos=())
    if rule.freq == "WEEKLY":
        return rule
    rule = replace(rule, byday=())
    return rule if rule.freq == "DAILY" else replace(rule, byhour=(), byminute=(), bysecond=())


@given(unlimited_rules(), starts, st.integers(0, 10**9))
def test_even_rows_are_what_walking_from_period_to_period_finds(rule: Rule, start: datetime, ahead: int) -> None:
    first = line_second(start) + ahead
    rows = even_rows(rule, start)
    assert rows is not None
    walked = chain.from_iterable(period_by_period(rule, start, first, Budget()))
    expected = islice((second for second in walked if second >= first), 100)
    assert list(islice(rows.seconds_from(first), 100)) == list(expected)


@given(
    st.sampled_from(zone_names()).map(find_zone),
    st.datetimes(datetime.fromisoformat("1890-01-01"), datetime.fromisoformat("2120-01-01")),
)
def test_plain_time_is_where_both_readings_of_a_wall_time_agree(zone: ZoneInfo, local: datetime) -> None:
    local = local.replace(microsecond=0)
    plain = plain_time(zone, line_second(local))
    earlier, later = offset_at(zone, local), offset_at(zone, local.replace(fold=1))
    assert (plain is NO_TIME) == (earlier != later)
    if plain is not NO_TIME:
        edges = [line_time(second) for second in (plain.begin, line_second(local), plain.end - 1)]
        assert {offset_at(zone, edge.replace(fold=fold)) for edge in edges for fold in (0, 1)} == {plain.offset}


@given(rules(finest=6), starts, zones, st.integers(1, 3000))
def test_starts_within_a_window_are_those_of_the_expansion(
    rule: Rule, start: datetime, zone: ZoneInfo, days: int
) -> None:
    after = (start + timedelta(days=days)).replace(tzinfo=UTC)
    before = after + timedelta(days=3)
    whole = expand(rule, start, zone, after=after, before=before, rdates=[start]).occurrences
    found = starts_within(rule, start, zone, after=after, before=before, rdates=[start])
    assert [(line_instant(instant), line_time(local)) for instant, local in found] == [
        (one.instant, one.local) for one in whole
    ]


def dateutil_is_right(rule: Rule) -> bool:
    """Return whether dateutil expands the rule rightly (see docs/decisions/0004-recurrence-and-time-zones.md)."""
    mixed = {day.nth == 0 for day in rule.byday} == {True, False}
    return not mixed and not (rule.bysetpos and rule.freq == "WEEKLY")


@pytest.mark.slow
@settings(deadline=None)
@given(rules(), starts)
def test_agrees_with_dateutil_where_that_is_right(rule: Rule, start: datetime) -> None:
    assume(dateutil_is_right(rule))
    ours = expand(rule, start, find_zone("UTC"), limit=12).occurrences
    assume(ours)
    until = ours[-1].local.strftime("%Y%m%dT%H%M%S")
    theirs = islice(rrulestr(f"{rule};UNTIL={until}", dtstart=start), 13)
    assert [occurrence.local for occurrence in ours] == list(theirs)


def _names_day(rule: Rule, start: datetime, day: datetime) -> bool:
    """RFC 5545's table read as a yes-or-no question about one day, without any generation."""
    month_length = ((day.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)).day
    year_length = (day.replace(month=12, day=31) - day.replace(month=1, day=1)).days + 1
    number = (day - day.replace(month=1, day=1)).days + 1
    in_year = rule.freq == "YEARLY" and not rule.bymonth
    place, length = (number, year_length) if in_year else (day.day, month_length)
    ordinals = {0, (place - 1) // 7 + 1, -((length - place) // 7 + 1)}
    months, month_days, weekdays = rule.bymonth, rule.bymonthday, rule.byday
    if rule.freq == "WEEKLY" and not weekdays:
        weekdays = (WeekdayNum(start.weekday()),)
    if rule.freq in ("YEARLY", "MONTHLY") and not (month_days or rule.byyearday or weekdays):
        month_days = (start.day,)
        if rule.freq == "YEARLY" and not months:
            months = (start.month,)
    return (
        (not months or day.month in months)
        and (not month_days or day.day in month_days or day.day - month_length - 1 in month_days)
        and (not rule.byyearday or number in rule.byyearday or number - year_length - 1 in rule.byyearday)
        and (not weekdays or any(part.weekday == day.weekday() and part.nth in ordinals for part in weekdays))
    )


def _periods_after(rule: Rule, start: datetime, day: datetime) -> int:
    if rule.freq == "YEARLY":
        return day.year - start.year
    if rule.freq == "MONTHLY":
        return (day.year - start.year) * 12 + day.month - start.month
    if rule.freq == "DAILY":
        return (day - start).days
    first_of_week = start - timedelta(days=(start.weekday() - rule.wkst) % 7)
    return (day - first_of_week).days // 7


@pytest.mark.slow
@settings(deadline=None)
@given(rules(finest=4), starts)
def test_agrees_with_asking_every_day_in_turn(rule: Rule, start: datetime) -> None:
    day_rule = replace(rule, byhour=(), byminute=(), bysecond=())
    assume(not day_rule.bysetpos or any((day_rule.bymonth, day_rule.bymonthday, day_rule.byyearday, day_rule.byday)))
    first = start - timedelta(days=366)
    periods: dict[int, list[datetime]] = {}
    for ahead in range(366 * 5):
        day = first + timedelta(days=ahead)
        period = _periods_after(day_rule, start, day)
        if period >= 0 and period % day_rule.interval == 0 and _names_day(day_rule, start, day):
            periods.setdefault(period, []).append(day)
    expected: list[datetime] = []
    for _, days in sorted(periods.items()):
        size = len(days)
        places = {place - 1 if place > 0 else size + place for place in day_rule.bysetpos} or set(range(size))
        expected += [days[place] for place in sorted(places) if 0 <= place < size and days[place] >= start]
    end = (start + timedelta(days=365 * 3)).replace(tzinfo=UTC)
    ours = expand(day_rule, start, find_zone("UTC"), before=end).occurrences
    assert [occurrence.local for occurrence in ours] == [day for day in expected if day.replace(tzinfo=UTC) < end]
