"""Test the redaction of JSON values by the names of their keys."""

from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.content.redaction import redact_value
from almanac.kernel.errors import InvalidInput
from tests.unit.content.redaction.made_up import PASSWORD, TOKEN, random_text

GITHUB = "gh" + "p_" + random_text(36)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20) | st.sampled_from([GITHUB, PASSWORD, TOKEN]),
    lambda parts: (
        st.lists(parts, max_size=4)
        | st.dictionaries(st.sampled_from(["password", "token", "name", "value", "a", GITHUB]), parts, max_size=4)
    ),
    max_leaves=20,
)


def shape(value: Any) -> object:
    match value:
        case dict():
            return [shape(part) for part in cast("dict[str, Any]", value).values()]
        case list():
            return [shape(part) for part in cast("list[Any]", value)]
        case str():
            return str
        case _:
            return value


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        ({"password": "hunter2"}, {"password": "[REDACTED:password]"}),
        ({"password": "letmein"}, {"password": "[REDACTED:password]"}),
        ({"apiKey": TOKEN, "n": 3}, {"apiKey": "[REDACTED:secret]", "n": 3}),
        ({"tokens": [TOKEN, None]}, {"tokens": ["[REDACTED:secret]", None]}),
        ({"note": f"use {GITHUB}"}, {"note": "use [REDACTED:github_token]"}),
        ({GITHUB: 1}, {"[REDACTED:github_token]": 1}),
        (
            [{"name": "DB_PASSWORD", "value": PASSWORD}],
            [{"name": "DB_PASSWORD", "value": "[REDACTED:password]"}],
        ),
        ({"password": "${DB_PASSWORD}", "a": 1.5}, {"password": "${DB_PASSWORD}", "a": 1.5}),
        ({"key": "user_id", "token": "next"}, {"key": "user_id", "token": "next"}),
        ("plain", "plain"),
        (None, None),
    ],
)
def test_strings_lose_their_secrets_and_the_rest_stays(value: object, kept: object):
    assert redact_value(value).value == kept


def test_a_secret_under_its_name_is_gone_from_its_neighbours_too():
    redacted = redact_value({"note": f"log in with {PASSWORD}", "login": {"password": PASSWORD}})

    assert PASSWORD not in str(redacted.value)
    assert [each.path for each in redacted.findings] == ["note", "login.password"]


def test_a_finding_says_where_it_stood():
    (finding,) = redact_value({"env": [{}, {"value": f"x {GITHUB}"}]}).findings

    assert (finding.path, finding.start, finding.end) == ("env[1].value", 2, 42)


def test_two_keys_that_become_one_stay_two():
    other = "gh" + "p_" + random_text(36, seed=8)

    assert redact_value({GITHUB: 1, other: 2}).value == {"[REDACTED:github_token]": 1, "[REDACTED:github_token]_": 2}


def test_a_tuple_stays_a_tuple():
    assert redact_value((GITHUB, 1)).value == ("[REDACTED:github_token]", 1)


@given(json_values)
@settings(max_examples=200, deadline=None)
def test_the_shape_is_kept_and_a_second_time_changes_nothing(value: object):
    once = redact_value(value)

    assert shape(once.value) == shape(value)
    assert redact_value(once.value).value == once.value
    assert GITHUB not in str(once.value)


def test_a_value_beyond_the_bounds_is_refused_with_advice():
    deep: object = "x"
    for _ in range(65):
        deep = [deep]

    with pytest.raises(InvalidInput, match="64 levels"):
        redact_value(deep)
    with pytest.raises(InvalidInput, match="100000 parts"):
        redact_value([0] * 100_001)


@pytest.mark.parametrize(
    "name",
    ["feature-203787b927b3", "story:e2e-203787b927b3", "e2e-203787b927b3:seen", "branch/3f9a2b7c9d1e", "JIRA-4711"],
)
def test_a_key_that_words_and_numbers_make_up_is_no_secret(name: str):
    assert redact_value({"key": name}).findings == ()


def test_a_key_that_nobody_made_up_is_one():
    (finding,) = redact_value({"key": "zX9kQ2mLp7VtR4wBn8Yc"}).findings
    assert finding.path == "key"
