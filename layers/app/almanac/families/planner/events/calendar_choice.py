"""The argument that chooses calendars."""

from typing import Annotated

from msgspec import Meta

WhichCalendars = Annotated[
    list[str],
    Meta(description="Calendar ids; default: all.", max_length=50),
]
