"""Test reading large files in pieces, with any text at the border of two pieces."""

import json
import random
import subprocess
import sys
from io import BytesIO
from typing import Any

import pytest

from almanac.local.memory_import.json_array import elements_of
from almanac.local.memory_import.lines import lines_of

TRICKY: list[Any] = [
    {"a": '"[{,}]"', "b": "\\", "c": '\\"', "d": ["é", "世界", "🚀", {}]},
    'text, with ] and \\\\ and " signs',
    [],
    {},
    [[["deep"]], {"x": [1, 2, {"y": "]"}]}],
    12.5,
    None,
]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 64, 4096])
@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("indent", [None, 2])
def test_elements_are_what_json_says_wherever_the_pieces_end(chunk: int, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(TRICKY, ensure_ascii=ascii_only, indent=indent).encode()
    found = list(elements_of(BytesIO(b"\xef\xbb\xbf \n" + text + b"\n"), chunk=chunk))
    assert [json.loads(one.text or b"") for one in found] == TRICKY
    assert [one.number for one in found] == list(range(1, len(TRICKY) + 1))


@pytest.mark.parametrize("seed", range(20))
def test_any_array_is_parted_as_json_says(seed: int) -> None:
    chance = random.Random(seed)

    def value(depth: int) -> Any:
        kind = chance.randrange(6 if depth else 3)
        if kind == 0:
            return "".join(chance.choice('ab"\\[]{},: é🚀\n') for _ in range(chance.randrange(12)))
        if kind == 1:
            return chance.choice([None, True, 1, -2.5])
        if kind == 2:
            return {}
        if kind == 3:
            return [value(depth - 1) for _ in range(chance.randrange(4))]
        return {str(number): value(depth - 1) for number in range(chance.randrange(4))}

    values = [value(4) for _ in range(chance.randrange(12))]
    text = json.dumps(values, ensure_ascii=chance.random() < 0.5).encode()
    found = elements_of(BytesIO(text), chunk=chance.randrange(1, 40))
    assert [json.loads(one.text or b"") for one in found] == values


def test_each_element_says_where_it_ends() -> None:
    text = b'[{"a": 1}, {"b": 2}]'
    assert [text[: one.end].count(b"}") for one in elements_of(BytesIO(text), chunk=3)] == [1, 2]


def test_an_element_that_is_too_long_is_passed_over() -> None:
    text = json.dumps(["a" * 100, "b", "c" * 100, "d"]).encode()
    assert [one.text for one in elements_of(BytesIO(text), most=50, chunk=16)] == [None, b'"b"', None, b'"d"']


def test_an_element_that_is_too_long_is_not_held() -> None:
    # In a process of its own: what other threads of this one allocate is none of it.
    script = (
        "import tracemalloc\n"
        "from io import BytesIO\n"
        "from almanac.local.memory_import.json_array import elements_of\n"
        "source = BytesIO(b'[\"' + b'a' * 4_000_000 + b'\", 1]')\n"
        "tracemalloc.start()\n"
        "found = [one.text for one in elements_of(source, most=1000, chunk=4096)]\n"
        "print(found, tracemalloc.get_traced_memory()[1] < 500_000)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout == "[None, b'1'] True\n"


def test_an_empty_array_has_no_elements() -> None:
    assert list(elements_of(BytesIO(b" [ ] "))) == []


def test_a_line_that_is_too_long_is_passed_over() -> None:
    text = b"a" * 100 + b"\nb\n" + b"c" * 50 + b"\n" + b"d" * 51
    found = list(lines_of(BytesIO(text), most=50))
    assert [(line.number, line.text) for line in found] == [(1, None), (2, b"b"), (3, b"c" * 50), (4, None)]
    assert [line.end for line in found] == [101, 103, 154, 205]


def test_the_last_line_needs_no_end() -> None:
    assert [line.text for line in lines_of(BytesIO(b"a\r\nb"))] == [b"a", b"b"]
