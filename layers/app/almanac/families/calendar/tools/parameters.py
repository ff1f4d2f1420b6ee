"""Arguments that several calendar tools share, with their descriptions for a model."""

import re
from datetime import date, datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from msgspec import Meta

from almanac.families.calendar.model.availability import Interval, check_window
from almanac.families.time.core.timestamps import parse_local, parse_timestamp
from almanac.kernel.instants import instant_at, milliseconds

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")

UNKNOWN_ZONE = (
    "No time zone is known for this calendar: events in it that name none are read in UTC and may lie at another time. "
    "Ask the user for the zone and set it with update_calendar."
)

CalendarId = Annotated[
    str,
    Meta(
        description='Id, or "primary".',
        examples=["primary"],
        min_length=1,
        max_length=400,
    ),
]
Start = Annotated[
    str,
    Meta(description="RFC 3339 with offset.", examples=["2026-03-16T14:00:00-04:00"], max_length=40),
]
End = Annotated[
    str,
    Meta(description="RFC 3339, excluded.", examples=["2026-03-16T14:30:00-04:00"], max_length=40),
]
SlotStart = Annotated[
    str,
    Meta(
        description="RFC 3339 with offset, or a date for whole days.",
        examples=["2026-03-16T14:00:00-04:00"],
        max_length=40,
    ),
]
SlotEnd = Annotated[
    str,
    Meta(
        description="RFC 3339, or the date after the last day.",
        examples=["2026-03-16T14:30:00-04:00"],
        max_length=40,
    ),
]
_Rule = Annotated[str, Meta(min_length=1, max_length=2000)]
Recurrence = Annotated[
    _Rule | None,
    Meta(
        description="RFC 5545 RRULE, for a series.",
        examples=["FREQ=WEEKLY;BYDAY=MO;COUNT=10"],
    ),
]
DisplayZone = Annotated[
    str | None,
    Meta(description="IANA time zone."),
]
BookingId = Annotated[
    str,
    Meta(
        description="From book_slot or list_events.",
        min_length=1,
        max_length=1024,
    ),
]
EventId = Annotated[
    str,
    Meta(
        description="From list_events, or a booking_id.",
        min_length=1,
        max_length=1024,
    ),
]

Attendees = Annotated[list[Annotated[str, Meta(min_length=3, max_length=254)]], Meta(max_length=200)]
Details = Annotated[str, Meta(max_length=8000)]
Location = Annotated[str, Meta(max_length=1000)]
Reminders = Annotated[list[Annotated[int, Meta(ge=0, le=40320)]], Meta(max_length=10)]


def window_of(start: str, end: str) -> Interval:
    """Return the window. Raises InvalidInput if a bound is not an instant, or the window is empty or too long."""
    return check_window(milliseconds(instant(start, "start")), milliseconds(instant(end, "end")))


def day_or_instant(text: str, path: str) -> date | datetime:
    """Parse a date `YYYY-MM-DD` or an instant. Raises InvalidInput for anything else."""
    if not _DATE.fullmatch(text.strip()):
        return instant(text, path)
    return parse_local(text, path).date()


def format_instant(at: int, zone: ZoneInfo) -> str:
    """Format an instant (milliseconds since 1970) on the clocks of `zone`, to the second, with its offset."""
    return instant_at(at).astimezone(zone).isoformat(timespec="seconds")


def instant(text: str, path: str) -> datetime:
    return parse_timestamp(text, path)
