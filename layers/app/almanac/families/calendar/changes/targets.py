"""The event that a change is meant for, and the event as it is after it."""

from contextlib import suppress

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.finding import Found, find_event, provider_override
from almanac.families.calendar.entries.records import CalendarRecord, PlaceInCalendar
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.overrides import override_of
from almanac.kernel.errors import AlmanacError, Unavailable


def target_of(calendar: CalendarRecord, found: Found) -> Event:
    """Return what was found, an instance of a series as an event of its own."""
    if found.is_exception or found.series is None or found.slot is None:
        return found.event
    if calendar.is_native:
        return override_of(found.series, found.slot, found.id)
    return provider_override(calendar, found.series, found.slot)


def replaced_by(found: Found) -> PlaceInCalendar | None:
    """Return where the entry stands that a change replaces; None for an instance that differs for the first time."""
    return found.pointer.place if found.series is None or found.is_exception else None


def pull(bookings: BookingService, calendar: CalendarRecord) -> None:
    """Read what the provider has now. Where it does not answer the next call reads it."""
    with suppress(AlmanacError):
        bookings.calendars.gateway.refresh(calendar, booking=True)


def found_after(bookings: BookingService, calendar: CalendarRecord, found: Found, event: Event) -> Found:
    """Return what was changed as it is stored now; as `event`, where it could not be read again."""
    current = bookings.calendars.find(calendar.id)
    for name in (event.id, found.id):
        again = find_event(bookings.calendars, current, name)
        if again is not None:
            return again
    return found._replace(event=event)


def unknown_outcome(down: Unavailable) -> Unavailable:
    """Return the error for a write that the provider did not answer."""
    return Unavailable(
        f"{down.message} Whether it made the change is not known.",
        "Repeat the call: the change is made once. get_event shows how the event is now.",
    )
