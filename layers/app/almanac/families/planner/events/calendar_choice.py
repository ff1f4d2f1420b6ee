"""Which calendars an answer covers."""

from typing import Annotated

from msgspec import Meta

WhichCalendars = Annotated[
    list[str],
    Meta(description="Ids of calendars. Default: all.", max_length=50),
]
