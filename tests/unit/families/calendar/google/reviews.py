"""A calendar at Google, and an event for it."""

from datetime import datetime

from almanac.families.calendar.model.events import Event, ZonedTime
from almanac.families.calendar.providers.port import RemoteCalendar

WORK = RemoteCalendar(id="work@example.com", name="Work", timezone="Europe/Berlin")
ID = "0123456789abcdefghijklmnop"
REVIEW = Event(
    id=ID,
    uid=f"{ID}@almanac",
    start=ZonedTime(datetime(2026, 3, 2, 9), "Europe/Berlin"),
    end=ZonedTime(datetime(2026, 3, 2, 10), "Europe/Berlin"),
    summary="Design review",
    attendees=("ann@example.com",),
)
