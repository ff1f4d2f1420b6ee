"""Values of the store keep their types on the way through JSON."""

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.platform.portability.lines import from_json, to_json
from almanac.platform.store.values import Value, check_attributes

numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(1e-130, 9.9e125) | st.floats(-9.9e125, -1e-130)
scalars = st.none() | st.booleans() | numbers | st.text(max_size=20) | st.binary(max_size=20)
names = st.text(max_size=8) | st.sampled_from(["$bytes", "$dict", "$blob", "$"])
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4), max_leaves=12
)


def _stored_value(value: Any) -> Value:
    return check_attributes({"value": value})[0]["value"]


def _kinds(value: Value) -> Any:
    """The value with its types spelled out: 1, 1.0 and True are equal otherwise."""
    match value:
        case list():
            return [_kinds(each) for each in value]
        case dict():
            return {name: _kinds(each) for name, each in value.items()}
        case _:
            return type(value).__name__, value


@given(values)
def test_a_stored_value_comes_back_type_for_type(value: Any):
    stored = _stored_value(value)

    text = msgspec.json.encode(to_json(stored))

    assert _kinds(from_json(msgspec.json.decode(text))) == _kinds(stored)


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63), 2**53 + 1, 1e22, 0.1, math.pi, 1e-130])
def test_a_number_keeps_its_last_digit(number: float):
    back = from_json(msgspec.json.decode(msgspec.json.encode(to_json(number))))

    assert (type(back), back) == (type(number), number)


@pytest.mark.parametrize(
    "wrong", [{"$bytes": 1}, {"$bytes": "no base64"}, {"$dict": 1}, {"$other": {}}, {"$bytes": "", "a": 1}, [{"$": 1}]]
)
def test_a_marker_without_meaning_is_refused(wrong: Any):
    with pytest.raises(ValueError, match=r"."):
        from_json(wrong)
