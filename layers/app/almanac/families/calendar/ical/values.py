"""The values of a component's property."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

from typing import Any, cast

from icalendar import Component


def values_of(component: Component, name: str) -> list[Any]:
    """All values of the property, however many there are. A broken one raises ValueError when it is looked into."""
    value: Any = component.get(name)
    if value is None:
        return []
    return cast(list[Any], value) if isinstance(value, list) else [value]
