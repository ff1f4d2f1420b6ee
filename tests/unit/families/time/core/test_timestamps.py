"""Timestamps in, timestamps out."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.time.core.timestamps import (
    format_moment,
    format_utc,
    format_utc_milliseconds,
    parse_local,
    parse_timestamp,
    parse_utc,
)
from almanac.kernel.errors import InvalidInput


@pytest.mark.parametrize(
    ("written", "instant"),
    [
        ("2026-03-15T14:00:00Z", "2026-03-15T14:00:00+00:00"),
        ("2026-03-15t10:00:00z", "2026-03-15T10:00:00+00:00"),
        ("2026-03-15 10:00-04:00", "2026-03-15T14:00:00+00:00"),
        ("2026-03-15T10:00:00.25+0530", "2026-03-15T04:30:00.250000+00:00"),
        (" 2026-03-15T10:00:00,123456789Z ", "2026-03-15T10:00:00.123456+00:00"),
    ],
)
def test_rfc_3339_and_its_common_relaxations_are_read(written: str, instant: str):
    assert parse_timestamp(written, "start").astimezone(UTC).isoformat() == instant


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("2026-03-15T14:00:00", "offset"),
        ("2026-03-15", "time and an offset"),
        ("2026-02-30T10:00:00Z", "does not exist"),
        ("2026-03-15T25:00:00Z", "does not exist"),
        ("next Tuesday", "resolve_datetime"),
        ("", "ISO 8601"),
        ("0001-01-01T00:00:00Z", "calendar"),
        ("9999-12-31T23:59:59Z", "calendar"),
        ("2026-03-15T14:00:00Z; DROP TABLE", "ISO 8601"),
        ("٢٠٢٦-03-15T14:00:00Z", "does not exist"),
    ],
)
def test_anything_else_is_refused_with_the_argument_and_what_to_do(written: str, said: str):
    with pytest.raises(InvalidInput, match=said) as error:
        parse_timestamp(written, "start")
    assert error.value.path == "start"


def test_a_local_time_may_not_carry_an_offset_and_a_utc_instant_no_other_one():
    with pytest.raises(InvalidInput, match="without an offset"):
        parse_local("2026-03-15T14:00:00Z", "local_datetime")
    with pytest.raises(InvalidInput, match="must be in UTC"):
        parse_utc("2026-03-15T14:00:00+02:00", "instant_utc")


def test_a_bare_date_is_its_midnight():
    assert parse_local("2026-03-15", "dtstart") == datetime(2026, 3, 15)


@given(st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1)), st.integers(-14 * 60, 14 * 60))
def test_what_is_written_is_read_back(local: datetime, offset: int):
    instant = local.replace(tzinfo=UTC) - timedelta(minutes=offset)

    assert parse_timestamp(format_utc(instant), "start") == instant
    assert abs(parse_timestamp(format_utc_milliseconds(instant), "start") - instant) < timedelta(milliseconds=1)


@given(st.text())
def test_no_text_raises_anything_but_a_refusal(text: str):
    for parse in (parse_timestamp, parse_local, parse_utc):
        try:
            parse(text, "start")
        except InvalidInput as refusal:
            assert len(str(refusal)) < 600


@pytest.mark.parametrize(
    ("moment", "told"),
    [
        (datetime(2026, 2, 24, 14), "Tuesday, February 24, 2026 at 2:00 PM"),
        (datetime(2026, 2, 4, 0, 5), "Wednesday, February 4, 2026 at 12:05 AM"),
        (datetime(2026, 2, 28, 23, 59, 59), "Saturday, February 28, 2026 at 11:59:59 PM"),
        (datetime(987, 6, 5, 12), "Tuesday, June 5, 987 at 12:00 PM"),
    ],
)
def test_a_moment_is_told_as_people_write_it(moment: datetime, told: str):
    assert format_moment(moment) == told
