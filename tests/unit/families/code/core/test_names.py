"""Names as people write them."""

import pytest

from almanac.families.code.core.names import identifier_in, is_name_of, parts_of_name
from almanac.families.code.core.snippets import LONGEST_LINE, number_lines


@pytest.mark.parametrize("query", ["Class.method", "snake_case", "a::b", "#priv", "`run()`", "pkg/mod.f", "$store"])
def test_a_name_alone_is_an_identifier(query: str) -> None:
    assert identifier_in(query)


@pytest.mark.parametrize("query", ["two words", "C++", "rm -rf", "x-api-key", "", "a" * 201, "1.2.3", "f(x)"])
def test_anything_else_is_none(query: str) -> None:
    assert identifier_in(query) is None


def test_marks_of_a_name_are_no_part_of_it() -> None:
    assert parts_of_name("Class.#priv") == ("Class", "priv")
    assert parts_of_name("@decorated") == ("decorated",)


def test_a_name_goes_on_into_its_modules() -> None:
    assert is_name_of(("pkg", "Class"), ("Class",), "src/pkg/__init__.py")
    assert is_name_of(("mod", "Class"), ("Class",), "src/mod.py")
    assert not is_name_of(("other", "Class"), ("Class",), "src/mod.py")


def test_a_long_line_is_cut() -> None:
    assert len(number_lines(["x" * 1000], [1])) <= LONGEST_LINE + 10
