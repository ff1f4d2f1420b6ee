"""Values that an attribute may hold, and their size.

Numbers are one type, as in JSON and in DynamoDB: 2.0 is the number 2 and reads back as int 2. Whole numbers fit 64
bits, signed; other numbers are finite doubles, kept to the last bit, of magnitude 0 or 1e-130 to 9.9e125.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import cast

from almanac.kernel.errors import InvalidInput

Scalar = str | int | float | bool | bytes | None
Value = Scalar | list["Value"] | dict[str, "Value"]

ITEM_BYTES = 400 * 1024
DEPTH = 30

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_NUMBER_BYTES = 21
_INT64 = 1 << 63


class _Unfit(Exception):
    """A value that no store holds: why, what to do, and where in the attribute, known while the stack unwinds."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.path = ""


def checked(attributes: Mapping[str, Value]) -> tuple[dict[str, Value], int]:
    """The attributes as they will read back, and their size in bytes by DynamoDB's rule, a number counted as 21.

    Raises InvalidInput with the attribute as `path` for a name that is not snake_case of at most 64 characters, for a
    value of another type, a number out of range, text that is not Unicode, and nesting deeper than 30.
    """
    result: dict[str, Value] = {}
    size = 0
    for name, value in attributes.items():
        if type(value) is str and value.isascii():  # most of what is written, without a call
            check_name(name)
            result[name], used = value, len(value)
        else:
            result[name], used = checked_value(name, value)
        size += len(name) + used
    return result, size


def checked_value(name: str, value: Value) -> tuple[Value, int]:
    """One value as it will read back, and its size, as in `checked`."""
    check_name(name)
    try:
        return _checked(value, 0)
    except _Unfit as unfit:
        path = name + unfit.path
        raise InvalidInput(f"{path} {unfit.reason}", unfit.hint, path=path) from None


@lru_cache(4096)
def check_name(name: str) -> None:
    """Raises InvalidInput unless `name` is snake_case: upper case is left to the technologies' own attributes."""
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"{name!r} is not an attribute name.", "Use snake_case, at most 64 characters.", path=name)


def scalar(value: Scalar, name: str) -> Scalar:
    """Return the value that a condition on attribute `name` compares with, as it would be stored. Raises InvalidInput
    for documents."""
    if isinstance(value, list | dict):
        raise InvalidInput(f"{name} is compared with a document.", "Conditions compare text, numbers, flags, bytes.")
    return cast(Scalar, checked_value(name, value)[0])


def _checked(value: object, depth: int) -> tuple[Value, int]:
    # Every write passes here with every value: the exact types first, which is what nearly all of them are.
    kind = type(value)
    if kind is str:
        text = cast(str, value)
        return text, len(text) if text.isascii() else _text_bytes(text)
    if kind is bool or value is None:
        return cast(Value, value), 1
    match value:
        case int():
            if not -_INT64 <= value < _INT64:
                raise _Unfit("does not fit 64 bits.", "Store large numbers as text.")
            return int(value), _NUMBER_BYTES
        case dict():
            return _document(cast(dict[object, object], value), depth + 1)
        case list() | tuple():
            return _list(cast(list[object], value), depth + 1)
        case float():
            return _number(value), _NUMBER_BYTES
        case bytes():
            return value, len(value)
        case str():
            return str(value), _text_bytes(value)
        case _:
            known = "text, whole numbers, floats, flags, bytes, None, lists and dicts"
            raise _Unfit(f"is a {kind.__name__}.", f"The store holds {known}.")


def _document(value: dict[object, object], depth: int) -> tuple[Value, int]:
    _check_depth(depth)
    result: dict[str, Value] = {}
    size = 3
    for name, each in value.items():
        if not isinstance(name, str):
            raise _Unfit(f"has a name that is not text: {name!r}.", "Names are text.")
        try:
            result[name], used = _checked(each, depth)
        except _Unfit as unfit:
            unfit.path = f".{name}{unfit.path}"
            raise
        size += _text_bytes(name) + used + 1
    return result, size


def _list(value: list[object], depth: int) -> tuple[Value, int]:
    _check_depth(depth)
    result: list[Value] = []
    size = 3
    for position, each in enumerate(value):
        try:
            kept, used = _checked(each, depth)
        except _Unfit as unfit:
            unfit.path = f"[{position}]{unfit.path}"
            raise
        result.append(kept)
        size += used + 1
    return result, size


def _check_depth(depth: int) -> None:
    if depth > DEPTH:
        raise _Unfit(f"is nested deeper than {DEPTH}.", "Flatten it.")


def _number(value: float) -> int | float:
    magnitude = abs(value)
    if magnitude != 0 and not 1e-130 <= magnitude <= 9.9e125:  # also refuses NaN and the infinities
        raise _Unfit(f"is {value!r}.", "Numbers are finite, 1e-130 to 9.9e125 in magnitude.")
    return int(value) if value.is_integer() and -_INT64 <= value < _INT64 else value


def _text_bytes(text: str) -> int:
    try:
        return len(text) if text.isascii() else len(text.encode())
    except UnicodeEncodeError:
        raise _Unfit("has an incomplete surrogate pair.", "Send valid Unicode text.") from None
