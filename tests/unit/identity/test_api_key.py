"""The text of a key."""

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.identity.api_key import MAX_LENGTH, ApiKey, new_api_key, parse_api_key, read_api_key
from almanac.kernel.errors import InvalidInput

SECRET = "s" * 32


def test_a_new_key_reads_back_as_itself() -> None:
    key = new_api_key(os.urandom)
    assert read_api_key(key.text) == key
    assert len(key.id) == 16
    assert len(key.secret) == 48


def test_a_secret_may_hold_underscores_for_an_id_holds_none() -> None:
    key = read_api_key(f"alm_abcd_{'a_' * 20}")
    assert key == ApiKey("abcd", "a_" * 20)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "alm_",
        "alm__",
        f"alm_abc_{SECRET}",
        f"alm_{'a' * 33}_{SECRET}",
        f"alm_abcd_{'s' * 31}",
        f"alm_abcd_{'s' * 129}",
        f"ALM_abcd_{SECRET}",
        f"alm_ab-d_{SECRET}",
        f"alm_abcd_{SECRET}\n",
        f" alm_abcd_{SECRET}",
        f"alm_abcd_{SECRET[:-1]}é",
        f"alm_abcd_{SECRET[:-1]} ",
    ],
)
def test_what_is_not_of_the_form_is_no_key(text: str) -> None:
    assert read_api_key(text) is None


def test_a_text_of_any_length_is_judged_at_once() -> None:
    assert read_api_key("alm_abcd_" + "s" * 10_000_000) is None
    assert MAX_LENGTH < 10_000


@given(st.text(max_size=MAX_LENGTH + 10))
def test_what_is_read_as_a_key_is_spelled_by_that_key(text: str) -> None:
    key = read_api_key(text)
    assert key is None or key.text == text


def test_a_refused_key_is_not_repeated_in_the_error() -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_api_key("alm_abcd_hunter2")
    assert "hunter2" not in str(refused.value)
    assert "alm_<id>_<secret>" in refused.value.hint


def test_a_key_opens_only_what_was_made_of_its_secret() -> None:
    key = new_api_key(os.urandom)
    assert key.opens(key.digest)
    assert not key.opens(ApiKey(key.id, SECRET).digest)


def test_a_secret_does_not_show_when_a_key_is_printed() -> None:
    assert SECRET not in repr(ApiKey("abcd", SECRET))
