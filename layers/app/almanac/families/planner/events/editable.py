"""Which event a tool may change: one of a calendar that is kept here."""

from almanac.families.calendar.model.located_ids import Located
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.events.ids import locate
from almanac.kernel.errors import Forbidden, NotFound


def editable(planner: Planner, event_id: str) -> Located:
    """Raises NotFound, InvalidInput for an id that several events have, and Forbidden for a calendar at a provider."""
    meant = locate(planner.bookings.calendars, event_id)
    try:
        calendar = planner.bookings.calendars.find(meant.calendar)
    except NotFound:
        raise NotFound(
            f'Event not found: "{event_id.strip()[:80]}".',
            "calendar_list_events lists the ids of events and instances.",
        ) from None
    if not calendar.is_native:
        raise Forbidden(
            f"This event belongs to its provider, in the calendar {calendar.id}: the planner cannot change it.",
            f'Move it with reschedule_booking, delete it with cancel_booking: calendar_id "{calendar.id}", booking_id '
            f'"{meant.event}".',
            code="kept_elsewhere",
        )
    return meant
