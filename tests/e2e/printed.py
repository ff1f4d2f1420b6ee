"""Comparison of answers with those printed in a reference, field by field and by shape."""

import re
from collections.abc import Iterator
from typing import Any, cast

_FORMS = (
    re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"),
    re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d"),
    re.compile(r"[+-]\d\d:\d\d"),
    re.compile(r"\d{1,2}:\d\d [AP]M"),
    re.compile(r"[A-Z][a-z]+day, [A-Z][a-z]+ \d{1,2}, \d{4}"),
)
"""Texts that are printed in one of these forms are answered in it."""


def unlike(answer: Any, printed: Any, at: str = "result") -> list[str]:
    """Return the places where the answer lacks a printed field or has a value of another kind.

    More fields are allowed. A list must have an element, and each must be like the printed one.
    """
    return list(_unlike(answer, printed, at))


def _unlike(answer: Any, printed: Any, at: str) -> Iterator[str]:
    match printed:
        case dict():
            yield from _unlike_object(answer, cast("dict[str, Any]", printed), at)
        case list():
            yield from _unlike_list(answer, cast("list[Any]", printed), at)
        case None | bool():
            if answer is not printed and (printed is None or not isinstance(answer, bool)):
                yield f"{at} is {answer!r}, printed is {printed!r}"
        case int() | float():
            if isinstance(answer, bool) or not isinstance(answer, int | float):
                yield f"{at} is {answer!r}, no number"
            elif isinstance(printed, int) and not isinstance(answer, int):
                yield f"{at} is {answer!r}, no whole number"
        case str():
            yield from _unlike_text(answer, printed, at)
        case _:
            raise TypeError(f"{printed!r} is not a JSON value")


def _unlike_object(answer: Any, printed: dict[str, Any], at: str) -> Iterator[str]:
    if not isinstance(answer, dict):
        yield f"{at} is {answer!r}, no object"
        return
    fields = cast("dict[str, Any]", answer)
    for name, value in printed.items():
        if name in fields:
            yield from _unlike(fields[name], value, f"{at}.{name}")
        else:
            yield f"{at}.{name} is missing"


def _unlike_list(answer: Any, printed: list[Any], at: str) -> Iterator[str]:
    if not isinstance(answer, list) or (printed and not answer):
        yield f"{at} is {answer!r}"
        return
    for place, each in enumerate(cast("list[Any]", answer) if printed else ()):
        yield from _unlike(each, printed[min(place, len(printed) - 1)], f"{at}[{place}]")


def _unlike_text(answer: Any, printed: str, at: str) -> Iterator[str]:
    if not isinstance(answer, str):
        yield f"{at} is {answer!r}, no text"
        return
    for form in _FORMS:
        if form.fullmatch(printed) and not form.fullmatch(answer):
            yield f"{at} is {answer!r}, printed is {printed!r}"
