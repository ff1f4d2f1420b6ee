"""Which calendars there are."""

import re
from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.families.calendar.desk import Desk
from almanac.families.calendar.records import CalendarRecord
from almanac.kernel.errors import InvalidInput
from almanac.kernel.firewall import admit
from almanac.protocol.tool import Effect, tool

_ID = re.compile(r"[a-z0-9][a-z0-9._@-]{0,99}")


class Calendar(msgspec.Struct, frozen=True):
    """`timezone` is null where nobody has said it."""

    id: str
    provider: str
    name: str
    label: str | None
    primary: bool
    access_role: str
    timezone: str | None


class CalendarList(msgspec.Struct, frozen=True):
    calendars: list[Calendar]
    total: int


@tool(title="List calendars", effect=Effect.READS)
def list_calendars(*, desk: Desk) -> CalendarList:
    """List the calendars that can be read and booked: ids, names, time zones, and who may write to them.

    Use the id as calendar_id of every other calendar tool. "primary" is the calendar to use when the user names none.
    Ids with a slash lie at a provider (google/…, caldav/…); the others are kept here. Book only where access_role is
    owner or writer; freeBusyReader tells when the calendar is busy and nothing else.
    """
    calendars = [_listed(calendar) for calendar in desk.calendars.listed()]
    return CalendarList(calendars, len(calendars))


@tool(title="Create a calendar", effect=Effect.ADDS)
def create_calendar(
    name: Annotated[
        str, Meta(description="What people call it.", examples=["Meeting room 2"], min_length=1, max_length=200)
    ],
    calendar_id: Annotated[
        str | None,
        Meta(description="Id of your choice: lower-case letters, digits and . _ @ -. Default: made of the name."),
    ] = None,
    timezone: Annotated[
        str | None,
        Meta(description="IANA time zone in which its days begin. Default: that of the API key."),
    ] = None,
    *,
    desk: Desk,
) -> Calendar:
    """Create a calendar that is kept here, e.g. for a room, a project or a second person.

    Not needed for "primary", which is always there. A calendar at Google or a CalDAV server is connected by the owner
    of this installation, not created here. An id that is taken is an error.
    """
    wanted = calendar_id if calendar_id is not None else re.sub(r"[^a-z0-9._@-]+", "-", name.lower()).strip("-._@")
    if not _ID.fullmatch(wanted):
        raise InvalidInput(
            f'"{wanted[:80]}" cannot be the id of a calendar.',
            "Use 1 to 100 lower-case letters, digits and . _ @ -, beginning with a letter or digit, e.g. room-2.",
            path="calendar_id",
        )
    zone = timezone if timezone is not None else desk.zone
    shown_name = admit({"name": name})["name"]
    record = CalendarRecord(id=wanted, name=shown_name, timezone=zone, created_at=desk.calendars.now())
    return _listed(desk.calendars.create(record))


def _listed(calendar: CalendarRecord) -> Calendar:
    return Calendar(
        id=calendar.id,
        provider=calendar.provider,
        name=calendar.name,
        label=calendar.label,
        primary=calendar.primary,
        access_role=calendar.access_role,
        timezone=calendar.timezone,
    )
