"""Valid attribute values and their sizes.

Numbers are one type, as in JSON and in DynamoDB, so 2.0 reads back as int 2. Whole numbers have at most 64 bits,
signed. Other numbers are finite doubles, stored exactly, of magnitude 0 or 1e-130 to 9.9e125.
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
    """A value that no store accepts. `path` is its place in the attribute, which grows while the stack unwinds."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.path = ""


def check_attributes(attributes: Mapping[str, Value]) -> tuple[dict[str, Value], int]:
    """Return the attributes in the form in which they are read back, and their size in bytes.

    The size follows DynamoDB's rule, with 21 bytes for each number. Raises InvalidInput, with the attribute as `path`,
    for a name that is not snake_case of at most 64 characters, a value of another type, a number out of range, invalid
    Unicode, and nesting deeper than 30.
    """
    result: dict[str, Value] = {}
    size = 0
    for name, value in attributes.items():
        if type(value) is str and value.isascii():  # the most frequent case, without a call
            check_name(name)
            result[name], used = value, len(value)
        else:
            result[name], used = check_value(name, value)
        size += len(name) + used
    return result, size


def check_value(name: str, value: Value) -> tuple[Value, int]:
    """Return one value in the form in which it is read back, and its size, as in `check_attributes`."""
    check_name(name)
    try:
        return _check(value, 0)
    except _Unfit as unfit:
        path = name + unfit.path
        raise InvalidInput(f"{path} {unfit.reason}", unfit.hint, path=path) from None


@lru_cache(4096)
def check_name(name: str) -> None:
    """Raise InvalidInput unless `name` is snake_case. Upper case is for attributes of the store adapters."""
    if not _NAME.fullmatch(name):
        raise InvalidInput(f"{name!r} is not an attribute name.", "Use snake_case, at most 64 characters.", path=name)


def scalar(value: Scalar, name: str) -> Scalar:
    """Return the value of a condition on attribute `name`, in its stored form. Raises InvalidInput for documents."""
    if isinstance(value, list | dict):
        raise InvalidInput(f"{name} is compared with a document.", "Conditions compare text, numbers, flags, bytes.")
    return cast(Scalar, check_value(name, value)[0])


def _check(value: object, depth: int) -> tuple[Value, int]:
    # Every value of every write passes here. Exact types come first, because nearly all values have one.
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
            result[name], used = _check(each, depth)
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
            kept, used = _check(each, depth)
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
