"""The values of a component's property."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

from typing import Any, cast

from icalendar import Component
from icalendar.error import BrokenCalendarProperty


def values_of(component: Component, name: str) -> list[Any]:
    """All values of the property, however many there are. A broken one raises ValueError when it is looked into."""
    value: Any = component.get(name)
    if value is None:
        return []
    return cast(list[Any], value) if isinstance(value, list) else [value]


def part_of(value: Any, name: str) -> Any:
    """The attribute of that name of a value; None where it is missing or broken."""
    try:
        return getattr(value, name, None)
    except BrokenCalendarProperty:
        return None


def parameters_of(value: Any) -> Any:
    """Its parameters, by name."""
    return part_of(value, "params") or {}
