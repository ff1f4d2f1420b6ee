"""The strings of a JSON value, each with the name that describes it."""

from collections.abc import Iterator, Mapping
from typing import cast

from almanac.kernel.errors import InvalidInput

MAX_DEPTH = 64
MAX_NODES = 100_000
# {"name": "DB_PASSWORD", "value": "..."}, as in settings of containers.
_NAMES = ("name", "key", "Name", "Key", "variable", "field")
_VALUES = frozenset({"value", "Value", "default", "content", "text"})


def strings_in(value: object) -> Iterator[tuple[str, str]]:
    """Yield every string with its name. Works without recursion, so that the depth is checked before the value is
    walked.

    Raises InvalidInput beyond 64 levels or 100,000 values.
    """
    waiting: list[tuple[str, object, int]] = [("", value, 0)]
    nodes = 0
    while waiting:
        name, each, depth = waiting.pop()
        nodes += 1
        if depth > MAX_DEPTH or nodes > MAX_NODES:
            raise InvalidInput(
                f"The value has over {MAX_DEPTH} levels or {MAX_NODES} parts.", "Nest it less deeply, or split it."
            )
        if isinstance(each, str):
            yield name, each
        waiting += [(inner, part, depth + 1) for inner, part in _parts(each, name)]


def name_of(parts: Mapping[object, object], key: object) -> str:
    """Return the name that describes the value under `key`: a name beside it in the same object, or the key itself."""
    if key in _VALUES:
        beside = next((parts[name] for name in _NAMES if isinstance(parts.get(name), str)), key)
        return str(beside)
    return str(key)


def _parts(value: object, name: str) -> list[tuple[str, object]]:
    if isinstance(value, Mapping):
        parts = cast("Mapping[object, object]", value)
        return [("", key) for key in parts] + [(name_of(parts, key), part) for key, part in parts.items()]
    if isinstance(value, list | tuple):
        return [(name, part) for part in cast("list[object]", value)]
    return []
