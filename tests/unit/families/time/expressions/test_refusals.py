"""Test helpful refusals of expressions outside the grammar."""

from datetime import UTC, datetime

import pytest

from almanac.families.time.core.zones import find_zone
from almanac.families.time.expressions import understand
from almanac.kernel.errors import InvalidInput

ASKED = datetime(2027, 4, 15, 9, 25, 10, tzinfo=UTC)


def refusal(expression: str) -> InvalidInput:
    with pytest.raises(InvalidInput) as refused:
        understand(expression, ASKED, find_zone("UTC"))
    return refused.value


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "   ",
        ".",
        "the",
        "at",
        "next",
        "soon",
        "7",
        "2027",
        "3 4",
        "4:3 ratio",
        "end of",
        "at a couple of",
        "in them",
        "friday monday",
        "tomorrow yesterday",
        "5pm 6pm",
        "9am to 5pm",
        "monday - friday",
        "10 - 12 may 2027",
        "every friday",
        "fridays",
        "next 3 days",
        "last 2 weeks",
        "next week at 3pm",
        "monday next month",
        "beginning of wednesday at 5pm",
        "first monday",
        "in -2 days",
        "++1d",
        "of friday",
        "650-650-6500",
        "12.53%",
        "v1.10.30",
        "friday at 3pm EST",
        "may not be right",
        "sunday best",
        "tomorrow 5 march",
        "2 hours 30",
        "'; drop table days; --",
        "\u0663pm",
        "tomorrow\x00",
    ],
)
def test_what_is_not_understood_is_refused_and_never_guessed(expression: str) -> None:
    assert refusal(expression).code == "UNKNOWN_EXPRESSION"


@pytest.mark.parametrize(
    ("expression", "nearest"),
    [
        ("tomorow mornin", '"tomorrow morning"'),
        ("next mondey", '"next Monday"'),
        ("in 2 hour's tme", '"in 2 hours"'),
        ("frst monday of march", '"first Monday of March"'),
    ],
)
def test_the_hint_names_the_nearest_forms(expression: str, nearest: str) -> None:
    assert nearest in refusal(expression).hint


def test_the_unknown_word_is_named() -> None:
    assert '"blorp"' in refusal("tomorrow at blorp").message


def test_the_echo_is_bounded_and_plain() -> None:
    refused = refusal("x" * 150)
    assert len(refused.message) < 250
    assert "\n" not in refusal("some\nthing \x1b[31m").message


def test_a_very_long_expression_is_refused_unread() -> None:
    refused = refusal("tomorrow " * 200)
    assert "200 characters" in refused.message
    assert len(refused.message) < 250


@pytest.mark.parametrize(
    "expression",
    [
        "in 99999999999 years",
        "in 9999999999 days",
        "999999999999999 hours ago",
        "in 8000 years",
        "3000 years ago",
        "in 99999999 decades",
        "999999999 business days ago",
        "10000 fridays from now + 9999999 days",
    ],
)
def test_what_leads_outside_the_calendar_is_refused(expression: str) -> None:
    refused = refusal(expression)
    assert refused.code == "IMPOSSIBLE_TIME"
    assert "1 to 9999" in refused.message


@pytest.mark.parametrize(
    ("anchor", "possible", "impossible"),
    [
        ("0001-01-01T00:00+00:00", ["tomorrow", "end of year", "feb 29", "next month"], ["yesterday", "last month"]),
        ("9999-12-31T00:00+00:00", ["yesterday", "end of year", "last month"], ["tomorrow", "next week"]),
    ],
)
def test_at_the_calendars_ends_only_what_lies_beyond_is_refused(
    anchor: str, possible: list[str], impossible: list[str]
) -> None:
    edge = datetime.fromisoformat(anchor)
    for expression in possible:
        assert 1 <= understand(expression, edge, find_zone("UTC")).local.year <= 9999
    for expression in impossible:
        with pytest.raises(InvalidInput) as refused:
            understand(expression, edge, find_zone("UTC"))
        assert refused.value.code == "IMPOSSIBLE_TIME"


def test_typographic_dashes_quotes_and_wide_digits_are_read_as_plain_ones() -> None:
    zone = find_zone("UTC")
    assert understand("\u22122h", ASKED, zone) == understand("-2h", ASKED, zone)
    assert understand("3 o\u2019clock pm", ASKED, zone) == understand("3 o'clock pm", ASKED, zone)
    assert understand("\uff13pm\u00a0tomorrow", ASKED, zone) == understand("3pm tomorrow", ASKED, zone)
    assert understand("  Next\tFRIDAY ?", ASKED, zone) == understand("next friday", ASKED, zone)
