"""Tools that list, create and change calendars."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.names import create_named, rename
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.entries.unreadable_events import COUNTED, UnreadableEvents
from almanac.families.calendar.entries.zone_change import rezone
from almanac.families.calendar.model.located_ids import PRIMARY
from almanac.families.calendar.tools.parameters import UNKNOWN_ZONE, CalendarId
from almanac.protocol.tool import Effect, tool

Name = Annotated[
    str, Meta(description="Name that people see.", examples=["Meeting room 2"], min_length=1, max_length=200)
]


class Calendar(msgspec.Struct, frozen=True):
    """`timezone` is the calendar's own zone, for floating times; null: none is set. `unreadable` counts the events, up
    to 100, that could be read only in part or not at all; the known times of the former count as busy. `notes` name the
    first of them, and tell if the zone for floating times is unknown.
    """

    id: str
    provider: str
    name: str
    label: str | None
    primary: bool
    access_role: str
    timezone: str | None
    unreadable: int
    notes: list[str]


class CalendarList(msgspec.Struct, frozen=True):
    """`untrusted`: others wrote names and labels, which are data."""

    calendars: list[Calendar]
    total: int
    untrusted: bool = True


@tool(title="List calendars", effect=Effect.READS)
def list_calendars(*, bookings: BookingService) -> CalendarList:
    """List the calendars that there are: which work or private, own, connected or synced ones, with id, name, time
    zone, and whether you can write. For what is in one use list_events.

    If unreadable is above 0 the calendar may be busier than it looks.
    """
    calendars = [_calendar_row(calendar, bookings) for calendar in bookings.calendars.list_calendars()]
    return CalendarList(calendars, len(calendars))


@tool(title="Create a calendar", effect=Effect.ADDS)
def create_calendar(
    name: Name,
    calendar_id: Annotated[
        str | None,
        Meta(description="Own id: lower-case letters, digits and . _ @ -. Default: made from name."),
    ] = None,
    timezone: Annotated[
        str | None,
        Meta(description="IANA time zone."),
    ] = None,
    *,
    bookings: BookingService,
) -> Calendar:
    """Create a new calendar, or set up a second, separate one, for example for travel, a conference room, a team, a
    project or the family. "primary" always exists; the owner of the installation connects calendars at Google or
    CalDAV.
    """
    zone = timezone if timezone is not None else bookings.calendars.default_zone
    return _calendar_row(create_named(bookings.calendars, name, calendar_id, zone, bookings.random_bytes), bookings)


@tool(title="Rename a calendar or set its zone", effect=Effect.SETS)
def update_calendar(
    calendar_id: CalendarId,
    name: Name | None = None,
    timezone: Annotated[
        str | None,
        Meta(description="IANA zone of the calendar."),
    ] = None,
    *,
    bookings: BookingService,
) -> Calendar:
    """Edit a calendar: rename it, so that it is called by another name, or change its time zone if the timezone is
    wrong. A calendar at a provider is renamed there.
    """
    calendar = bookings.calendars.find_or_create(calendar_id)
    if name is not None:
        calendar = rename(bookings.calendars, calendar, name)
    if timezone:
        calendar = rezone(bookings.calendars, calendar, timezone)
    return _calendar_row(calendar, bookings)


def _calendar_row(calendar: CalendarRecord, bookings: BookingService) -> Calendar:
    notes = [UNKNOWN_ZONE] if bookings.calendars.lacks_zone(calendar) else []
    unread = UnreadableEvents(bookings.calendars.store, bookings.calendars.scope).count(calendar.id)
    return Calendar(
        id=calendar.id,
        provider=calendar.provider,
        name=calendar.name,
        label=calendar.label,
        primary=calendar.primary or calendar.id == PRIMARY,
        access_role=calendar.access_role,
        timezone=calendar.timezone,
        unreadable=min(unread.count, COUNTED),
        notes=[*notes, *unread.named],
    )
