"""Comparisons of event values by the types of JSON: 1 and 1.0 are the same number, 1 and true are different."""

import operator
from collections.abc import Callable
from typing import Any, cast

from almanac.families.team.rules.effort import MATCHED_BYTES, spend
from almanac.families.team.rules.patterns import Pattern, searched_part

Test = Callable[[Any], bool]
"""A test of the value at a path, which is never missing."""


def is_same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, dict) and isinstance(other, dict):
        left, right = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
        return left.keys() == right.keys() and all(is_same(value, right[name]) for name, value in left.items())
    if isinstance(one, list) and isinstance(other, list):
        first, second = cast("list[Any]", one), cast("list[Any]", other)
        return len(first) == len(second) and all(map(is_same, first, second))
    return bool(one == other)


def equals(operand: Any) -> Test:
    """Return a test whether the value equals `operand`, or is a list that contains it."""
    if isinstance(operand, str):
        return lambda value: value == operand or (isinstance(value, list) and operand in value)
    return lambda value: is_same(value, operand) or _any(value, lambda entry: is_same(entry, operand))


def one_of(operand: list[Any]) -> Test:
    """Return a test whether the value, or one of its entries, is among `operand`."""
    if all(isinstance(each, str) for each in operand):
        texts = frozenset(cast("list[str]", operand))
        return lambda value: value in texts if isinstance(value, str) else _any(value, lambda e: _is_in(e, texts))
    tests = [equals(each) for each in operand]
    return lambda value: any(test(value) for test in tests)


def compares_with(compare: Callable[[Any, Any], bool], limit: float | str) -> Test:
    """Return a test that compares the value with `limit`. Numbers compare with numbers, and texts with texts by code
    point."""
    kinds = (str,) if isinstance(limit, str) else (int, float)

    def test(value: Any) -> bool:
        return isinstance(value, kinds) and not isinstance(value, bool) and compare(value, limit)

    return test


def matches(pattern: Pattern) -> Test:
    """Return a test whether the text, or a text in the list, has a match within its first 4 KB. A list is searched up
    to 4 KB in total."""

    def search(text: str, left: int = MATCHED_BYTES) -> tuple[bool, int]:
        seen, size = searched_part(text)
        spend(pattern.size * (min(size, left) + 1))
        return pattern.search(seen if size <= left else searched_part(text, left)[0]), left - size

    def in_list(entries: list[Any]) -> bool:
        left = MATCHED_BYTES
        for entry in entries:
            if isinstance(entry, str) and left > 0:
                is_found, left = search(entry, left)
                if is_found:
                    return True
        return False

    def test(value: Any) -> bool:
        if isinstance(value, str):
            return search(value)[0]
        return isinstance(value, list) and in_list(cast("list[Any]", value))

    return test


ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def _any(value: Any, test: Test) -> bool:
    return isinstance(value, list) and any(test(entry) for entry in cast("list[Any]", value))


def _is_in(entry: Any, texts: frozenset[str]) -> bool:
    return isinstance(entry, str) and entry in texts
