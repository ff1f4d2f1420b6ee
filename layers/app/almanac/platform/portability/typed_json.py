"""Values of the store as JSON and back, type for type.

Text, numbers, flags, None, lists and dicts are what they are in JSON: the store keeps no float that is a whole number
of 64 bits, so a number's text tells its type. Bytes are `{"$bytes": base64}`, and a dict with a name that begins with
`$` is `{"$dict": {...}}`.
"""

from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any, cast

from almanac.platform.store.values import Value

_BYTES = "$bytes"
_DICT = "$dict"


def to_json(value: Value) -> Any:
    match value:
        case bytes():
            return {_BYTES: b64encode(value).decode()}
        case list():
            return [to_json(each) for each in value]
        case dict():
            plain = {name: to_json(each) for name, each in value.items()}
            return {_DICT: plain} if _is_marked(plain) else plain
        case _:
            return value


def from_json(value: Any) -> Value:
    """Raises ValueError for what `to_json` never writes."""
    if isinstance(value, list):
        return [from_json(each) for each in cast(list[Any], value)]
    if not isinstance(value, dict):
        return value
    members = cast(dict[str, Any], value)
    if not _is_marked(members):
        return _dict(members)
    if len(members) == 1:
        ((mark, inner),) = members.items()
        if mark == _BYTES and isinstance(inner, str):
            return b64decode(inner, validate=True)
        if mark == _DICT and isinstance(inner, dict):
            return _dict(cast(dict[str, Any], inner))
    raise ValueError("a name that begins with $ is where it has no meaning")


def _dict(members: Mapping[str, Any]) -> dict[str, Value]:
    return {name: from_json(each) for name, each in members.items()}


def _is_marked(members: Mapping[str, Any]) -> bool:
    return any(name.startswith("$") for name in members)
