"""Test properties of every expression: equal forms agree, offsets invert, and only InvalidInput is raised."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from almanac.families.time.core.zones import find_zone
from almanac.families.time.expressions import Interpretation, understand
from almanac.families.time.expressions.vocabulary import MONTHS, WEEKDAYS, words
from almanac.kernel.errors import InvalidInput


def in_utc(naive: datetime) -> datetime:
    return naive.replace(tzinfo=UTC, microsecond=0)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


zones = st.sampled_from(["UTC", "America/New_York", "Europe/Madrid", "Asia/Kathmandu", "Pacific/Apia"]).map(find_zone)
anchors = st.datetimes(at("1975-01-01T00:00"), at("2100-12-31T00:00")).map(in_utc)
counts = st.integers(1, 400)
dates = st.dates(date(1950, 1, 1), date(2190, 12, 31))
pieces = st.one_of(
    st.sampled_from(sorted(words())),
    st.sampled_from(
        ["10:30", "24:00", "3/4", "03/18/2026", "13.5.2015", "1st", "0th", "5pm", "2.5", "2026-03", "0710"]
    ),
    st.integers(0, 10**14).map(str),
)


@given(counts, anchors, zones)
def test_in_n_days_is_plus_n_d(count: int, anchor: datetime, zone: ZoneInfo) -> None:
    spellings = (
        f"in {count} days",
        f"+{count}d",
        f"{count} days from now",
        f"{count} days later",
        f"now + {count} days",
    )
    assert len({understand(said, anchor, zone).local for said in spellings}) == 1


@given(counts, anchors, zones)
def test_hours_ahead_and_hours_ago_invert(count: int, anchor: datetime, zone: ZoneInfo) -> None:
    ahead = understand(f"in {count} hours", anchor, zone).instant
    assert ahead is not None
    assert understand(f"{count} hours ago", ahead, zone).instant == anchor


@given(counts, anchors, zones)
def test_a_day_offset_keeps_the_wall_clock(count: int, anchor: datetime, zone: ZoneInfo) -> None:
    now = anchor.astimezone(zone).replace(tzinfo=None)
    assert understand(f"{count} days ago", anchor, zone).local == now - timedelta(days=count)


@given(dates, anchors, zones)
def test_a_date_means_the_same_in_every_spelling(day: date, anchor: datetime, zone: ZoneInfo) -> None:
    name, year = MONTHS[day.month - 1], f"{day.year:04d}"
    spellings = [
        day.isoformat(),
        f"{day.month}/{day.day}/{year}",
        f"{day.day}.{day.month}.{year}",
        f"{day.day} {name} {year}",
        f"{name[:3]} {day.day}, {year}",
        f"{name.upper()} {day.day}, {year}",
        f"{WEEKDAYS[day.weekday()]}, {day.day} {name} {year}",
        f"{day.day}-{name[:3]}-{year}",
        f"{year}-{day.timetuple().tm_yday:03d}",
        "{}-W{:02d}-{}".format(*day.isocalendar()),
    ]
    for spelling in spellings:
        understood = understand(spelling, anchor, zone)
        assert (understood.local, understood.grain) == (datetime.combine(day, datetime.min.time()), "day"), spelling


@given(st.times().map(lambda clock: clock.replace(second=0, microsecond=0)), anchors, zones)
def test_a_time_means_the_same_on_both_clocks_and_sides(clock: time, anchor: datetime, zone: ZoneInfo) -> None:
    twelve = f"{clock.hour % 12 or 12}:{clock.minute:02d}{'am' if clock.hour < 12 else 'pm'}"
    spellings = (
        f"tomorrow at {clock:%H:%M}",
        f"{twelve} tomorrow",
        f"tomorrow, {twelve}",
        f"Tomorrow {twelve.upper()}",
    )
    assert len({understand(said, anchor, zone).local for said in spellings}) == 1


@given(st.sampled_from(WEEKDAYS), anchors, zones)
def test_next_and_last_weekdays_lie_within_a_week_on_their_side(weekday: str, anchor: datetime, zone: ZoneInfo) -> None:
    today = anchor.astimezone(zone).date()
    ahead = (understand(f"next {weekday}", anchor, zone).local.date() - today).days
    back = (today - understand(f"last {weekday}", anchor, zone).local.date()).days
    assert 1 <= ahead <= 7
    assert 1 <= back <= 7
    assert (ahead + back) % 7 == 0


@given(st.sampled_from(["week", "month", "quarter", "year"]), st.sampled_from(["last", "this", "next"]), anchors, zones)
def test_a_period_ends_one_second_before_the_next_begins(
    unit: str, which: str, anchor: datetime, zone: ZoneInfo
) -> None:
    end = understand(f"end of {which} {unit}", anchor, zone).local
    following = {"last": "this", "this": "next"}.get(which)
    if following is None:
        assert end > understand(f"{which} {unit}", anchor, zone).local
    else:
        assert end + timedelta(seconds=1) == understand(f"start of {following} {unit}", anchor, zone).local


@given(st.lists(pieces, min_size=1, max_size=7).map(" ".join), anchors, zones)
def test_words_of_the_vocabulary_in_any_order_are_understood_or_refused(
    text: str, anchor: datetime, zone: ZoneInfo
) -> None:
    answer_or_refusal(text, anchor, zone)


@given(st.text(max_size=220), anchors, zones)
@example("1/0", datetime(2026, 3, 2, tzinfo=UTC), find_zone("UTC"))
def test_any_text_is_understood_or_refused(text: str, anchor: datetime, zone: ZoneInfo) -> None:
    answer_or_refusal(text, anchor, zone)


@given(st.sampled_from([at("0001-01-01"), at("9999-12-31T23:59")]).map(in_utc), zones, pieces, pieces)
def test_the_ends_of_the_calendar_are_no_exception(anchor: datetime, zone: ZoneInfo, first: str, second: str) -> None:
    answer_or_refusal(f"{first} {second}", anchor, zone)


def answer_or_refusal(text: str, anchor: datetime, zone: ZoneInfo) -> None:
    answer: Interpretation | InvalidInput
    try:
        answer = understand(text, anchor, zone)
    except InvalidInput as refused:
        answer = refused
    if isinstance(answer, InvalidInput):
        assert answer.code in ("UNKNOWN_EXPRESSION", "AMBIGUOUS_EXPRESSION", "IMPOSSIBLE_TIME")
        assert answer.hint
        assert len(answer.message) < 400
    else:
        assert answer.local.tzinfo is None
        assert answer.instant is None or answer.instant.tzinfo is UTC


@pytest.mark.parametrize(
    "repeated", ["1 ", "a ", "and ", "twenty ", "half past ", "1 day ", "first ", "5-", "next ", "of "]
)
def test_hostile_repetition_is_bounded_work(repeated: str) -> None:
    with pytest.raises(InvalidInput):
        understand((repeated * 200)[:200], datetime(2027, 4, 15, tzinfo=UTC), find_zone("UTC"))
