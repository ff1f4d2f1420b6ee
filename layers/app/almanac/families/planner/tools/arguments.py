"""Arguments that several planner tools share, and limits of numbers."""

from typing import Annotated

from msgspec import Meta

Zone = Annotated[str | None, Meta(description="IANA name.")]
WhichCalendars = Annotated[list[str], Meta(description="Calendar ids; default: all.", max_length=50)]


def clamp(number: float | None, default: int, least: int, most: int) -> int:
    """Return the whole number within the limits that is nearest to the request."""
    return default if number is None else int(min(max(number, least), most))
