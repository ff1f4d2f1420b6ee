"""Test that refusing large arguments is cheap."""

import json
from typing import Any

import msgspec
import pytest

from almanac.kernel.errors import InvalidInput
from almanac.protocol.arguments.conversion import convert
from almanac.protocol.arguments.schema import of_arguments
from almanac.protocol.arguments.value_budget import MOST_VALUES
from tests.cpu_time import takes_under


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    x: int


class LargeArguments(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    count: int = 3
    tags: list[str] = []
    entries: list[Entry] = []
    either: int | list[Entry] = 0


SCHEMA = of_arguments(LargeArguments)
MANY = 300_000


@pytest.mark.parametrize(
    "arguments",
    [
        {f"name{number}": 1 for number in range(MANY)},
        {"n" * 50_000 + str(number): 1 for number in range(80)},
        {"name": "x", "tags": [1] * MANY},
        {"name": "x", "tags": ["a"] * MANY + [1]},
        {"name": "x", "tags": json.dumps([1] * MANY)},
        {"name": ["a"] * MANY},
        {"name": {"a" * 1_000_000: 1}},
        {"name": "x", "count": "9" * 4_000_000},
        {"name": "x", "tags": int("9" * 4000)},
        {"name": "x", "entries": [{"x": "1"}] * MANY + [{"y": 1}]},
        {"name": "x", "entries": [{"y": 1}] * MANY},
        {"name": "x", "either": [{f"y{number}": 1 for number in range(50)}] * 5_000},
    ],
    ids=lambda arguments: "-".join(arguments)[:20],
)
def test_a_refusal_costs_little_and_is_short(arguments: dict[str, Any]):
    def refusal() -> InvalidInput:
        with pytest.raises(InvalidInput) as refused:
            convert(arguments, LargeArguments, SCHEMA)
        return refused.value

    assert takes_under(1.5, refusal)
    assert len(str(refusal())) < 2000
    assert len(refusal().path or "") <= 200


def test_what_is_left_out_is_said():
    with pytest.raises(InvalidInput, match=r"And 7 more\.$"):
        convert({"name": "x"} | {f"y{number}": 1 for number in range(12)}, LargeArguments, SCHEMA)
    with pytest.raises(InvalidInput, match=r"And over 95 more\.$"):
        convert({"name": "x"} | {f"y{number}": 1 for number in range(120)}, LargeArguments, SCHEMA)


def test_a_wrong_value_behind_more_than_are_examined_is_not_named():
    with pytest.raises(InvalidInput, match="too many values to say which are wrong") as refused:
        convert({"name": "x", "tags": ["a"] * MOST_VALUES + [1]}, LargeArguments, SCHEMA)
    assert refused.value.hint == "Send fewer values per call."


def test_many_values_that_fit_are_taken():
    assert len(convert({"name": "x", "tags": ["a"] * MANY}, LargeArguments, SCHEMA).tags) == MANY
