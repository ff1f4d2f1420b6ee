"""RFC 3339, ISO 8601, epoch numbers and mail dates."""

from datetime import UTC, datetime

import pytest

from almanac.families.time.core.zones import find_zone
from almanac.families.time.expressions import Grain, Interpretation, understand
from almanac.kernel.errors import InvalidInput

ASKED = datetime(2027, 4, 15, 9, 25, 10, tzinfo=UTC)


def read(expression: str) -> Interpretation:
    return understand(expression, ASKED, find_zone("Asia/Tokyo"))


@pytest.mark.parametrize(
    ("expression", "instant"),
    [
        ("2029-06-07T08:09:10Z", "2029-06-07T08:09:10+00:00"),
        ("2029-06-07t08:09:10z", "2029-06-07T08:09:10+00:00"),
        ("2029-06-07 08:09:10Z", "2029-06-07T08:09:10+00:00"),
        ("2029-06-07T08:09:10.25-03:30", "2029-06-07T11:39:10.250000+00:00"),
        ("2029-06-07T08:09+0200", "2029-06-07T06:09:00+00:00"),
        ("20290607T080910Z", "2029-06-07T08:09:10+00:00"),
        ("2029-W23-4T08:09Z", "2029-06-07T08:09:00+00:00"),
        ("1875514150", "2029-06-07T08:09:10+00:00"),
        ("1875514150.25", "2029-06-07T08:09:10.250000+00:00"),
        ("1875514150250", "2029-06-07T08:09:10.250000+00:00"),
        ("epoch 1875514150", "2029-06-07T08:09:10+00:00"),
        ("Thu, 7 Jun 2029 08:09:10 GMT", "2029-06-07T08:09:10+00:00"),
        ("Thu, 7 Jun 2029 10:09:10 +0200", "2029-06-07T08:09:10+00:00"),
        ("2029-06-07 06:09:10 -0200", "2029-06-07T08:09:10+00:00"),
        ("7 June 2029 at 8:09am UTC", "2029-06-07T08:09:00+00:00"),
    ],
)
def test_an_offset_or_an_epoch_makes_an_instant(expression: str, instant: str) -> None:
    understood = read(expression)
    assert understood.instant == datetime.fromisoformat(instant)
    assert understood.local == datetime.fromisoformat(instant).astimezone(find_zone("Asia/Tokyo")).replace(tzinfo=None)


@pytest.mark.parametrize(
    ("expression", "local", "grain"),
    [
        ("2029-06-07", "2029-06-07T00:00:00", "day"),
        ("2029-06-07T08:09", "2029-06-07T08:09:00", "minute"),
        ("2029-06-07 08:09:10", "2029-06-07T08:09:10", "second"),
        ("2029-06-07T08:09:10,5", "2029-06-07T08:09:10.500000", "second"),
        ("2029-06-07T24:00", "2029-06-08T00:00:00", "minute"),
        ("20290607T0809", "2029-06-07T08:09:00", "minute"),
        ("2029-W23", "2029-06-04T00:00:00", "week"),
        ("2029-W23-4", "2029-06-07T00:00:00", "day"),
        ("2029-158", "2029-06-07T00:00:00", "day"),
        ("2029-06", "2029-06-01T00:00:00", "month"),
        ("0001-01-01", "0001-01-01T00:00:00", "day"),
        ("9999-12-31T23:59:59", "9999-12-31T23:59:59", "second"),
    ],
)
def test_without_an_offset_it_is_a_wall_time(expression: str, local: str, grain: Grain) -> None:
    assert read(expression) == Interpretation(datetime.fromisoformat(local), None, grain)


def test_a_time_said_in_utc_is_on_the_day_of_utc() -> None:
    assert read("today 23:00 utc").instant == datetime(2027, 4, 15, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    "expression",
    [
        "2029-02-29T10:00:00Z",
        "2029-06-07T25:00:00Z",
        "2029-06-07T10:61:00",
        "2029-06-07T24:30:00",
        "2029-06-07T10:00:00+24:00",
        "2029-W54",
        "2029-W23-8",
        "2029-366",
        "2029-000",
        "0000-01-01",
        "2029-06-07T10:00:00Z2029-06-07T10:00:00Z",
        "123456789",
        "12345678901",
        "tomorrow utc",
        "10:00-11:00",
        "10:00 -1100",
    ],
)
def test_a_machine_form_that_does_not_hold_is_refused(expression: str) -> None:
    with pytest.raises(InvalidInput):
        read(expression)
