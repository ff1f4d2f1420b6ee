"""Values of a component's property."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

from typing import Any, cast

from icalendar import Component
from icalendar.error import BrokenCalendarProperty


def values_of(component: Component, name: str) -> list[Any]:
    """Return all values of the property. A broken one raises ValueError when its parts are read."""
    value: Any = component.get(name)
    if value is None:
        return []
    return cast(list[Any], value) if isinstance(value, list) else [value]


def part_of(value: Any, name: str) -> Any:
    """Return the attribute of a value; None if it is missing or broken."""
    try:
        return getattr(value, name, None)
    except BrokenCalendarProperty:
        return None


def parameters_of(value: Any) -> Any:
    """Return the parameters of a value, by name."""
    return part_of(value, "params") or {}
