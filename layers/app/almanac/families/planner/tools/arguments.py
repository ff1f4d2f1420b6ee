"""Arguments that several tools of the planner take, and the bounds of numbers."""

from typing import Annotated

from msgspec import Meta

Zone = Annotated[str | None, Meta(description="IANA name.")]
WhichCalendars = Annotated[list[str], Meta(description="Calendar ids; default: all.", max_length=50)]


def clamped(number: float | None, default: int, least: int, most: int) -> int:
    """Return the whole number within the bounds that is nearest to what was asked for."""
    return default if number is None else int(min(max(number, least), most))
