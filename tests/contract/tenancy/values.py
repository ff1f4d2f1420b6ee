"""Values of answers, and the shape of answers apart from values that are made at random."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, cast

SHORTEST = 4
_MADE = re.compile(r"\S*\d\S*|(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{20,}")
"""What has a digit in it, and long words of small and capital letters: a cursor may be drawn without a digit."""


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, names of members included: an id may be one."""
    match value:
        case str():
            yield value
        case dict():
            for name, child in cast(dict[str, Any], value).items():
                yield name
                yield from texts_in(child)
        case list():
            for child in cast(list[Any], value):
                yield from texts_in(child)
        case _:
            return


def numbers_in(value: Any) -> Iterator[int]:
    match value:
        case bool():
            return
        case int():
            yield value
        case dict():
            yield from numbers_in(list(cast(dict[str, Any], value).values()))
        case list():
            for child in cast(list[Any], value):
                yield from numbers_in(child)
        case _:
            return


def texts_shown(value: Any, wanted: Iterable[str]) -> set[str]:
    """Return those of `wanted` that appear anywhere in a JSON value."""
    said = "\n".join(texts_in(value))
    return {text for text in wanted if text in said}


def shape(value: Any) -> Any:
    """The value with ids and instants in its texts made one, lists without their order: both differ from run to run.

    How many entries a list has, each number, flag and word stay.
    """
    match value:
        case str():
            return _MADE.sub("~", value)
        case dict():
            held = cast(dict[str, Any], value)
            return sorted(((_MADE.sub("~", name), shape(child)) for name, child in held.items()), key=repr)
        case list():
            return sorted((shape(child) for child in cast(list[Any], value)), key=repr)
        case _:
            return value
