"""Test arguments and options as people type them."""

from datetime import UTC, datetime, timedelta
from typing import Any

import click
import pytest

from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput
from almanac.local.commands.call import read_argument
from almanac.local.options import Expiry, Span


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        ("expression=next tuesday at 2pm", "expression", "next tuesday at 2pm"),
        ("rrule=FREQ=DAILY;COUNT=3", "rrule", "FREQ=DAILY;COUNT=3"),
        ("year=2026", "year", "2026"),
        ("flag=true", "flag", "true"),
        ("empty=", "empty", ""),
        ('items=[{"a": 1}]', "items", [{"a": 1}]),
        ('item={"a": 1}', "item", {"a": 1}),
        ("text={not json", "text", "{not json"),
        ("text=[urgent] call", "text", "[urgent] call"),
        ("year:=2026", "year", 2026),
        ("flag:=true", "flag", True),
        ('text:="[1]"', "text", "[1]"),
        ("none:=null", "none", None),
    ],
)
def test_an_argument_is_text_unless_it_is_a_document_or_marked_as_json(text: str, name: str, value: Any) -> None:
    assert read_argument(text) == (name, value)


@pytest.mark.parametrize("text", ["expression", "", "=x", ":=1", "n:=nope", "n:="])
def test_what_is_no_argument_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        read_argument(text)


@pytest.mark.parametrize(
    ("text", "seconds"), [("0s", 0), ("90s", 90), ("15m", 900), ("24h", 86_400), ("30d", 2_592_000)]
)
def test_a_span_is_a_number_and_a_unit(text: str, seconds: int) -> None:
    assert Span().convert(text, None, None) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "5", "h", "-1h", "1w", "1.5h", "9999999d"])
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter, match="90s, 15m, 24h"):
        Span().convert(text, None, None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2027-01-31", datetime(2027, 1, 31, tzinfo=UTC)),
        ("2027-01-31T12:00:00Z", datetime(2027, 1, 31, 12, tzinfo=UTC)),
        ("2027-01-31T12:00:00+02:00", datetime(2027, 1, 31, 10, tzinfo=UTC)),
        ("7d", datetime(2026, 2, 25, 14, 30, tzinfo=UTC)),
    ],
)
def test_an_expiry_is_an_instant_or_a_span_from_now(text: str, expected: datetime, clock: FixedClock) -> None:
    assert Expiry(clock).convert(text, None, None) == expected


@pytest.mark.parametrize("text", ["tomorrow", "2027-02-30", ""])
def test_what_is_no_expiry_is_refused(text: str, clock: FixedClock) -> None:
    with pytest.raises(click.BadParameter):
        Expiry(clock).convert(text, None, None)
