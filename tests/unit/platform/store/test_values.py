"""Values are read back as they were written, or refused before anything is."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.kernel.errors import InvalidInput
from almanac.platform.store.dynamodb.items import decode, encode
from almanac.platform.store.values import Value, check_attributes, scalar

numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(1e-130, 9.9e125) | st.floats(-9.9e125, -1e-130)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
leaves = st.none() | st.booleans() | numbers | texts | st.binary(max_size=10)
values = st.recursive(leaves, lambda each: st.lists(each, max_size=4) | st.dictionaries(texts, each, max_size=4))


@pytest.mark.slow
@given(values)
def test_a_checked_value_survives_the_encoding_of_dynamodb(value: Value):
    kept = check_attributes({"a": value})[0]["a"]
    assert kept == value
    assert repr(decode(encode(kept))) == repr(kept)


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_number_in_any_notation_reads_as_the_same_integer(number: int):
    assert decode({"N": f"{number}"}) == decode({"N": f"{number}.0"} if abs(number) < 2**53 else {"N": f"{number}"})
    assert repr(decode({"N": str(number)})) == str(number)


@pytest.mark.parametrize(
    "value",
    [
        2**63,
        -(2**63) - 1,
        float("nan"),
        float("inf"),
        1e126,
        1e-131,
        "\ud800",
        {1: "x"},
        {1, 2},
        object(),
        datetime.now,
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_value_that_no_store_holds_is_refused(value: Any, wrapped: bool):
    with pytest.raises(InvalidInput) as refused:
        check_attributes({"a": [{"b": value}] if wrapped else value})
    assert refused.value.path == ("a[0].b" if wrapped else "a")


@pytest.mark.parametrize("name", ["", "A", "PK", "_a", "1", "a.b", "a-b", "a" * 65, "é"])
def test_a_name_that_is_not_snake_case_is_refused(name: str):
    with pytest.raises(InvalidInput):
        check_attributes({name: 1})


def test_nesting_has_a_limit():
    deep: Value = 1
    for _ in range(30):
        deep = [deep]
    assert check_attributes({"a": deep})[0]["a"] == deep
    with pytest.raises(InvalidInput):
        check_attributes({"a": [deep]})


@pytest.mark.parametrize(
    ("value", "size"), [("é", 2), (b"abc", 3), (5, 21), (True, 1), (None, 1), ([1], 25), ({"k": "v"}, 6)]
)
def test_sizes_are_counted_as_dynamodb_counts_them(value: Value, size: int):
    assert check_attributes({"a": value})[1] == 1 + size


@pytest.mark.parametrize("value", [[], {}, datetime(2026, 1, 1, tzinfo=UTC)])
def test_a_condition_compares_with_scalars_only(value: Any):
    with pytest.raises(InvalidInput):
        scalar(value, "a")
