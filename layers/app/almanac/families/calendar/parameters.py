"""The arguments that several calendar tools share, with what a model reads of them."""

from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from msgspec import Meta

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.calendars import checked_window
from almanac.families.calendar.desk import Desk
from almanac.families.calendar.records import CalendarRecord
from almanac.families.time.timestamps import parse_timestamp
from almanac.families.time.zones import find_zone
from almanac.kernel.instants import milliseconds

CalendarId = Annotated[
    str,
    Meta(
        description='Calendar id from list_calendars. "primary" is always there.',
        examples=["primary"],
        min_length=1,
        max_length=400,
    ),
]
Start = Annotated[
    str,
    Meta(description="RFC 3339 start, with its offset.", examples=["2026-03-16T14:00:00-04:00"], max_length=40),
]
End = Annotated[
    str,
    Meta(description="RFC 3339 end, excluded.", examples=["2026-03-16T14:30:00-04:00"], max_length=40),
]
DisplayZone = Annotated[
    str | None,
    Meta(description="IANA time zone to tell times in. Default: the calendar's, else that of the API key."),
]
BookingId = Annotated[
    str,
    Meta(description="booking_id or event_id that book_slot answered with.", min_length=1, max_length=1024),
]


def window_of(start: str, end: str) -> Interval:
    """Raises InvalidInput for what is no instant, and for an empty or boundless window."""
    return checked_window(milliseconds(instant(start, "start")), milliseconds(instant(end, "end")))


def instant(text: str, path: str) -> datetime:
    return parse_timestamp(text, path)


def display_zone(desk: Desk, calendar: CalendarRecord, timezone: str | None) -> ZoneInfo:
    return find_zone(timezone) if timezone is not None else desk.zone_of(calendar)
