"""Conditions on the item at a key, checked before it is changed.

`a & b` and `a | b` join conditions. An expired item counts as absent. Only values of the same type compare: numbers,
texts (by code point) or bytes. Values of different types are never equal, less or greater.
"""

from collections.abc import Mapping

from msgspec import Struct

from almanac.platform.store.values import Scalar, Value


class Condition(Struct, frozen=True):
    def __and__(self, other: "Condition") -> "And":
        return And((self, other))

    def __or__(self, other: "Condition") -> "Or":
        return Or((self, other))


class Absent(Condition, frozen=True):
    """There is no item. With `attribute`, an item without that attribute also counts as absent."""

    attribute: str | None = None


class Present(Condition, frozen=True):
    """There is an item. With `attribute`, the item must have it, but the value may be None."""

    attribute: str | None = None


class Equals(Condition, frozen=True):
    attribute: str
    value: Scalar


class Less(Condition, frozen=True):
    """The attribute is below `value`."""

    attribute: str
    value: str | int | float | bytes


class Greater(Condition, frozen=True):
    """The attribute is above `value`."""

    attribute: str
    value: str | int | float | bytes


class And(Condition, frozen=True):
    conditions: tuple[Condition, ...]


class Or(Condition, frozen=True):
    conditions: tuple[Condition, ...]


def holds(condition: Condition, attributes: Mapping[str, Value] | None) -> bool:
    """Return whether `condition` holds for an item's attributes, or for None if there is no live item."""
    match condition:
        case Absent(attribute):
            return attributes is None or (attribute is not None and attribute not in attributes)
        case Present(attribute):
            return attributes is not None and (attribute is None or attribute in attributes)
        case And(conditions):
            return all(holds(each, attributes) for each in conditions)
        case Or(conditions):
            return any(holds(each, attributes) for each in conditions)
        case Equals(attribute, value) | Less(attribute, value) | Greater(attribute, value):
            return (
                attributes is not None and attribute in attributes and _compare(condition, attributes[attribute], value)
            )
        case _:
            raise TypeError(f"not a condition: {condition!r}")


def _compare(condition: Condition, stored: Value, value: Scalar) -> bool:
    kind = _kind(value)
    if kind != _kind(stored):
        return False
    if isinstance(condition, Equals):
        return stored == value
    if kind not in ("text", "number", "bytes"):
        return False
    return stored < value if isinstance(condition, Less) else stored > value  # type: ignore[operator]


def _kind(value: Value) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "flag"
        case int() | float():
            return "number"
        case str():
            return "text"
        case bytes():
            return "bytes"
        case _:
            return "document"
