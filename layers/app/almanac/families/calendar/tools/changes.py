"""Tools that change events without moving them."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.changes.event_edit import EventEdit
from almanac.families.calendar.changes.invitations import respond
from almanac.families.calendar.changes.updates import update_event
from almanac.families.calendar.entries.details import EventDetails, details_of
from almanac.families.calendar.providers.port import Answer, Response
from almanac.families.calendar.tools.parameters import (
    Attendees,
    CalendarId,
    Details,
    DisplayZone,
    EventId,
    Location,
    Reminders,
)
from almanac.protocol.tool import Effect, tool

Comment = Annotated[str, Meta(max_length=1000)]


class InvitationAnswer(msgspec.Struct, frozen=True):
    """`event` is the event after the answer; `declined`: it no longer blocks its time."""

    success: bool
    response: Response
    event: EventDetails


@tool(title="Update an event or meeting", effect=Effect.SETS, open_world=True)
def update_booking(
    calendar_id: CalendarId,
    event_id: EventId,
    summary: Annotated[
        Annotated[str, Meta(min_length=1, max_length=1000)] | None, Meta(description="New title.")
    ] = None,
    description: Annotated[Details | None, Meta(description="New details. Empty text removes them.")] = None,
    location: Annotated[
        Location | None, Meta(description="New place, room or video link. Empty text removes it.")
    ] = None,
    attendees: Annotated[
        Attendees | None,
        Meta(description="Email addresses; replaces all. Who stays keeps the answer."),
    ] = None,
    reminders: Annotated[
        Reminders | None, Meta(description="Minutes before the start; replaces all. [] removes them.")
    ] = None,
    timezone: DisplayZone = None,
    *,
    bookings: BookingService,
) -> EventDetails:
    """Change an existing meeting or event in any calendar: rename it, add or remove guests (attendees), or set its
    title, description, room, location, video link or reminders. To change its time use reschedule_booking; in the
    planner calendar_update_event.

    Its series_id changes the whole series.
    """
    if timezone is not None:
        bookings = bookings.in_zone(timezone)
    edit = EventEdit(
        summary=summary,
        description=description,
        location=location,
        attendees=tuple(attendees) if attendees is not None else None,
        reminders=tuple(reminders) if reminders is not None else None,
    )
    calendar, located = update_event(bookings, calendar_id, event_id, edit)
    return details_of(located, calendar, bookings.zone_of(calendar))


@tool(title="Answer an invitation", effect=Effect.SETS, open_world=True)
def respond_to_invitation(
    calendar_id: CalendarId,
    event_id: EventId,
    response: Annotated[Response, Meta(description="Your answer.")],
    comment: Annotated[Comment | None, Meta(description="A short reply to the organizer.")] = None,
    timezone: DisplayZone = None,
    *,
    bookings: BookingService,
) -> InvitationAnswer:
    """Accept, tentatively accept or decline an invitation: say yes, no (you can't make it) or maybe (RSVP) to a meeting
    invite from somebody else; the organiser is told. To call off your own meeting use cancel_booking.

    Its series_id answers for the whole series.
    """
    if timezone is not None:
        bookings = bookings.in_zone(timezone)
    calendar, located = respond(bookings, calendar_id, event_id, Answer(response, comment or ""))
    return InvitationAnswer(True, response, details_of(located, calendar, bookings.zone_of(calendar)))
